import type { DocumentDecoration } from 'elysia';
import type { TSchema } from '../schema.ts';
import { toOpenApiSchema } from './openapi-schema.ts';

type Responses = NonNullable<DocumentDecoration['responses']>;

const BINARY = { type: 'string', format: 'binary' } as const;

/**
 * The error answers of a route, for the `responses` of its `detail`. What the server itself answers (401, 400, 413, 415
 * and 422 of bodies, 422 of queries, 500) is added without being listed.
 */
export function problemResponses(...statuses: number[]): Responses {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

/** A file as the success of a route; further media types are alternatives. */
export function binaryResponse(...mediaTypes: [string, ...string[]]): Responses {
  const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: BINARY }]));
  const headers = { 'Content-Disposition': { description: 'Name of the file.', schema: { type: 'string' as const } } };
  return { 200: { description: 'The file.', content, headers } };
}

/** A stream of Server-Sent Events as the success of a route; `events` are the payloads by the name of the event. */
export function eventStreamResponse(
  description = 'Server-Sent Events; the stream ends when the work is done.',
  events?: Record<string, TSchema>,
): Responses {
  const schema = events ? { oneOf: Object.entries(events).map(describeFrame) } : { type: 'string' as const };
  return { 200: { description, content: { 'text/event-stream': { schema } } } };
}

function describeFrame([name, data]: [string, TSchema]) {
  const { description = '', ...payload } = toOpenApiSchema(data);
  const properties = { event: { type: 'string' as const, enum: [name] }, data: payload };
  return {
    type: 'object' as const,
    title: name,
    description: String(description),
    required: ['event', 'data'],
    properties,
  };
}

/** A success without a body, of a route that answers 204. */
export function emptyResponse(): Responses {
  return { 204: { description: 'Done.' } };
}
