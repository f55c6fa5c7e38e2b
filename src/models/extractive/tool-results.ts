import { isRecord, parseJson } from '../../lib/json.ts';
import { parseLenientJson } from '../../lib/lenient-json.ts';
import type { ModelMessage } from '../model.ts';
import type { QuoteSource } from './corpus.ts';

/** The tools a research step knows how to use. */
export const LOCAL_SEARCH = 'local_search_tool';
export const WEB_SEARCH = 'web_search';
export const CRAWL = 'crawl_tool';

/** What the tool messages of one step say. */
export interface ToolResults {
  local: QuoteSource[];
  web: QuoteSource[];
  pages: QuoteSource[];
  /** Arguments of every call made so far, as `name` + JSON text. */
  calls: { name: string; argumentsText: string }[];
  /** Sentences of tools that failed, each once. */
  failures: string[];
}

/** Reads the tool calls and results out of a step's messages. */
export function readToolResults(messages: ModelMessage[]): ToolResults {
  const results: ToolResults = { local: [], web: [], pages: [], calls: [], failures: [] };
  const failures = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { name, argumentsText } of message.toolCalls ?? []) results.calls.push({ name, argumentsText });
    if (message.role !== 'tool') continue;
    const value = readJson(message.content);
    if (value === undefined) {
      const sentence = plainSentence(message.content);
      // A page that cannot be read is normal on the web; a search that fails is worth telling.
      if (sentence && message.name !== CRAWL) failures.add(sentence);
      continue;
    }
    const rows = Array.isArray(value)
      ? value
      : isRecord(value) && Array.isArray(value['results'])
        ? value['results']
        : [value];
    const into = message.name === CRAWL ? results.pages : message.name === LOCAL_SEARCH ? results.local : results.web;
    for (const row of rows) {
      const source = toSource(row);
      if (source) into.push(source);
    }
  }
  results.failures = [...failures];
  return results;
}

function toSource(row: unknown): QuoteSource | undefined {
  if (!isRecord(row)) return undefined;
  const url = text(row['url']) || text(row['uri']);
  const content = text(row['crawled_content']) || text(row['content']);
  if (!url || !content) return undefined;
  return { url, title: text(row['title']) || url, content };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The JSON in a tool message, also between data delimiters and when its end was cut off; undefined when it is a sentence. */
function readJson(content: string): unknown {
  const strict = parseJson(content);
  if (typeof strict === 'object' && strict !== null) return strict;
  const start = content.search(/^[ \t]*[[{]/m);
  if (start < 0) return undefined;
  const end = Math.max(content.lastIndexOf(']'), content.lastIndexOf('}'));
  const inner = parseJson(content.slice(start, end + 1));
  if (typeof inner === 'object' && inner !== null) return inner;
  return parseLenientJson(withoutCutMark(content.slice(start)));
}

/** Without the note at the end that says how much of a result was left out. */
function withoutCutMark(json: string): string {
  const mark = json.lastIndexOf('\n… [');
  const close = mark < 0 ? -1 : json.indexOf(']', mark);
  return close >= 0 && json.length - close <= 200 ? json.slice(0, mark) : json;
}

/** The first lines of an error text as one line without data delimiters. */
function plainSentence(content: string): string {
  const inner = content.replace(/^<<<DATA \S+\n/, '').replace(/\nDATA \S+>>>\s*$/, '');
  return inner
    .replace(/^Error:\s*/i, '')
    .replace(/[<>[\]`*_#|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}
