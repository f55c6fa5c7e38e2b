/** Longest name model providers accept. */
const MAX_LENGTH = 64;
/** Tools the agents have of their own; a server's tool of the same name is prefixed. */
const OWN_TOOLS = [
  'local_search_tool',
  'web_search',
  'crawl_tool',
  'python_repl_tool',
  'javascript_repl_tool',
  'handoff_to_planner',
];

/** A tool of a server under the name the model calls. */
export interface NamedTool<T> {
  exposed: string;
  entry: T;
}

/**
 * Names the tools of several servers for one agent: their own names where these are unique, `server__tool` where two
 * servers (or a tool of ours) share one; only letters, digits, `_` and `-`, at most 64 of them.
 */
export function nameTools<T extends { server: string; tool: string }>(entries: readonly T[]): NamedTool<T>[] {
  const owners = new Map<string, Set<string>>();
  for (const { server, tool } of entries) {
    const key = sanitize(tool);
    owners.set(key, (owners.get(key) ?? new Set()).add(server));
  }
  const used = new Set(OWN_TOOLS);
  return entries.map((entry) => {
    const plain = sanitize(entry.tool);
    const isShared = (owners.get(plain)?.size ?? 0) > 1 || OWN_TOOLS.includes(plain);
    const exposed = unique(isShared ? sanitize(`${entry.server}__${entry.tool}`) : plain, used);
    used.add(exposed);
    return { exposed, entry };
  });
}

function sanitize(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_LENGTH) || 'tool';
}

function unique(name: string, used: ReadonlySet<string>): string {
  if (!used.has(name)) return name;
  for (let number = 2; ; number++) {
    const suffix = `_${number}`;
    const candidate = name.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!used.has(candidate)) return candidate;
  }
}
