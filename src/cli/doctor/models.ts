import { join } from 'node:path';
import { maskUrl } from '../../config/print.ts';
import type { RoleConfig } from '../../config/sections/models.ts';
import { isRecord } from '../../lib/json.ts';
import { withoutTrailingSlashes } from '../../lib/trim.ts';
import { type Check, type DoctorContext, type Finding, jsonOf, probe, probeJson } from './check.ts';

const area = 'models';
const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const ROLES = ['basic', 'reasoning', 'vision', 'code', 'embedding'] as const;

/** Every configured model's endpoint answers; local model servers that could be used are named. */
export const checkModels: Check = async (context) => {
  const { models } = context.config;
  const findings: Finding[] = [];
  for (const role of ROLES) {
    const settings: RoleConfig | undefined = models[role];
    if (!settings?.model) continue;
    findings.push(await checkEndpoint(context, role, settings));
  }
  if (!models.basic?.model)
    findings.unshift({
      area,
      status: 'ok',
      message: 'No language model is configured: the embedded extractive engine quotes sources, it does not write.',
      advice: ['For real writing put OPENAI_API_KEY (and OPENAI_BASE_URL, OPENAI_MODEL) into the .env of the home.'],
    });
  findings.push(...(await findLocalServers(context)));
  return findings;
};

async function checkEndpoint(context: DoctorContext, role: string, settings: RoleConfig): Promise<Finding> {
  const base = withoutTrailingSlashes(settings.base_url ?? OPENAI_BASE_URL);
  const name = `${role}: ${settings.model} at ${maskUrl(base)}`;
  const result = await probe(
    context,
    `${base}/models`,
    settings.api_key ? { authorization: `Bearer ${settings.api_key}` } : {},
  );
  if ('failure' in result)
    return { area, status: 'fail', message: `${name}: ${result.failure}.`, advice: [`Check models.${role}.base_url.`] };
  const { status } = result.response;
  if (status === 401 || status === 403)
    return {
      area,
      status: 'fail',
      message: `${name}: the key is refused (${status}).`,
      advice: [`Check models.${role}.api_key${role === 'basic' ? ' (OPENAI_API_KEY)' : ''}.`],
    };
  // Gateways without a model list are fine; they answered.
  if (status === 404 || status === 405) return { area, status: 'ok', message: `${name}: answers (has no model list).` };
  if (!result.response.ok) return { area, status: 'warn', message: `${name}: answers with status ${status}.` };
  const ids = modelIds(await jsonOf(result.response));
  if (ids && !ids.includes(settings.model as string))
    return {
      area,
      status: 'warn',
      message: `${name}: the endpoint does not list this model.`,
      advice: [`It lists ${ids.slice(0, 8).join(', ') || 'none'}${ids.length > 8 ? ', …' : ''}.`],
    };
  return { area, status: 'ok', message: `${name}: answers.` };
}

async function findLocalServers(context: DoctorContext): Promise<Finding[]> {
  const { ollama, lmStudio } = context.localServers;
  const [tags, list] = await Promise.all([
    probeJson(context, `${ollama}/api/tags`),
    probeJson(context, `${lmStudio}/v1/models`),
  ]);
  const findings: Finding[] = [];
  const tagged = isRecord(tags) && Array.isArray(tags['models']) ? tags['models'] : undefined;
  if (tagged)
    findings.push(
      localServer(
        context,
        'Ollama',
        ollama,
        namesOf(tagged, 'name'),
        'ollama',
        'Fetch one first: ollama pull qwen3:4b',
      ),
    );
  const ids = modelIds(list);
  if (ids) findings.push(localServer(context, 'LM Studio', lmStudio, ids, 'lm-studio', 'Load one in LM Studio first.'));
  return findings;
}

function localServer(
  context: DoctorContext,
  product: string,
  address: string,
  names: string[],
  key: string,
  emptyAdvice: string,
): Finding {
  const base = `${address}/v1`;
  const used = context.config.models.basic?.base_url ?? '';
  if (withoutTrailingSlashes(used) === base)
    return { area, status: 'ok', message: `${product} at ${address} is in use.` };
  const writers = names.filter((name) => !/embed|bge-|rerank/i.test(name));
  const embedder = names.find((name) => /embed|bge-/i.test(name));
  if (writers.length === 0)
    return {
      area,
      status: 'ok',
      message: `${product} runs at ${address} but has no chat model.`,
      advice: [emptyAdvice],
    };
  return {
    area,
    status: 'ok',
    message: `${product} runs at ${address} with ${writers.slice(0, 6).join(', ')}${writers.length > 6 ? ', …' : ''}.`,
    advice: [
      `To use it, put these lines into ${join(context.home, '.env')}:`,
      `OPENAI_BASE_URL=${base}`,
      `OPENAI_MODEL=${writers[0]}`,
      `OPENAI_API_KEY=${key}`,
      ...(embedder ? [`EMBEDDING_MODEL__base_url=${base}`, `EMBEDDING_MODEL__model=${embedder}`] : []),
    ],
  };
}

function modelIds(answer: unknown): string[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer['data'])) return undefined;
  return namesOf(answer['data'], 'id');
}

function namesOf(rows: unknown[], key: string): string[] {
  return rows.flatMap((row) => (isRecord(row) && typeof row[key] === 'string' ? [row[key] as string] : []));
}
