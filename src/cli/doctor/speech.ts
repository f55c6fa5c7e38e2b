import { withoutTrailingSlashes } from '../../lib/trim.ts';
import { openAiSpeechEndpoint } from '../../speech/create-engine.ts';
import { type Check, type DoctorContext, type Finding, probe } from './check.ts';

const area = 'speech';
const LOCAL_VOICE = [
  'For a voice on this machine (Debian: apt-get install espeak-ng) set SPEECH_PROVIDER=command',
  'For Volcengine set PROVIDER_TTS_APPID and PROVIDER_TTS_ACCESS_TOKEN.',
];

/** The speech engine has its settings, and its program or server is there. Nothing is spoken: that may cost money. */
export const checkSpeech: Check = async (context) => {
  const { provider } = context.config.speech;
  if (provider === 'command') return [checkProgram(context.config.speech.command.program)];
  if (provider === 'openai') return [await checkServer(context)];
  return [checkVolcengine(context)];
};

function checkVolcengine({ config }: DoctorContext): Finding {
  const { app_id: appId, access_token: token } = config.speech.volcengine;
  if (appId && token) return { area, status: 'ok', message: 'Volcengine has its application id and token.' };
  if (!appId && !token)
    return { area, status: 'ok', message: 'Speech is not set up; podcasts need it.', advice: LOCAL_VOICE };
  const missing = appId ? 'PROVIDER_TTS_ACCESS_TOKEN' : 'PROVIDER_TTS_APPID';
  return { area, status: 'warn', message: 'Volcengine has only half of its settings.', advice: [`Set ${missing}.`] };
}

function checkProgram(program: string): Finding {
  const path = Bun.which(program);
  if (path) return { area, status: 'ok', message: `${program} speaks (${path}).` };
  return {
    area,
    status: 'fail',
    message: `The speech program ${program} is not installed.`,
    advice: ['Install it (Debian: apt-get install espeak-ng), or set speech.command.program (SPEECH_COMMAND).'],
  };
}

async function checkServer(context: DoctorContext): Promise<Finding> {
  const { speech, models } = context.config;
  const { baseUrl, apiKey } = openAiSpeechEndpoint(speech.openai, models.basic);
  const address = `${withoutTrailingSlashes(baseUrl)}/models`;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : 'with an invalid address';
  const result = await probe(context, address, apiKey ? { authorization: `Bearer ${apiKey}` } : {});
  const name = `The speech server ${host}`;
  if ('failure' in result)
    return {
      area,
      status: 'fail',
      message: `${name} cannot be reached: ${result.failure}.`,
      advice: ['Check speech.openai.base_url (SPEECH_BASE_URL).'],
    };
  if (result.response.status === 401 || result.response.status === 403)
    return {
      area,
      status: 'fail',
      message: `${name} answers, but the key is refused.`,
      advice: ['Set speech.openai.api_key (SPEECH_API_KEY).'],
    };
  return { area, status: 'ok', message: `${name} answers.` };
}
