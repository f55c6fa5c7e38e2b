import { createHash } from 'node:crypto';
import { fail } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { type Static, Type } from '../schema.ts';
import type { McpTool } from './model.ts';

/** A tool as it was when it was approved; the texts are for showing a change, the digest decides. */
export const PinnedTool = Type.Object({
  name: Type.String(),
  digest: Type.String(),
  description: Type.String(),
  schema: Type.String(),
});
export type PinnedTool = Static<typeof PinnedTool>;

/** What a server says of a tool that reaches a model or decides how the tool is used (MCP specification, `Tool`). */
const PINNED_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];
const MAX_DEPTH = 100;
/** Texts are kept of so many tools and up to this length; digests are kept of all. */
const MAX_TEXTS = 300;
const MAX_TEXT = 4000;

/** Pins a list of tools. Throws `upstream_rejected` for a schema nested deeper than any real one. */
export function pinTools(tools: readonly McpTool[]): PinnedTool[] {
  return tools.map((tool, index) => {
    const texts = index < MAX_TEXTS;
    const schema = canonical(tool.inputSchema ?? {});
    return {
      name: tool.name,
      digest: digestOfTool(tool),
      description: texts ? describe(tool).slice(0, MAX_TEXT) : '',
      schema: texts ? schema.slice(0, MAX_TEXT) : '',
    };
  });
}

/** How a list of tools differs from the pinned one; all names. */
export interface ToolChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

/** Compares what a server offers with what was pinned. */
export function comparePins(pinned: readonly PinnedTool[], offered: readonly PinnedTool[]): ToolChanges {
  const before = new Map(pinned.map((tool) => [tool.name, tool.digest]));
  const names = new Set(offered.map((tool) => tool.name));
  return {
    added: offered.filter((tool) => !before.has(tool.name)).map((tool) => tool.name),
    changed: offered
      .filter((tool) => before.has(tool.name) && before.get(tool.name) !== tool.digest)
      .map((tool) => tool.name),
    removed: [...before.keys()].filter((name) => !names.has(name)),
  };
}

function describe(tool: McpTool): string {
  return [tool.title, tool.description].filter((text) => typeof text === 'string').join('\n');
}

function digestOfTool(tool: McpTool): string {
  const fields = Object.fromEntries(PINNED_FIELDS.map((name) => [name, tool[name as keyof McpTool]]));
  return createHash('sha256').update(canonical(fields)).digest('hex');
}

/** JSON with sorted keys: some servers write theirs in another order at every start. */
function canonical(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH)
    throw fail('upstream_rejected', 'The MCP server describes a tool with a schema that is nested too deeply.');
  if (Array.isArray(value)) return `[${value.map((entry) => canonical(entry, depth + 1)).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], depth + 1)}`);
  return `{${entries.join(',')}}`;
}
