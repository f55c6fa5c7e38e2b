import type { ExtractedDocument } from './document.ts';

const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;

/** Reads Markdown: front matter gives title and description, everything else stays as written. */
export async function extractMarkdown(source: string): Promise<ExtractedDocument> {
  const matter = FRONT_MATTER.exec(source);
  if (!matter) return { text: source, syntax: 'markdown' };
  const fields = await readFields(matter[1]!);
  if (!fields) return { text: source, syntax: 'markdown' };
  return { ...fields, text: source.slice(matter[0].length), syntax: 'markdown' };
}

async function readFields(yaml: string): Promise<{ title?: string; description?: string } | undefined> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(yaml, { maxAliasCount: 20, logLevel: 'error' });
  } catch {
    // A thematic break that only looks like front matter: it is part of the text.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { title, description } = value as Record<string, unknown>;
  return {
    ...(typeof title === 'string' || typeof title === 'number' ? { title: String(title) } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}
