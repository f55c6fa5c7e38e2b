#!/usr/bin/env bun
// Rewrites the event tables of the handbook from the schemas of the events (src/research/events.ts). Run it after
// changing one; a test compares: bun scripts/event-tables.ts
import { join } from 'node:path';
import { PODCAST_EVENTS, RESEARCH_EVENTS } from '../src/research/events.ts';

/** The handbook's pages that have such a table, and what stands in it. */
export const EVENT_PAGES: [file: string, events: Record<string, { description?: string }>][] = [
  [join(import.meta.dir, '../src/handbook/chat-stream.md'), RESEARCH_EVENTS],
  [join(import.meta.dir, '../src/handbook/podcasts.md'), PODCAST_EVENTS],
];

const TABLE = /^\| Event \| Payload \|\n(\|.*\n)+/m;

/** The page with its table as the schemas say. */
export function withEventTable(page: string, events: Record<string, { description?: string }>): string {
  const rows = Object.entries(events).map(([name, { description }]) => `| \`${name}\` | ${description} |\n`);
  if (!TABLE.test(page)) throw new Error('The page has no table of events.');
  return page.replace(TABLE, () => `| Event | Payload |\n|---|---|\n${rows.join('')}`);
}

if (import.meta.main)
  for (const [file, events] of EVENT_PAGES) await Bun.write(file, withEventTable(await Bun.file(file).text(), events));
