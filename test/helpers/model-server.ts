import { type AutoOptions, autoReply } from './model-server-auto.ts';
import { embeddings, speech } from './model-server-extras.ts';
import { type ChatBody, estimateTokens, type Reply, streamChunks, wholeAnswer } from './model-server-wire.ts';
import { pace } from './pace.ts';

export type { Reply } from './model-server-wire.ts';

/** A request the server received. */
interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  /** Parsed JSON body; undefined without one. */
  body: ChatBody & Record<string, unknown>;
  /** `x-agent-role`, empty when absent. */
  agent: string;
  /** `x-run-id`, empty when absent. */
  runId: string;
  /** True once the client went away before the answer ended. */
  aborted: boolean;
  /** True once the answer was sent in full. */
  finished: boolean;
}

export interface ModelServerOptions {
  port?: number;
  /** Answers a chat completion; undefined leaves it to the queue, then to the automatic behaviour. */
  handler?: (request: SeenRequest) => Reply | undefined | Promise<Reply | undefined>;
  /** Replies in order by agent role (`*` for any); used up before the automatic behaviour. */
  queue?: Record<string, Reply[]>;
  auto?: AutoOptions;
  /** Pace and latency of every reply that names none. */
  tokensPerSecond?: number;
  latencyMs?: number;
  models?: string[];
  /** Answers 401 to every other bearer token or `api-key`. */
  apiKey?: string;
  /** Request features this provider refuses with a 400, in the words of real ones. */
  rejects?: ('tools' | 'stream_options' | 'response_format' | 'max_tokens' | 'max_completion_tokens' | 'temperature')[];
  /** Refuses prompts over this many tokens (four characters each) as OpenAI does. */
  contextLimit?: number;
  /** Keep no requests (benches). */
  forget?: boolean;
}

/** A running model server. */
export interface ModelServer extends AsyncDisposable {
  /** Base URL for a client: `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  /** Requests of one agent. */
  of(agent: string): SeenRequest[];
  /** Puts replies at the end of an agent's queue (`*` for any agent). */
  enqueue(agent: string, ...replies: Reply[]): void;
  /** Replies left in the queues. */
  pending(): number;
  stop(): Promise<void>;
}

const REFUSALS: Record<string, { message: string; param: string }> = {
  tools: { message: 'registry/model:latest does not support tools', param: 'tools' },
  stream_options: { message: 'Unrecognized request argument supplied: stream_options', param: 'stream_options' },
  response_format: { message: "This response_format type is unavailable now: 'json_object'", param: 'response_format' },
  max_tokens: {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param: 'max_tokens',
  },
  max_completion_tokens: {
    message: 'max_completion_tokens: Extra inputs are not permitted',
    param: 'max_completion_tokens',
  },
  temperature: {
    message:
      "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    param: 'temperature',
  },
};

