import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ServingBinary, startBinary } from './serve.ts';

const TOKEN = 'a-long-enough-test-token';
const ORIGIN = 'http://localhost:3000';

/** One scenario: what is asked, the status, and the `code` of a problem or a word of the body. */
interface Scenario {
  name: string;
  method?: string;
  path: string;
  body?: unknown;
  raw?: BodyInit;
  headers?: Record<string, string>;
  /** `guest` sends no token. */
  as?: 'guest';
  status: number;
  code?: string;
  contains?: string;
}

const chat = { messages: [{ role: 'user', content: 'hello' }] };
const form = (name: string, content: string) => {
  const data = new FormData();
  data.set('file', new File([content], name));
  return data;
};

const SCENARIOS: Scenario[] = [
  { name: 'health is open', path: '/health', as: 'guest', status: 200, contains: '"status":"ok"' },
  { name: 'the landing page is open', path: '/', as: 'guest', status: 200 },
  { name: 'the docs are open', path: '/docs', as: 'guest', status: 200 },
  { name: 'the document is open', path: '/openapi.json', as: 'guest', status: 200, contains: '/api/chat/stream' },
  { name: 'the API needs the token', path: '/api/config', as: 'guest', status: 401, code: 'unauthorized' },
  {
    name: 'a wrong token is refused',
    path: '/api/config',
    as: 'guest',
    headers: { authorization: 'Bearer no' },
    status: 401,
  },
  { name: 'an unknown API path needs the token as well', path: '/api/nothing', as: 'guest', status: 401 },
  { name: 'the configuration names the models', path: '/api/config', status: 200, contains: '"basic":["extractive"]' },
  { name: 'an unknown path', path: '/api/nothing', status: 404, code: 'not_found' },
  { name: 'a wrong method', path: '/api/chat/stream', status: 405, code: 'method_not_allowed' },
  {
    name: 'small talk',
    method: 'POST',
    path: '/api/chat/stream',
    body: chat,
    status: 200,
    contains: 'event: message_chunk',
  },
  { name: 'malformed JSON', method: 'POST', path: '/api/chat/stream', raw: '{"messages": [', status: 400 },
  { name: 'a list as the body', method: 'POST', path: '/api/chat/stream', body: [], status: 422 },
  { name: 'no messages', method: 'POST', path: '/api/chat/stream', body: {}, status: 422, contains: '"errors"' },
  {
    name: 'a count below one',
    method: 'POST',
    path: '/api/chat/stream',
    body: { ...chat, max_step_num: -1 },
    status: 422,
  },
  {
    name: 'an unknown style',
    method: 'POST',
    path: '/api/chat/stream',
    body: { ...chat, report_style: 'x' },
    status: 422,
  },
  {
    name: 'MCP settings while disabled',
    method: 'POST',
    path: '/api/chat/stream',
    body: { ...chat, mcp_settings: { servers: {} } },
    status: 403,
  },
  {
    name: 'empty MCP settings',
    method: 'POST',
    path: '/api/chat/stream',
    body: { ...chat, mcp_settings: {} },
    status: 200,
  },
  {
    name: 'nulls',
    method: 'POST',
    path: '/api/chat/stream',
    body: { ...chat, locale: null, thread_id: null, max_step_num: null },
    status: 200,
  },
  {
    name: 'feedback nobody waits for',
    method: 'POST',
    path: '/api/chat/stream',
    body: { thread_id: 'x', interrupt_feedback: 'accepted' },
    status: 200,
    contains: 'no_pending_plan',
  },
  { name: 'runs', path: '/api/runs?limit=5', status: 200, contains: '"runs"' },
  { name: 'a limit that is no number', path: '/api/runs?limit=many', status: 422 },
  { name: 'an unknown run', path: '/api/runs/none', status: 404, code: 'run_not_found' },
  { name: 'events of an unknown run', path: '/api/runs/none/events', status: 404 },
  { name: 'cancelling an unknown run', method: 'POST', path: '/api/runs/none/cancel', status: 404 },
  { name: 'an unknown thread', path: '/api/threads/none', status: 404, code: 'thread_not_found' },
  { name: 'removing an unknown thread', method: 'DELETE', path: '/api/threads/none', status: 404 },
  { name: 'the knowledge provider', path: '/api/rag/config', status: 200, contains: '"provider":"local"' },
  { name: 'all resources', path: '/api/rag/resources', status: 200, contains: 'handbook://' },
  { name: 'matching resources', path: '/api/rag/resources?query=webhook', status: 200, contains: '"resources"' },
  {
    name: 'an upload',
    method: 'POST',
    path: '/api/rag/upload',
    raw: form('notes.md', '# Notes\n\nSomething to know.'),
    status: 200,
    contains: 'local://',
  },
  { name: 'an upload without a file', method: 'POST', path: '/api/rag/upload', raw: new FormData(), status: 422 },
  { name: 'an empty upload', method: 'POST', path: '/api/rag/upload', raw: form('empty.md', ''), status: 400 },
  { name: 'an upload of a wrong type', method: 'POST', path: '/api/rag/upload', raw: form('a.exe', 'MZ'), status: 400 },
  {
    name: 'an upload that cannot be read',
    method: 'POST',
    path: '/api/rag/upload',
    raw: form('a.pdf', 'not a pdf'),
    status: 400,
  },
  {
    name: 'an upload over the cap',
    method: 'POST',
    path: '/api/rag/upload',
    raw: form('a.md', 'x'.repeat(11 * 1024 * 1024)),
    status: 413,
  },
  {
    name: 'a body over the cap',
    method: 'POST',
    path: '/api/chat/stream',
    raw: `{"messages":"${'x'.repeat(11 * 1024 * 1024)}"}`,
    status: 413,
  },
  {
    name: 'speech without settings',
    method: 'POST',
    path: '/api/tts',
    body: { text: 'Hi.' },
    status: 400,
    contains: 'PROVIDER_TTS_APPID is not set',
  },
  { name: 'speech without text', method: 'POST', path: '/api/tts', body: { text: '' }, status: 422 },
  {
    name: 'speech of 1,025 characters',
    method: 'POST',
    path: '/api/tts',
    body: { text: 'x'.repeat(1025) },
    status: 422,
  },
  {
    name: 'speech in an unknown format',
    method: 'POST',
    path: '/api/tts',
    body: { text: 'x', encoding: 'ogg' },
    status: 422,
  },
  {
    name: 'a podcast without speech',
    method: 'POST',
    path: '/api/podcast/generate',
    body: { content: 'Hello there.' },
    status: 500,
  },
  {
    name: 'slides without a model',
    method: 'POST',
    path: '/api/ppt/generate',
    body: { content: '# T\n\n- a\n- b' },
    status: 200,
    contains: 'PK',
  },
  { name: 'slides without content', method: 'POST', path: '/api/ppt/generate', body: {}, status: 422 },
  {
    name: 'an unknown prose option',
    method: 'POST',
    path: '/api/prose/generate',
    body: { prompt: 'x', option: 'rhyme' },
    status: 422,
    contains: 'zap',
  },
  {
    name: 'zap without a command',
    method: 'POST',
    path: '/api/prose/generate',
    body: { prompt: 'x', option: 'zap' },
    status: 422,
  },
  {
    name: 'prose without a model',
    method: 'POST',
    path: '/api/prose/generate',
    body: { prompt: 'x', option: 'continue' },
    status: 500,
    code: 'model_required',
  },
  {
    name: 'a better prompt without a model',
    method: 'POST',
    path: '/api/prompt/enhance',
    body: { prompt: 'x' },
    status: 500,
    code: 'model_required',
  },
  {
    name: 'an evaluation',
    method: 'POST',
    path: '/api/report/evaluate',
    body: { content: '# A\n\nB [c](https://d.example).', query: 'a' },
    status: 200,
    contains: '"metrics"',
  },
  {
    name: 'MCP metadata while disabled',
    method: 'POST',
    path: '/api/mcp/server/metadata',
    body: { transport: 'stdio', command: 'node' },
    status: 403,
  },
  {
    name: 'MCP metadata without a command',
    method: 'POST',
    path: '/api/mcp/server/metadata',
    body: { transport: 'stdio' },
    status: 422,
  },
  {
    name: 'MCP metadata of an unknown transport',
    method: 'POST',
    path: '/api/mcp/server/metadata',
    body: { transport: 'smoke' },
    status: 422,
  },
];

