import type { ModelRequest } from '../model.ts';
import type { AgentTask } from '../task.ts';
import type { Breathe } from './breathe.ts';
import { citable, citeQuote, link, readQuotes } from './cite.ts';
import { buildCorpus, type QuoteSource } from './corpus.ts';
import { topicOf, withoutAspect } from './decompose.ts';
import { spokenLanguage } from './language.ts';
import { phrasesOf } from './phrases/phrases.ts';
import { buildQuery, coverage, selectQuotes } from './rank.ts';
import { CRAWL, LOCAL_SEARCH, readToolResults, type ToolResults, WEB_SEARCH } from './tool-results.ts';

type StepTask = Extract<AgentTask, { kind: 'step' }>;

/** The next move of a step: tools to call, or its finding. */
export type StepMove =
  | { kind: 'call'; calls: { name: string; args: Record<string, unknown> }[] }
  | { kind: 'finding'; text: string };

const MAX_PAGES = 2;

/** One round of a research step: search first, then read the best pages, then quote what answers. */
export async function workStep(task: StepTask, request: ModelRequest, breathe: Breathe): Promise<StepMove> {
  const offered = new Set((request.tools ?? []).map((tool) => tool.name));
  const results = readToolResults(request.messages);
  const query = searchQuery(task);
  const wasCalled = (name: string) => results.calls.some((call) => call.name === name);
  const searches = [
    ...(offered.has(LOCAL_SEARCH) && !wasCalled(LOCAL_SEARCH)
      ? [{ name: LOCAL_SEARCH, args: { keywords: query } }]
      : []),
    ...(offered.has(WEB_SEARCH) && !wasCalled(WEB_SEARCH) ? [{ name: WEB_SEARCH, args: { query } }] : []),
  ];
  if (searches.length > 0 && !wasCalled(LOCAL_SEARCH) && !wasCalled(WEB_SEARCH))
    return { kind: 'call', calls: searches };
  const again = retrySearch(task, results, offered, query);
  if (again.length > 0) return { kind: 'call', calls: again };
  if (offered.has(CRAWL) && !wasCalled(CRAWL)) {
    const pages = await bestPages(results.web, query, breathe);
    if (pages.length > 0) return { kind: 'call', calls: pages.map((url) => ({ name: CRAWL, args: { url } })) };
  }
  return { kind: 'finding', text: await writeFinding(task, results, query, breathe) };
}

/** The words a step searches with: the question its description quotes, else its title and the topic of the question. */
export function searchQuery(task: { question: string; step: { title: string; description: string } }): string {
  const quoted = /[“„«「]([^“”„«»「」\n]{3,300})[”“»」]/u.exec(task.step.description)?.[1]?.trim();
  if (quoted) return quoted;
  const plain = `${task.step.title} ${topicOf(task.question, 5)}`.replace(/\s+/g, ' ').trim();
  return plain.slice(0, 300).toWellFormed() || task.question.slice(0, 300).toWellFormed();
}

/** Searches that came back empty are tried once more with the topic of the whole question. */
function retrySearch(
  task: StepTask,
  results: ToolResults,
  offered: Set<string>,
  query: string,
): { name: string; args: Record<string, unknown> }[] {
  if (results.local.length > 0 || results.web.length > 0 || results.failures.length > 0) return [];
  const wider = topicOf(task.question);
  if (wider === '' || wider === query) return [];
  return [
    { name: LOCAL_SEARCH, args: { keywords: wider } },
    { name: WEB_SEARCH, args: { query: wider } },
  ].filter(({ name }) => offered.has(name) && results.calls.filter((call) => call.name === name).length === 1);
}

async function bestPages(web: QuoteSource[], query: string, breathe: Breathe): Promise<string[]> {
  const words = buildQuery([query, 1]);
  const ranked: { url: string; score: number }[] = [];
  for (const [index, source] of citable(web).entries()) {
    await breathe();
    if (!/^https?:\/\//i.test(source.url) || ranked.some(({ url }) => url === source.url)) continue;
    const share = coverage(words, [source.title, source.content.slice(0, 4000)]);
    ranked.push({ url: source.url, score: share + 0.2 / (index + 1) });
  }
  ranked.sort((a, b) => b.score - a.score);
  return ranked.slice(0, MAX_PAGES).map(({ url }) => url);
}

async function writeFinding(task: StepTask, results: ToolResults, query: string, breathe: Breathe): Promise<string> {
  const spoken = phrasesOf(spokenLanguage(task.locale));
  const phrases = spoken.step;
  // A page that was read stands for the search engine's extract of it.
  const read = new Set(results.pages.map((page) => page.url));
  const sources = citable([...results.local, ...results.pages, ...results.web.filter((hit) => !read.has(hit.url))]);
  const isGathering = sources.length === 0 && results.calls.length === 0;
  const material = isGathering ? citable(earlierQuotes(task)) : sources;
  const corpus = await buildCorpus(material, breathe);
  const limit = Math.min(8, Math.max(4, task.maxResults * 2));
  const words = buildQuery(
    [withoutAspect(query, spoken), 1],
    [withoutAspect(task.step.title, spoken), 0.6],
    [task.question, 0.4],
  );
  const quotes = await selectQuotes(corpus, words, { limit, used: new Set(), breathe });
  const failures = results.failures.map((reason) => phrases.failed(reason));
  if (quotes.length === 0) {
    if (isGathering) return phrases.noTools;
    return [...failures, ...(failures.length > 0 && sources.length === 0 ? [] : [phrases.nothing(query)])].join('\n\n');
  }
  const cited = [...new Map(quotes.map((quote) => [quote.url, link(quote)])).values()];
  const lead = isGathering ? phrases.gathered(quotes.length) : phrases.found(quotes.length, cited.slice(0, 4));
  return [lead, ...quotes.map(citeQuote), ...failures].join('\n\n');
}

/** The quotes of the findings at hand, for steps that have no tools of their own. */
function earlierQuotes(task: StepTask): QuoteSource[] {
  const byUrl = new Map<string, QuoteSource>();
  for (const finding of task.findings) {
    if (finding.failed) continue;
    for (const { text, title, url } of readQuotes(finding.result)) {
      const known = byUrl.get(url);
      byUrl.set(url, { title, url, content: known ? `${known.content}\n\n${text}` : text });
    }
  }
  return [...byUrl.values()];
}
