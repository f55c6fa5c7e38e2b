import { fail } from '../errors.ts';
import type { Passage } from '../knowledge/model.ts';
import { cutToTokens } from '../text/tokens.ts';
import type { RunScope } from './run-scope.ts';
import type { RetrievedSource, Tool } from './tool.ts';

/** Characters of one search hit or passage that go into a prompt. */
const HIT_CHARACTERS = 4000;

/** `web_search`: a JSON array of `{type:"page", title, url, content, score?}`. */
export function createWebSearchTool(scope: RunScope): Tool {
  return {
    reach: 'search',
    definition: {
      name: 'web_search',
      description: 'Search the web. Returns a JSON array of pages with title, url and an extract.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What to search for.' } },
        required: ['query'],
      },
    },
    run: async (args, signal) => {
      const results = await scope.deps.search.search(textArgument(args, 'query', 'web_search'), {
        maxResults: scope.input.maxSearchResults,
        signal,
      });
      const hits = results.map((result) => ({
        ...result,
        content: result.content.slice(0, HIT_CHARACTERS).toWellFormed(),
      }));
      const accessedAt = new Date(scope.deps.clock.now()).toISOString();
      return {
        content: JSON.stringify(hits),
        sources: hits.map((hit) => ({
          url: hit.url,
          title: hit.title,
          content: hit.content,
          score: hit.score ?? null,
          kind: 'web_search',
          accessedAt,
        })),
      };
    },
  };
}

/** `crawl_tool`: `{url, title, crawled_content}` of one page. */
export function createCrawlTool(scope: RunScope): Tool {
  return {
    definition: {
      name: 'crawl_tool',
      description: scope.egress.isRestricted
        ? 'Read one web page in full, as Markdown. Only at an address that web_search returned or that stands in the task, copied exactly.'
        : 'Read one web page in full, as Markdown.',
      parameters: {
        type: 'object',
        properties: { url: { type: 'string', description: 'Address of the page.' } },
        required: ['url'],
      },
    },
    run: async (args, signal) => {
      const address = scope.egress.openable(textArgument(args, 'url', 'crawl_tool'));
      const page = await scope.deps.crawler.crawl(address, signal);
      const content = cutToTokens(page.crawled_content, scope.deps.limits.maxToolOutputTokens);
      const accessedAt = new Date(scope.deps.clock.now()).toISOString();
      return {
        content: JSON.stringify({ url: page.url, title: page.title, crawled_content: content }),
        sources: [{ url: page.url, title: page.title, content, score: null, kind: 'crawl', accessedAt }],
      };
    },
  };
}

/** `local_search_tool`: a JSON array of `{title, url, content, score, headings, page?}` from the knowledge base. */
export function createLocalSearchTool(scope: RunScope): Tool {
  return {
    definition: {
      name: 'local_search_tool',
      description: 'Search the private knowledge base. Returns a JSON array of passages. Prefer it to web search.',
      parameters: {
        type: 'object',
        properties: { keywords: { type: 'string', description: 'Keywords or a question.' } },
        required: ['keywords'],
      },
    },
    run: async (args, signal) => {
      const passages = await retrievePassages(scope, textArgument(args, 'keywords', 'local_search_tool'), signal);
      const hits = passages.map((passage) => ({
        title: passageTitle(passage),
        url: passage.uri,
        content: passage.content.slice(0, HIT_CHARACTERS).toWellFormed(),
        score: passage.score,
        ...(passage.headingPath.length > 0 ? { headings: passage.headingPath } : {}),
        ...(passage.page === undefined ? {} : { page: passage.page }),
      }));
      return { content: JSON.stringify(hits), sources: passagesAsSources(scope, passages) };
    },
  };
}

/** The passages for a query, at least as many as web results would be. */
export async function retrievePassages(scope: RunScope, query: string, signal: AbortSignal): Promise<Passage[]> {
  const passages = await scope.deps.knowledge.retrieve(query, {
    ...(scope.input.resources.length > 0 ? { resources: scope.input.resources } : {}),
    limit: Math.max(scope.input.maxSearchResults, 5),
    signal,
  });
  return scope.input.withoutHandbook ? passages.filter(({ uri }) => !uri.startsWith('handbook://')) : passages;
}

/** Passages as sources a report may cite. */
export function passagesAsSources(scope: RunScope, passages: Passage[]): RetrievedSource[] {
  const accessedAt = new Date(scope.deps.clock.now()).toISOString();
  return passages.map((passage) => ({
    url: passage.uri,
    title: passageTitle(passage),
    content: passage.content.slice(0, HIT_CHARACTERS).toWellFormed(),
    score: Number.isFinite(passage.score) ? passage.score : null,
    kind: 'knowledge',
    accessedAt,
  }));
}

/** The document and the section, so that two passages of one document can be told apart. */
function passageTitle({ title, headingPath }: Passage): string {
  const section = headingPath.at(-1);
  return section === undefined || section === title ? title : `${title} › ${section}`;
}

function textArgument(args: Record<string, unknown>, name: string, tool: string): string {
  // Models confuse the parameter names of similar tools; one text argument is meant to be it.
  const texts = Object.values(args).filter(
    (entry): entry is string => typeof entry === 'string' && entry.trim() !== '',
  );
  const value = args[name] ?? (texts.length === 1 ? texts[0] : undefined);
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw fail('invalid_arguments', `${tool} needs the text argument "${name}".`);
}
