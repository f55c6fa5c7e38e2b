import { isRecord } from '../../lib/json.ts';
import { type Check, type DoctorContext, type Finding, probe } from './check.ts';

const area = 'search';
/** Engines that need a key or an address of yours, and the variable that gives it. */
const NEEDS: Record<string, { key: string; variable: string }> = {
  tavily: { key: 'api_key', variable: 'TAVILY_API_KEY' },
  brave_search: { key: 'api_key', variable: 'BRAVE_SEARCH_API_KEY' },
  serper: { key: 'api_key', variable: 'SERPER_API_KEY' },
  searx: { key: 'base_url', variable: 'SEARX_HOST' },
};
const WITHOUT_KEY = ['duckduckgo', 'wikipedia', 'arxiv'];

/** The search engines have what they need and the first one can be reached. */
export const checkSearch: Check = async (context) => {
  const chosen = context.config.search.engines;
  const ready = (chosen ?? automaticEngines(context)).filter((name) => !missingSetting(context, name));
  const findings: Finding[] = (chosen ?? []).flatMap((name) => {
    const missing = missingSetting(context, name);
    return missing
      ? [{ area, status: 'warn' as const, message: `${name} is chosen but not usable.`, advice: [`Set ${missing}.`] }]
      : [];
  });
  const first = ready[0];
  if (!first)
    return [
      ...findings,
      {
        area,
        status: 'fail',
        message: 'No chosen search engine is usable.',
        advice: ['Set search.engines (SEARCH_API), for example to duckduckgo.'],
      },
    ];
  const address = settingsOf(context, first)['base_url'];
  if (typeof address !== 'string') return findings;
  const result = await probe(context, address);
  if ('failure' in result)
    return [
      ...findings,
      {
        area,
        status: 'warn',
        message: `${first} cannot be reached: ${result.failure}.`,
        advice: ['Without web search, research uses your knowledge only (--no-web says so at once).'],
      },
    ];
  return [...findings, { area, status: 'ok', message: `${ready.join(', ')}: ${first} can be reached.` }];
};

/** What is used when nothing is chosen: the first engine with a key, then those that need none. */
function automaticEngines(context: DoctorContext): string[] {
  const withKey = Object.keys(NEEDS).find((name) => !missingSetting(context, name));
  return [...(withKey ? [withKey] : []), 'duckduckgo', 'wikipedia'];
}

function missingSetting(context: DoctorContext, name: string): string | undefined {
  const need = NEEDS[name];
  if (!need) return WITHOUT_KEY.includes(name) ? undefined : `search.engines to known names, not ${name}`;
  return settingsOf(context, name)[need.key] ? undefined : need.variable;
}

function settingsOf(context: DoctorContext, name: string): Record<string, unknown> {
  const settings = (context.config.search as Record<string, unknown>)[name];
  return isRecord(settings) ? settings : {};
}
