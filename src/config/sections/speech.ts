import { Type } from '../../schema.ts';

const voices = (male: string, female: string) =>
  Type.Object(
    {
      male: Type.String({ default: male, minLength: 1, description: 'Voice of the first speaker of a podcast.' }),
      female: Type.String({ default: female, minLength: 1, description: 'Voice of the second speaker.' }),
    },
    { default: {}, description: 'The two voices of podcasts; `{language}` stands for the language of the text.' },
  );
const secret = (env: string[], description: string) =>
  Type.Optional(Type.String({ minLength: 1, secret: true, env, description }));

/** Text to speech. */
export const SpeechSection = Type.Object(
  {
    provider: Type.Union([Type.Literal('volcengine'), Type.Literal('openai'), Type.Literal('command')], {
      default: 'volcengine',
      env: ['SPEECH_PROVIDER'],
      description: 'The speech engine: Volcengine, an OpenAI-compatible server, or a program on this machine.',
    }),
    timeout_seconds: Type.Number({
      default: 60,
      exclusiveMinimum: 0,
      unit: 'seconds',
      description: 'Longest time for one call of the engine.',
    }),
    max_retries: Type.Integer({
      default: 3,
      minimum: 0,
      maximum: 10,
      description: 'Further attempts after a failure that may pass.',
    }),
    max_concurrency: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 64,
      description: 'Calls of the engine at once in this process.',
    }),
    max_waiting: Type.Integer({
      default: 1000,
      minimum: 1,
      description: 'Calls that may wait for the engine; further ones get 503.',
    }),
    volcengine: Type.Object(
      {
        app_id: Type.Optional(
          Type.String({
            minLength: 1,
            env: ['PROVIDER_TTS_APPID', 'VOLCENGINE_TTS_APPID'],
            description: 'Application id.',
          }),
        ),
        access_token: secret(['PROVIDER_TTS_ACCESS_TOKEN', 'VOLCENGINE_TTS_ACCESS_TOKEN'], 'Access token.'),
        url: Type.String({
          default: 'https://openspeech.bytedance.com/api/v1/tts',
          env: ['PROVIDER_TTS_URL', 'VOLCENGINE_TTS_URL'],
          description: 'Address of the HTTP interface.',
        }),
        cluster: Type.String({
          default: 'volcano_tts',
          env: ['PROVIDER_TTS_CLUSTER', 'VOLCENGINE_TTS_CLUSTER'],
          description: 'Cluster of the voices.',
        }),
        voices: voices('BV002_streaming', 'BV001_streaming'),
      },
      { default: {}, description: 'Volcengine (its HTTP interface v1).' },
    ),
    openai: Type.Object(
      {
        base_url: Type.Optional(
          Type.String({
            minLength: 1,
            env: ['SPEECH_BASE_URL'],
            description: 'Base URL, ending before `/audio/speech`; absent takes that of models.basic, else OpenAI.',
          }),
        ),
        api_key: secret(['SPEECH_API_KEY'], 'API key; absent takes that of models.basic when the host is the same.'),
        model: Type.String({ default: 'gpt-4o-mini-tts', env: ['SPEECH_MODEL'], description: 'Speech model.' }),
        voices: voices('onyx', 'nova'),
      },
      { default: {}, description: 'Any server with `/v1/audio/speech`.' },
    ),
    command: Type.Object(
      {
        program: Type.String({
          default: 'espeak-ng',
          minLength: 1,
          env: ['SPEECH_COMMAND'],
          description: 'Program that reads text from stdin and writes WAV to stdout; started without a shell.',
        }),
        args: Type.Array(Type.String(), {
          default: [
            '--stdout',
            '-v',
            '{voice}',
            '-s',
            '{words_per_minute}',
            '-p',
            '{pitch_percent}',
            '-a',
            '{volume_percent}',
          ],
          description:
            'Its arguments; filled in are {voice}, {language}, {speed}, {length_scale}, {words_per_minute}, {pitch_percent} and {volume_percent}.',
        }),
        ssml_args: Type.Array(Type.String(), {
          default: ['-m'],
          description: 'Further arguments for SSML; empty when the program cannot read it.',
        }),
        voices: voices('{language}+m3', '{language}+f3'),
      },
      { default: {}, description: 'A program on this machine, such as espeak-ng or piper.' },
    ),
  },
  { default: {}, description: 'Text to speech.' },
);

/** Podcasts. */
export const PodcastSection = Type.Object(
  {
    max_concurrency: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 32,
      description: 'Podcasts made at once in this process.',
    }),
    max_waiting: Type.Integer({
      default: 250,
      minimum: 1,
      description: 'Podcast requests that may wait; further ones get 503.',
    }),
    line_concurrency: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 4,
      description: 'Lines of one podcast spoken at the same time.',
    }),
    max_lines: Type.Integer({ default: 500, minimum: 1, maximum: 5000, description: 'Longest script.' }),
    max_characters: Type.Integer({
      default: 200_000,
      minimum: 1000,
      unit: 'characters',
      description: 'Longest text that is read aloud as it is, when there is no language model to write a script.',
    }),
  },
  { default: {}, description: 'Podcasts.' },
);

/** Short writing by a model: prose, prompts, evaluation. */
export const WritingSection = Type.Object(
  {
    max_concurrency: Type.Integer({
      default: 200,
      minimum: 1,
      description: 'Prose, prompt and evaluation requests answered at once in this process.',
    }),
    max_waiting: Type.Integer({
      default: 1000,
      minimum: 1,
      description: 'Such requests that may wait; further ones get 503.',
    }),
  },
  { default: {}, description: 'Prose, prompt enhancement and report evaluation.' },
);
