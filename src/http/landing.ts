import { VERSION } from '../version.ts';

const LINKS = { docs: '/docs', openapi: '/openapi.json', health: '/health' };

/** True when the caller is a person's browser. */
export function wantsHtml(request: Request): boolean {
  return request.headers.get('accept')?.includes('text/html') ?? false;
}

/** The answer of `/`: what this is and where to go on. */
export function landingPage(html: boolean): Response {
  if (!html) return Response.json({ name: 'agent', version: VERSION, ...LINKS }, { headers: { vary: 'Accept' } });
  return new Response(PAGE, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
  });
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agent</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1rem }
  code { font-size: .9em }
</style>
<h1>agent ${VERSION}</h1>
<p>Research and content generation over HTTP. The server is running.</p>
<ul>
  <li><a href="/docs">API reference</a></li>
  <li><a href="/openapi.json">OpenAPI document</a></li>
  <li><a href="/health">Health</a></li>
</ul>
<p>Start a run: <code>POST /api/chat/stream</code></p>
</html>
`;
