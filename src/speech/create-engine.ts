import type { Config } from '../config/schema.ts';
import { createCommandSpeech } from './command.ts';
import { createOpenAiSpeech } from './openai.ts';
import type { SpeechEngine } from './speech.ts';
import { createVolcengine } from './volcengine.ts';

export interface CreateEngineNeeds {
  config: Config['speech'];
  /** The basic model, whose address and key the openai engine uses when it has none of its own. */
  basic?: { base_url?: string; api_key?: string } | undefined;
  fetch: typeof fetch;
  now: () => number;
}

const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The speech engine the configuration names. */
export function createSpeechEngine({ config, basic, fetch, now }: CreateEngineNeeds): SpeechEngine {
  const timeoutMs = config.timeout_seconds * 1000;
  const { volcengine, openai, command } = config;
  if (config.provider === 'openai') {
    return createOpenAiSpeech({
      ...openAiSpeechEndpoint(openai, basic),
      model: openai.model,
      voices: openai.voices,
      timeoutMs,
      fetch,
      now,
    });
  }
  if (config.provider === 'command')
    return createCommandSpeech({
      program: command.program,
      args: command.args,
      ssmlArgs: command.ssml_args,
      voices: command.voices,
      timeoutMs,
    });
  return createVolcengine({
    appId: volcengine.app_id,
    accessToken: volcengine.access_token,
    url: volcengine.url,
    cluster: volcengine.cluster,
    voices: volcengine.voices,
    timeoutMs,
    fetch,
    now,
  });
}

/** Address and key of the openai engine: its own, else those of the basic model. A key goes only to the host it was given for. */
export function openAiSpeechEndpoint(
  openai: Config['speech']['openai'],
  basic: CreateEngineNeeds['basic'],
): { baseUrl: string; apiKey: string | undefined } {
  const baseUrl = openai.base_url ?? basic?.base_url ?? OPENAI_BASE_URL;
  const isShared = originOf(baseUrl) === originOf(basic?.base_url ?? OPENAI_BASE_URL);
  return { baseUrl, apiKey: openai.api_key ?? (isShared ? basic?.api_key : undefined) };
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
