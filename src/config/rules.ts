import type { Config } from './schema.ts';
import { missingProviderSettings } from './sections/knowledge-providers.ts';
import type { RoleConfig } from './sections/models.ts';
import type { Problem } from './source.ts';

/** Model used when only `OPENAI_API_KEY` is set. */
const DEFAULT_MODEL = 'gpt-4o-mini';

type Rule = (config: Config) => Problem[];

/** What no single key can say: rules between keys, checked after every key is valid by itself. */
export const RULES: Rule[] = [
  function rolesNameTheirModel({ models }) {
    const problems: Problem[] = [];
    for (const role of ['basic', 'reasoning', 'vision', 'code', 'embedding'] as const) {
      const settings: RoleConfig | undefined = models[role];
      if (!settings || settings.model) continue;
      const given = settings.base_url ? 'base_url' : settings.api_key ? 'api_key' : undefined;
      if (!given) continue;
      const variable = role === 'basic' ? 'OPENAI_MODEL' : `${role.toUpperCase()}_MODEL__model`;
      problems.push({
        path: `models.${role}.${given}`,
        message: `is set but the model is not; set ${variable} or models.${role}.model to the name the endpoint knows.`,
      });
    }
    return problems;
  },
  function searchEnginesAreKnown({ search }) {
    // Every engine has a section of its own.
    const known = Object.entries(search).flatMap(([name, value]) => (isEngine(value) ? [name] : []));
    const unknown = (search.engines ?? []).filter((name) => !known.includes(name.trim().toLowerCase()));
    return unknown.map((name) => ({
      path: 'search.engines',
      message: `has "${name}", which is not allowed; each must be one of ${known.join(', ')}.`,
    }));
  },
  function knowledgeProviderIsSetUp({ knowledge }) {
    return missingProviderSettings(knowledge).map(({ key, variable }) => ({
      path: `knowledge.${key}`,
      message: `is missing; the knowledge provider ${knowledge.provider} needs it. Set ${variable} or knowledge.${key}.`,
    }));
  },
];

function isEngine(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fills what follows from other keys: an OpenAI key alone means OpenAI's small model. */
export function deriveDefaults(models: Record<string, unknown>): void {
  const basic = models['basic'] as RoleConfig | undefined;
  if (basic?.api_key && !basic.base_url && !basic.model) basic.model = DEFAULT_MODEL;
}
