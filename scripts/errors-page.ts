#!/usr/bin/env bun
// Writes the handbook's page of error codes from the table in src/errors.ts. Run it after changing a row:
// bun scripts/errors-page.ts
import { join } from 'node:path';
import { ERROR_GROUPS, type ErrorKind } from '../src/errors.ts';

/** Where the page is. */
export const ERRORS_PAGE = join(import.meta.dir, '../src/handbook/errors.md');

const INTRODUCTION = `# Error codes

Every error has a code that never changes its meaning, and a sentence for people. Programs switch on the code: it is \`code\` in the problem documents of the HTTP API, \`error.code\` below \`/v1/\`, \`code\` in an \`error\` event of a stream, \`error.code\` of a run, \`_meta.code\` of a failed MCP tool call, \`code\` in the log, and the first word of the reason in \`agent webhook events\`.

| Column | Meaning |
|---|---|
| Status | HTTP status of the answer; a stream that has begun ends with an event instead, and below \`/v1/\` a 422 is a 400 |
| Fault | \`user\`: the request or the configuration; \`upstream\`: a provider that was called; \`internal\`: the server itself |
| Again | Whether the same call may succeed later; where the server knows better in a single case, its answer says so |
`;

/** The text of the page. */
export function errorsPage(): string {
  const sections = Object.entries(ERROR_GROUPS).map(([name, rows]) => {
    const lines = Object.entries(rows).map(toLine).join('\n');
    return `\n## ${name}\n\n| Code | Status | Fault | Again | What to do |\n|---|---|---|---|---|\n${lines}\n`;
  });
  return INTRODUCTION + sections.join('');
}

function toLine([code, { status, category, retryable, help }]: [string, ErrorKind]): string {
  return `| \`${code}\` | ${status} | ${category} | ${retryable ? 'yes' : 'no'} | ${help.replaceAll('|', '\\|')} |`;
}

if (import.meta.main) await Bun.write(ERRORS_PAGE, errorsPage());