describe('dist/agent over HTTP', () => {
  let server: ServingBinary;
  beforeAll(async () => {
    server = await startBinary({
      env: {
        AGENT_API_TOKEN: TOKEN,
        DUCKDUCKGO_BASE_URL: 'http://127.0.0.1:9',
        WIKIPEDIA_BASE_URL: 'http://127.0.0.1:9',
      },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(SCENARIOS)('$name', async (scenario) => {
    const isJson = scenario.body !== undefined || typeof scenario.raw === 'string';
    const response = await server.fetch(scenario.path, {
      method: scenario.method ?? 'GET',
      headers: {
        origin: ORIGIN,
        ...(scenario.as === 'guest' ? {} : { authorization: `Bearer ${TOKEN}` }),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...scenario.headers,
      },
      body: scenario.raw ?? (scenario.body === undefined ? undefined : JSON.stringify(scenario.body)),
    });
    const text = await response.text();
    expect([response.status, response.status === scenario.status ? '' : text]).toEqual([scenario.status, '']);
    expect(response.headers.get('x-request-id')).toMatch(/\S/);
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    if (scenario.contains) expect(text).toContain(scenario.contains);
    if (response.status >= 400) {
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      const problem = JSON.parse(text);
      expect(problem).toMatchObject({ status: scenario.status, request_id: response.headers.get('x-request-id') });
      for (const key of ['type', 'title', 'detail', 'code']) expect(problem[key]).toMatch(/\S/);
      if (scenario.code) expect(problem.code).toBe(scenario.code);
    }
    if (scenario.status === 405) expect(response.headers.get('allow')).toContain('POST');
  });

  test('a preflight is answered without a token', async () => {
    const response = await server.fetch('/api/chat/stream', {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(response.headers.get('access-control-allow-methods')).toContain('DELETE');
  });

  test('an address others can reach is refused without a token, with both ways out', async () => {
    const { runBinary } = await import('./binary.ts');
    const { status, stderr } = await runBinary(['serve', '--host', '0.0.0.0', '--port', '0'], {
      cwd: server.home,
      env: { AGENT_HOME: server.home },
    });
    expect(status).toBe(1);
    expect(stderr).toContain('AGENT_API_TOKEN');
    expect(stderr).toContain('--insecure');
  });
});
