import { type AppError, fail } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { Value } from '../schema.ts';
import { checkServer, type McpPolicy } from './check-server.ts';
import { type FieldProblem, McpServerSetting, type McpServerSpec, TOOL_AGENTS } from './model.ts';

const MAX_SERVERS = 20;
/** Agents that never call tools; harmless in `add_to_agents`, and old clients send them. */
const OTHER_AGENTS = ['coordinator', 'planner', 'reporter'];

/** `mcp_settings` that may be used, or everything that is wrong with it. */
export type SettingsCheck = { ok: true; servers: McpServerSpec[] } | { ok: false; problems: FieldProblem[] };

/** Checks `mcp_settings` of a chat request; touches neither a program nor the network. */
export function checkMcpSettings(settings: unknown, policy: McpPolicy, defaultTimeoutMs: number): SettingsCheck {
  if (settings === null || settings === undefined) return { ok: true, servers: [] };
  const root = '/mcp_settings';
  const refuse = (path: string, message: string): SettingsCheck => ({ ok: false, problems: [{ path, message }] });
  if (!isRecord(settings)) return refuse(root, 'Expected object');
  const named = settings['servers'] ?? {};
  if (!isRecord(named)) return refuse(`${root}/servers`, 'Expected object');
  const entries = Object.entries(named);
  if (entries.length > MAX_SERVERS) return refuse(`${root}/servers`, `At most ${MAX_SERVERS} servers.`);
  const problems: FieldProblem[] = [];
  const servers: McpServerSpec[] = [];
  for (const [name, setting] of entries) {
    const at = `${root}/servers/${pointerPart(name)}`;
    if (!Value.Check(McpServerSetting, setting)) {
      problems.push(schemaProblem(setting, at));
      continue;
    }
    if (name === '' || name.length > 100 || /\p{Cc}/u.test(name))
      problems.push({ path: at, message: 'The name of a server must be 1 to 100 printable characters.' });
    const agents = setting.add_to_agents ?? ['researcher'];
    const unknown = agents.find((agent) => !isAgent(agent));
    if (unknown !== undefined)
      problems.push({ path: `${at}/add_to_agents`, message: `Must be among ${TOOL_AGENTS.join(', ')}.` });
    const check = checkServer(setting, policy, at);
    if (!check.ok) problems.push(...check.problems);
    else
      servers.push({
        name,
        target: check.target,
        timeoutMs: setting.timeout_seconds ? setting.timeout_seconds * 1000 : defaultTimeoutMs,
        enabledTools: setting.enabled_tools ?? undefined,
        agents,
      });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, servers };
}

/** Refuses bad `mcp_settings` with a 422 that names the field. */
export function validateMcpSettings(settings: unknown, policy: McpPolicy, defaultTimeoutMs = 60_000): McpServerSpec[] {
  const check = checkMcpSettings(settings, policy, defaultTimeoutMs);
  if (!check.ok) throw refusal(check.problems);
  return check.servers;
}

/** The 422 of fields that were refused. */
export function refusal(problems: FieldProblem[]): AppError {
  const first = problems[0];
  const field = first?.path.slice(1).replaceAll('/', '.') ?? '';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const sentence = first?.message.replace(/[.]?$/, '') ?? 'Not valid';
  return fail('invalid_request', `The request is not valid: "${field}": ${sentence}${more}.`, { errors: problems });
}

/** The first violation; for a field that may be null, what was wrong with the value that was meant. */
function schemaProblem(setting: unknown, at: string): FieldProblem {
  const first = Value.Errors(McpServerSetting, setting).First();
  const literals = (first?.schema['anyOf'] ?? []) as { const?: string }[];
  if (literals.length > 0 && literals.every((option) => option.const !== undefined))
    return {
      path: `${at}${first?.path}`,
      message: `Must be one of ${literals.map((option) => option.const).join(', ')}`,
    };
  const inner = first?.errors[0]?.First() ?? first;
  return { path: `${at}${inner?.path ?? ''}`, message: inner?.message ?? 'Not valid' };
}

function isAgent(name: string): boolean {
  return (TOOL_AGENTS as readonly string[]).includes(name) || OTHER_AGENTS.includes(name);
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 120);
}
