import { type AnyElysia, Elysia } from 'elysia';
import swaggerCss from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import { ERROR_GROUPS, errorKind, storedError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { Problem, toProblem } from './errors.ts';
import { describeOperation } from './openapi-operation.ts';
import { toOpenApiSchema } from './openapi-schema.ts';

/** What the documentation describes. */
export interface DocsNeeds {
  /** Everything that is mounted; asked for on the first request. */
  routes(): AnyElysia['routes'];
  /** True when calls need the bearer token. */
  guarded: boolean;
}

const SCRIPT_PATH = '/docs/assets/swagger-ui-bundle.js';
const CSS_PATH = '/docs/assets/swagger-ui.css';
/** Forbids the page every request to another host; the generator writes its script and style inline. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** `/openapi.json` and `/docs`, generated on the first request; the page's script and style are inside the binary. */
export function createDocsRoutes(needs: DocsNeeds) {
  let generated: Promise<{ document: string; page: string }> | undefined;
  const generate = () => (generated ??= generateDocs(needs));
  const hidden = { detail: { hide: true } };
  return new Elysia({ name: 'docs-routes' })
    .get('/openapi.json', async () => jsonText((await generate()).document), hidden)
    .get('/docs', async () => htmlText((await generate()).page), hidden)
    .get(SCRIPT_PATH, () => asset(swaggerScript, 'text/javascript; charset=utf-8'), hidden)
    .get(CSS_PATH, () => asset(swaggerCss, 'text/css; charset=utf-8'), hidden);
}

async function generateDocs({ routes, guarded }: DocsNeeds): Promise<{ document: string; page: string }> {
  // Loaded here: neither the generator nor what it makes is needed to serve the API.
  const { swagger } = await import('@elysiajs/swagger');
  const described = routes()
    .filter(({ hooks }) => !hooks.detail?.hide)
    .map(({ method, path, hooks }) => ({ method, path, detail: describeOperation(hooks, guarded) }));
  const errors = new Set(
    described.flatMap(({ detail }) => Object.keys(detail.responses).filter((key) => key >= '400')),
  );
  // The generator guesses media types and statuses from schemas: it is given routes that say them.
  const documented = new Elysia().use(
    swagger({
      provider: 'swagger-ui',
      path: '/generated/docs',
      specPath: '/generated/openapi.json',
      theme: CSS_PATH,
      swaggerOptions: PAGE_OPTIONS,
      documentation: {
        info: INFO,
        tags: TAGS,
        components: {
          schemas: { Problem: toOpenApiSchema(Problem) },
          responses: Object.fromEntries(
            [...errors]
              .sort()
              .map((status) => [
                status,
                { description: ERROR_TEXTS[status]!, content: problemContent(Number(status)) },
              ]),
          ),
          ...(guarded && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
        },
        ...(guarded && { security: [{ bearer: [] }] }),
      },
    }),
  );
  for (const { method, path, detail } of described) documented.route(method, path, () => '', { detail });
  const answer = async (path: string) => (await documented.handle(new Request(`http://localhost${path}`))).text();
  return {
    document: await answer('/generated/openapi.json'),
    page: (await answer('/generated/docs'))
      .replaceAll(/https:\/\/unpkg\.com\/[^"\s]{1,200}\.js/g, SCRIPT_PATH)
      // Without an icon of its own the page makes browsers ask for one that does not exist.
      .replace('</head>', '<link rel="icon" href="data:,">\n</head>'),
  };
}

function jsonText(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}

function htmlText(text: string): Response {
  return new Response(text, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_SECURITY_POLICY },
  });
}

function asset(path: string, contentType: string): Response {
  return new Response(Bun.file(path), {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' },
  });
}

/** A constant, because the generator's type leaves out `url`, without which the page guesses a relative address. */
const PAGE_OPTIONS = {
  url: '/openapi.json',
  validatorUrl: 'none',
  defaultModelsExpandDepth: 0,
  persistAuthorization: true,
};

const INFO = {
  title: 'agent',
  version: VERSION,
  description:
    'Research with reviewable, resumable runs, and content generation. Errors are `application/problem+json` (RFC 9457).',
  license: { name: 'MIT' },
};

const TAGS = [
  { name: 'Chat', description: 'Research runs as event streams.' },
  { name: 'Runs', description: 'Look at runs, replay, cancel or finish them.' },
  { name: 'Threads', description: 'Conversations with their plan, report and citations.' },
  { name: 'Content', description: 'Speech, podcasts, slides, prose, prompts, reports.' },
  { name: 'Knowledge', description: 'Private documents.' },
  { name: 'MCP', description: 'Tools of MCP servers, and the agent as one.' },
  { name: 'OpenAI', description: 'The agent as a model of OpenAI’s API.' },
  { name: 'Server', description: 'Health and configuration.' },
];

/** Groups of codes that no address of the API answers with. */
const ELSEWHERE = new Set(['Command line', 'Webhooks', 'Deliveries of webhooks', 'Pictures of a deck']);

/** A problem document, with an example for every code of the status; its `detail` is the help of the handbook's page. */
function problemContent(status: number) {
  const rows = Object.entries(ERROR_GROUPS).flatMap(([name, group]) => (ELSEWHERE.has(name) ? [] : Object.keys(group)));
  const examples = rows
    .filter((code) => errorKind(code).status === status)
    .map((code) => [code, { value: toProblem(storedError(code, errorKind(code).help), 'req_0') }]);
  const schema = { $ref: '#/components/schemas/Problem' };
  return { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } };
}

const ERROR_TEXTS: Record<string, string> = {
  400: 'The request is malformed, or a setting it needs is missing.',
  401: 'The bearer token is missing or wrong.',
  403: 'This is disabled on this server, or not for pages of this origin.',
  404: 'There is no such thing.',
  409: 'The thing is in another state.',
  413: 'The request body is too large.',
  415: 'The request body has a media type that is not read here.',
  422: 'The request does not match the schema.',
  429: 'Too many requests.',
  500: 'The server or a provider failed; `code` tells which.',
  501: 'The configured provider cannot do this.',
  503: 'The server is busy or stopping.',
};
