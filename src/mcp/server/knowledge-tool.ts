import { type Static, Type } from '../../schema.ts';
import type { AgentTool } from './tool.ts';

const SearchArguments = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 10_000, description: 'Words or a question.' }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Most passages (default 5).' })),
    resources: Type.Optional(
      Type.Array(Type.String(), { maxItems: 100, description: 'Only in these documents, by address.' }),
    ),
  },
  { additionalProperties: false },
);

const SearchResult = Type.Object({
  passages: Type.Array(
    Type.Object({
      uri: Type.String({ description: 'Address of the passage.' }),
      resource_uri: Type.String({ description: 'Address of the document.' }),
      title: Type.String(),
      heading_path: Type.Array(Type.String()),
      content: Type.String({ description: 'The text, word for word.' }),
      score: Type.Number({ description: 'Higher is better; comparable within one answer only.' }),
      page: Type.Optional(Type.Integer()),
    }),
  ),
});

/** `search_knowledge`: passages of the knowledge base, best first. */
export const knowledgeTool: AgentTool = {
  name: 'search_knowledge',
  title: 'Search the knowledge base',
  description: 'Searches the documents of the knowledge base and returns the passages that answer best, word for word.',
  input: SearchArguments,
  output: SearchResult,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run(args, { ports, signal }) {
    const { query, limit, resources } = args as Static<typeof SearchArguments>;
    const found = await ports.knowledge.retrieve(query, {
      limit: limit ?? 5,
      ...(resources?.length ? { resources } : {}),
      signal,
    });
    const passages = found.map(({ uri, resourceUri, title, headingPath, content, score, page }) => ({
      uri,
      resource_uri: resourceUri,
      title,
      heading_path: headingPath,
      content,
      score,
      ...(page === undefined ? {} : { page }),
    }));
    const text = passages.map(({ title, uri, content }) => `## ${title}\n${uri}\n\n${content}`).join('\n\n');
    return { structured: { passages }, content: [{ type: 'text', text: text || 'Nothing found.' }] };
  },
};
