import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestServer, type TestServer } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ mount: (base) => base.use(createSampleRoutes()) });
});
afterAll(() => server[Symbol.asyncDispose]());

test('the page and everything it loads come from this server', async () => {
  const answer = await server.fetch('/docs');
  const html = await answer.text();
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(html).not.toMatch(/https?:\/\//);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  expect(links.filter((link) => link !== 'data:,').sort()).toEqual([
    '/docs/assets/swagger-ui-bundle.js',
    '/docs/assets/swagger-ui.css',
  ]);
  for (const link of links.filter((one) => one.startsWith('/'))) expect((await server.fetch(link)).status).toBe(200);
});

test('a policy forbids the page every other host', async () => {
  const policy = (await server.fetch('/docs')).headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
});

test('script and style have their types and a length', async () => {
  const script = await server.fetch('/docs/assets/swagger-ui-bundle.js');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect((await script.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000);
  const style = await server.fetch('/docs/assets/swagger-ui.css');
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect(await style.text()).toContain('.swagger-ui');
});

test.each(['/docs/assets/', '/docs/assets/nope.js', '/docs/assets/..%2f..%2fpackage.json'])(
  'there is no file at %s',
  async (path) => {
    expect((await server.fetch(path)).status).toBe(404);
  },
);
