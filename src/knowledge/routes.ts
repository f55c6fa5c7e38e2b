import { Elysia } from 'elysia';
import { AppError, fail } from '../errors.ts';
import { problemResponses } from '../http/openapi-details.ts';
import { Type } from '../schema.ts';
import { type KnowledgeProvider, Resource } from './model.ts';

/** What the knowledge routes need. */
export interface RagNeeds {
  knowledge: KnowledgeProvider;
  /** Largest uploaded document. */
  maxFileBytes: number;
}

const MAX_RESOURCES = 100;

const UPLOAD_BODY = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object' as const,
        required: ['file'],
        properties: {
          file: { type: 'string' as const, format: 'binary', description: 'Markdown, text, HTML, PDF or DOCX.' },
        },
      },
    },
  },
};

/** `/api/rag`: which knowledge there is, and adding to it. */
export function createRagRoutes({ knowledge, maxFileBytes }: RagNeeds) {
  return new Elysia({ name: 'rag-routes', prefix: '/api/rag' })
    .get('/config', () => ({ provider: knowledge.name }), {
      response: { 200: Type.Object({ provider: Type.String({ description: 'Knowledge provider.' }) }) },
      detail: { tags: ['Knowledge'], summary: 'Show the knowledge provider' },
    })
    .get(
      '/resources',
      async ({ query, request }) => ({
        resources: await knowledge.listResources({
          ...(query.query?.trim() ? { query: query.query } : {}),
          limit: MAX_RESOURCES,
          signal: request.signal,
        }),
      }),
      {
        query: Type.Object({
          query: Type.Optional(
            Type.String({ description: 'Words to look for; without them all resources are listed.' }),
          ),
        }),
        response: { 200: Type.Object({ resources: Type.Array(Resource, { description: 'At most 100.' }) }) },
        detail: {
          tags: ['Knowledge'],
          summary: 'List resources, newest first, or those that match a query, best first',
        },
      },
    )
    .post(
      '/upload',
      async ({ body, request }) => {
        if (!knowledge.ingest)
          throw fail('ingest_unsupported', `The knowledge provider ${knowledge.name} cannot take documents.`);
        const file = uploadedFile(body);
        const name = baseName(file.name ?? '');
        if (name === '') throw fail('empty_name', 'The uploaded file has no name.');
        if (file.size > maxFileBytes)
          throw fail('file_too_large', `The uploaded file is larger than the limit of ${maxFileBytes} bytes.`);
        const bytes = new Uint8Array(await file.arrayBuffer());
        return knowledge.ingest({ name, bytes, ...(file.type ? { mediaType: file.type } : {}) }, request.signal);
      },
      {
        response: { 200: Resource },
        detail: {
          tags: ['Knowledge'],
          summary: 'Add a document, or replace the one with its name',
          requestBody: UPLOAD_BODY,
          responses: problemResponses(422, 501, 503),
        },
      },
    );
}

/** The part `file`. A part without a file name arrives as text: it is there, but nameless. */
function uploadedFile(body: unknown): Blob & { name?: string } {
  const part = (body as { file?: unknown } | null | undefined)?.file;
  if (part instanceof Blob) return part;
  if (typeof part === 'string') throw fail('empty_name', 'The uploaded file has no name.');
  const message = Array.isArray(part) ? 'Expected one file' : 'Required';
  throw new AppError(Array.isArray(part) ? 'Upload one file at a time.' : 'The multipart part "file" is missing.', {
    code: 'invalid_request',
    category: 'user',
    status: 422,
    errors: [{ path: '/file', message }],
  });
}

/** The last part of a path of any system, without control characters: a name can lead nowhere. */
function baseName(name: string): string {
  const base = name
    .split(/[/\\]/)
    .at(-1)!
    .replace(/[\x00-\x1f\x7f]/g, '')
    .trim();
  return base === '.' || base === '..' ? '' : base;
}
