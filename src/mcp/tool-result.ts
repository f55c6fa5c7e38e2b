import { isRecord, parseJson } from '../lib/json.ts';
import type { ToolResult } from './connection.ts';

const MAX_LINKS = 50;

/** A web address a tool's result names as one of its things, not somewhere in its text. */
export interface ResultLink {
  url: string;
  title: string;
  content: string;
}

/** The result of a call as text: its text parts in order, everything else described; cut at `maxCharacters` with a mark. */
export function readToolResult(result: ToolResult, maxCharacters: number): { content: string; links: ResultLink[] } {
  const items = Array.isArray(result['content']) ? result['content'].filter(isRecord) : [];
  const parts = items.map(describeItem).filter((part) => part !== '');
  const { structuredContent } = result as { structuredContent?: unknown };
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent) ?? '');
  const text = parts.join('\n') || '(The tool returned nothing.)';
  const failed = result['isError'] === true;
  const content = failed && !/^error\b/i.test(text) ? `Error: ${text}` : text;
  return { content: cut(content, maxCharacters), links: failed ? [] : findLinks(items, structuredContent) };
}

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).toWellFormed()}\n… [cut: the tool returned ${text.length} characters]`;
}

function describeItem(item: Record<string, unknown>): string {
  switch (item['type']) {
    case 'text':
      return textOf(item['text']);
    case 'image':
    case 'audio':
      return `[${item['type']} ${textOf(item['mimeType'])}, ${sizeOf(item['data'])}, not shown]`;
    case 'resource_link':
      return `[link: ${[item['title'] ?? item['name'], item['uri'], item['description']].map(textOf).filter(Boolean).join(' — ')}]`;
    case 'resource': {
      const resource = isRecord(item['resource']) ? item['resource'] : {};
      const head = `[resource: ${textOf(resource['uri'])}]`;
      if (typeof resource['text'] === 'string') return `${head}\n${resource['text']}`;
      return `[resource: ${textOf(resource['uri'])} ${textOf(resource['mimeType'])}, ${sizeOf(resource['blob'])}, not shown]`;
    }
    default:
      return '[content of an unknown type, not shown]';
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sizeOf(base64: unknown): string {
  const bytes = Math.floor((textOf(base64).length * 3) / 4);
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} kB`;
}

/** Addresses of resource links, and of objects in JSON results (`url`, `html_url`, `link`), with what stands beside them. */
function findLinks(items: Record<string, unknown>[], structured: unknown): ResultLink[] {
  const links = new Map<string, ResultLink>();
  const add = (url: unknown, title: unknown, content: unknown) => {
    if (typeof url !== 'string' || !/^https?:\/\/[^\s]+$/i.test(url) || links.size >= MAX_LINKS) return;
    if (!links.has(url)) links.set(url, { url, title: textOf(title) || url, content: textOf(content) });
  };
  const walk = (value: unknown, depth: number): void => {
    if (depth === 0 || links.size >= MAX_LINKS) return;
    if (Array.isArray(value)) for (const entry of value) walk(entry, depth - 1);
    else if (isRecord(value)) {
      const { url, html_url, link, href, title, name, description, summary, snippet, content } = value;
      const found = html_url ?? url ?? link ?? href;
      add(found, title ?? name, content ?? snippet ?? summary ?? description);
      for (const entry of Object.values(value)) if (typeof entry === 'object') walk(entry, depth - 1);
    }
  };
  for (const item of items) {
    if (item['type'] === 'resource_link') add(item['uri'], item['title'] ?? item['name'], item['description']);
    const resource = isRecord(item['resource']) ? item['resource'] : undefined;
    if (resource) add(resource['uri'], resource['uri'], resource['text']);
    if (item['type'] === 'text' && /^\s*[[{]/.test(textOf(item['text']))) walk(parseJson(textOf(item['text'])), 6);
  }
  walk(structured, 6);
  return [...links.values()];
}
