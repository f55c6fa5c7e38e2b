import { Nullable, type Static, Type } from '../schema.ts';

/** Longest text of a request. Characters are code points: JavaScript, and so the validator, would count an emoji twice. */
export const MAX_TEXT_CHARACTERS = 1024;

const ratio = (description: string) => Nullable(Type.Number({ minimum: 0.1, maximum: 3, default: 1, description }));

/** Body of `POST /api/tts`. */
export const TtsRequest = Type.Object(
  {
    text: Type.String({ minLength: 1, maxCharacters: MAX_TEXT_CHARACTERS, description: 'Text to speak.' }),
    voice_type: Nullable(
      Type.String({
        maxLength: 200,
        default: 'BV700_V2_streaming',
        description: 'Voice, as the speech engine names it.',
      }),
    ),
    encoding: Nullable(
      Type.Union([Type.Literal('mp3'), Type.Literal('wav')], { default: 'mp3', description: 'Format of the audio.' }),
    ),
    speed_ratio: ratio('Speed; 1 is the voice’s own.'),
    volume_ratio: ratio('Volume; 1 is the voice’s own.'),
    pitch_ratio: ratio('Pitch; 1 is the voice’s own.'),
    text_type: Nullable(
      Type.Union([Type.Literal('plain'), Type.Literal('ssml')], { default: 'plain', description: 'Kind of the text.' }),
    ),
    with_frontend: Nullable(
      Type.Integer({ default: 1, description: 'Whether the provider’s text front end is used (Volcengine).' }),
    ),
    frontend_type: Nullable(
      Type.String({ maxLength: 100, default: 'unitTson', description: 'Kind of that front end (Volcengine).' }),
    ),
  },
  { description: 'A text to be spoken.' },
);
export type TtsRequest = Static<typeof TtsRequest>;
