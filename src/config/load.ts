import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { type TSchema, Value } from '../schema.ts';
import { describeAllowed } from './allowed.ts';
import { withDefaults } from './defaults.ts';
import { readDotenvFile } from './dotenv-file.ts';
import { resolveHome } from './home.ts';
import { addTree, addVariables, type Layers } from './layers.ts';
import { deriveDefaults, RULES } from './rules.ts';
import { type Config, ConfigSchema } from './schema.ts';
import { secretNames } from './secret-names.ts';
import type { Origin, Problem } from './source.ts';
import { kindOf } from './walk.ts';
import { readYamlFile } from './yaml-file.ts';

export type Environment = Record<string, string | undefined>;
export type DeepPartial<T> = T extends unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;

export interface LoadConfigOptions {
  /** Variables; the process environment when absent. */
  env?: Environment;
  /** Values given on the command line. */
  flags?: DeepPartial<Config>;
  /** Agent home instead of `AGENT_HOME`. */
  homeOverride?: string;
}

export interface LoadedConfig {
  config: Config;
  /** Agent home, absolute; not created by loading. */
  home: string;
  /** Origin by dotted path; what is missing has its default. */
  origins: Map<string, Origin>;
  /** Process environment over `<home>/.env`: what `${NAME}` in hand-written files stands for. */
  environment: Environment;
  /**
   * Takes the secrets out of the process environment, where every program that is started without one of its own would
   * find them, and returns their names. For commands that go on running; nothing is read again afterwards.
   */
  forgetSecrets(): string[];
}

/**
 * Reads the configuration: defaults, then `<home>/config.yaml`, `<home>/.env`, the environment and flags, each over the
 * one before. Throws one `config_invalid` error that lists every problem with its origin and what is allowed.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  // A copy: the process's own object asks the system on every look.
  const env = definedOf(options.env ?? process.env);
  const home = resolveHome(env, options.homeOverride);
  const dotenv = await readDotenvFile(join(home, '.env'));
  const environment = { ...dotenv.variables, ...env };
  const yaml = await readYamlFile(join(home, 'config.yaml'), environment);

  const layers: Layers = { value: {}, origins: new Map(), problems: [...yaml.problems] };
  if (dotenv.problem) layers.problems.push(dotenv.problem);
  addTree(layers, ConfigSchema, yaml.value, (path) => ({
    source: 'file',
    label: `config.yaml:${yaml.lineOf(path) ?? 1}`,
  }));
  addVariables(layers, ConfigSchema, dotenv.variables, (name) => ({
    source: 'dotenv',
    label: `.env:${dotenv.lineOf(name) ?? 1} (${name})`,
  }));
  addVariables(layers, ConfigSchema, env, (name) => ({ source: 'environment', label: `environment (${name})` }));
  addTree(layers, ConfigSchema, (options.flags ?? {}) as Record<string, unknown>, () => ({
    source: 'flag',
    label: 'flag',
  }));

  const config = withDefaults(ConfigSchema, layers.value) as Config;
  deriveDefaults(config.models as Record<string, unknown>);
  const problems = [...layers.problems, ...invalidValues(config, layers.origins)];
  // A section that is not even a mapping would break the rules; its own problem is already in the list.
  if (Object.values(config).every(isRecord))
    for (const rule of RULES) problems.push(...rule(config).map((problem) => withOrigin(problem, layers.origins)));
  if (problems.length > 0) throw configError(problems);
  const forgetSecrets = options.env ? () => [] : forgetProcessSecrets;
  return { config, home, origins: layers.origins, environment, forgetSecrets };
}

function forgetProcessSecrets(): string[] {
  const names = secretNames(ConfigSchema, Object.keys(process.env));
  for (const name of names) delete process.env[name];
  return names;
}

function definedOf(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

function invalidValues(config: Config, origins: Map<string, Origin>): Problem[] {
  const problems = new Map<string, Problem>();
  if (Value.Check(ConfigSchema, config)) return [];
  for (const error of Value.Errors(ConfigSchema, config)) {
    const path = error.path.slice(1).replaceAll('/', '.');
    if (problems.has(path)) continue;
    const allowed = describeAllowed(error.schema);
    const message =
      error.value === undefined
        ? `is missing; it must be ${allowed}.`
        : `${hides(error.schema) ? 'has a value that' : `is ${shortJson(error.value)}, which`} is not allowed; it must be ${allowed}.`;
    problems.set(path, withOrigin({ path, message }, origins));
  }
  return [...problems.values()];
}

function withOrigin(problem: Problem, origins: Map<string, Origin>): Problem {
  for (let path = problem.path; path; path = path.slice(0, Math.max(path.lastIndexOf('.'), 0))) {
    const origin = origins.get(path);
    if (origin) return { ...problem, origin: origin.label };
  }
  return problem;
}

/** A key pasted one level too high is a secret too: only plain values of plain keys are repeated. */
function hides(schema: TSchema): boolean {
  return schema['secret'] === true || kindOf(schema) !== 'leaf';
}

function shortJson(value: unknown): string {
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a mapping';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function configError(problems: Problem[]): AppError {
  const lines = problems.map((problem) => ({
    path: problem.path,
    message: `${problem.message}${problem.origin ? ` [${problem.origin}]` : ''}`,
  }));
  const count = `${lines.length} ${lines.length === 1 ? 'problem' : 'problems'}`;
  return new AppError(
    `The configuration has ${count}:\n${lines.map((line) => `  ${line.path} ${line.message}`).join('\n')}`,
    { code: 'config_invalid', category: 'user', status: 500, errors: lines, multiline: true },
  );
}