/** A local HTTP server that speaks the OpenAI wire: chat completions, models, embeddings and speech, with faults. */
export function startModelServer(options: ModelServerOptions = {}): ModelServer {
  const requests: SeenRequest[] = [];
  const queues = new Map(Object.entries(options.queue ?? {}).map(([role, replies]) => [role, [...replies]]));
  let count = 0;

  const chat = async (seen: SeenRequest, signal: AbortSignal): Promise<Response> => {
    const { body } = seen;
    const refused = options.rejects?.find((key) => body[key] !== undefined);
    if (refused) return refusal({ status: 400, error: { ...REFUSALS[refused]!, code: 'unsupported_parameter' } });
    const tokens = estimateTokens(JSON.stringify(body.messages));
    if (options.contextLimit && tokens > options.contextLimit)
      return refusal(contextExceeded(options.contextLimit, tokens));
    const reply =
      (await options.handler?.(seen)) ??
      (queues.get(seen.agent)?.shift() || queues.get('*')?.shift()) ??
      autoReply(seen, options.auto);
    const latencyMs = reply.latencyMs ?? options.latencyMs;
    if (latencyMs) await Bun.sleep(latencyMs);
    if (reply.never) return new Promise(() => undefined);
    if (reply.body !== undefined)
      return new Response(reply.body, {
        status: reply.status ?? 200,
        headers: { 'content-type': reply.contentType ?? 'text/event-stream', ...reply.headers },
      });
    if (reply.status !== undefined) return refusal(reply);
    const id = `chatcmpl-${++count}`;
    if (!body.stream) {
      seen.finished = true;
      return Response.json(wholeAnswer(reply, body, id), { headers: reply.headers });
    }
    return streamed(reply, seen, id, signal);
  };

  const streamed = (reply: Reply, seen: SeenRequest, id: string, signal: AbortSignal): Response => {
    const all = streamChunks(reply, seen.body, id);
    const limit = reply.dropAfter ?? reply.hangAfter ?? reply.cutAfter;
    const chunks = limit === undefined ? [...all, 'data: [DONE]\n\n'] : all.slice(0, limit);
    const stream = pace(chunks, {
      tokensPerSecond: reply.tokensPerSecond ?? options.tokensPerSecond,
      signal,
      end: reply.dropAfter !== undefined ? 'drop' : reply.hangAfter !== undefined ? 'hang' : 'close',
      onEnd: () => {
        seen.finished = true;
      },
    });
    return new Response(stream, {
      headers: { 'content-type': reply.contentType ?? 'text/event-stream; charset=utf-8', ...reply.headers },
    });
  };

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: options.port ?? 0,
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const body = request.method === 'POST' ? await request.json().catch(() => undefined) : undefined;
      const seen: SeenRequest = {
        method: request.method,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: body as SeenRequest['body'],
        agent: request.headers.get('x-agent-role') ?? '',
        runId: request.headers.get('x-run-id') ?? '',
        aborted: false,
        finished: false,
      };
      if (!options.forget) requests.push(seen);
      request.signal.addEventListener('abort', () => {
        seen.aborted = !seen.finished;
      });
      const key = request.headers.get('api-key') ?? request.headers.get('authorization')?.replace(/^Bearer /, '');
      if (options.apiKey !== undefined && key !== options.apiKey) return refusal(faults.unauthorized());
      const path = url.pathname.replace(/^.*?\/(?=chat\/completions$|embeddings$|models$|audio\/speech$)/, '');
      if (path === 'chat/completions' && body) return chat(seen, request.signal);
      if (path === 'embeddings' && body) {
        const queued = queues.get('embeddings')?.shift();
        if (queued?.never) return new Promise(() => undefined);
        return queued?.status ? refusal(queued) : embeddings(body as Parameters<typeof embeddings>[0]);
      }
      if (path === 'audio/speech' && body) {
        const queued = queues.get('speech')?.shift();
        if (queued?.never) return new Promise(() => undefined);
        return queued?.status ? refusal(queued) : speech(body as { input?: string });
      }
      if (path === 'models')
        return Response.json({
          object: 'list',
          data: (options.models ?? ['test-model']).map((id) => ({ id, object: 'model', owned_by: 'test' })),
        });
      return refusal({ status: 404, error: 'Not found' });
    },
  });

  const stop = () => server.stop(true);
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    port: server.port!,
    requests,
    of: (agent) => requests.filter((request) => request.agent === agent),
    enqueue: (agent, ...replies) => void queues.set(agent, [...(queues.get(agent) ?? []), ...replies]),
    pending: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Replies that fail the way real providers fail. */
export const faults = {
  unauthorized: (): Reply => ({
    status: 401,
    error: {
      message: 'Incorrect API key provided: sk-te**st.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    },
  }),
  /** `retryAfter` is seconds or an HTTP date. */
  rateLimited: (retryAfter?: string): Reply => ({
    status: 429,
    error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
  }),
  /** Status 500 (or another) `times` times. */
  failing: (times: number, status = 500): Reply[] =>
    Array.from({ length: times }, () => ({ status, error: 'The server had an error while processing your request' })),
  dropped: (text: string, afterChunks: number): Reply => ({ text, dropAfter: afterChunks }),
  never: (): Reply => ({ never: true }),
  invalidArguments: (name: string): Reply => ({ toolCalls: [{ name, arguments: '{"query": "unfinished' }] }),
  unknownTool: (): Reply => ({ toolCalls: [{ name: 'no_such_tool', arguments: {} }] }),
  empty: (): Reply => ({ text: [] }),
  garbage: (): Reply => ({ body: 'data: {"choices": [{"delta"\n\ndata: <html>\n\n' }),
  errorInStream: (text: string, afterChunks: number): Reply => ({
    text,
    insert: {
      at: afterChunks,
      raw: 'data: {"error":{"message":"overloaded","type":"server_error","code":"overloaded"}}\n\n',
    },
  }),
  toolsRejected: (): Reply => ({ status: 400, error: 'registry/model:latest does not support tools' }),
  contextExceeded: (limit: number, used = limit * 2): Reply => contextExceeded(limit, used),
  modelNotFound: (): Reply => ({
    status: 404,
    error: { message: 'The model `x` does not exist or you do not have access to it.', code: 'model_not_found' },
  }),
};

function contextExceeded(limit: number, used: number): Reply {
  return {
    status: 400,
    error: {
      message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${used} tokens. Please reduce the length of the messages.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  };
}

function refusal(reply: Reply): Response {
  const error = typeof reply.error === 'object' ? reply.error : { message: reply.error ?? 'Refused' };
  return Response.json({ error: { type: 'error', ...error } }, { status: reply.status ?? 400, headers: reply.headers });
}
