/** Key under which a route lists the statuses of its error answers; {@link describeApi} turns it into responses. */
export const PROBLEMS_KEY = 'x-problems';
/** Key under which a route describes a success that is not JSON. */
export const ANSWER_KEY = 'x-answer';

/** A success that is not JSON. */
export interface DescribedAnswer {
  status: number;
  description: string;
  content?: Record<string, { schema: Record<string, unknown> }>;
  headers?: Record<string, { description: string; schema: Record<string, unknown> }>;
}

/**
 * Lists the error statuses of a route, for its `detail`: `{ summary, ...problemResponses(403, 404) }`. What the server
 * itself answers (401, 400, 413, 415 and 422 of bodies, 422 of queries, 500) is added without being listed.
 */
export function problemResponses(...statuses: number[]): Record<typeof PROBLEMS_KEY, number[]> {
  return { [PROBLEMS_KEY]: statuses };
}

/** Describes a file as the success of a route, for its `detail`; further media types are alternatives. */
export function binaryResponse(...mediaTypes: [string, ...string[]]): Record<typeof ANSWER_KEY, DescribedAnswer> {
  const schema = { type: 'string', format: 'binary' };
  return {
    [ANSWER_KEY]: {
      status: 200,
      description: 'The file.',
      content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }])),
      headers: { 'Content-Disposition': { description: 'Name of the file.', schema: { type: 'string' } } },
    },
  };
}

/** Describes a Server-Sent Events stream as the success of a route, for its `detail`. */
export function eventStreamResponse(
  description = 'Server-Sent Events; the stream ends when the work is done.',
): Record<typeof ANSWER_KEY, DescribedAnswer> {
  return {
    [ANSWER_KEY]: { status: 200, description, content: { 'text/event-stream': { schema: { type: 'string' } } } },
  };
}

/** Describes a success without a body, for the `detail` of a route that answers 204. */
export function emptyResponse(description = 'Done.'): Record<typeof ANSWER_KEY, DescribedAnswer> {
  return { [ANSWER_KEY]: { status: 204, description } };
}
