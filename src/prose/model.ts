import { Nullable, OneOf, type Static, Type } from '../schema.ts';

/** What the prose writer can do with a text. */
export const PROSE_OPTIONS = ['continue', 'improve', 'shorter', 'longer', 'fix', 'zap'] as const;
export type ProseOption = (typeof PROSE_OPTIONS)[number];

/** Body of `POST /api/prose/generate`. */
export const ProseRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, description: 'The text to work on.' }),
    option: OneOf(PROSE_OPTIONS, {
      description: 'continue, improve, shorter, longer, fix, or zap (what `command` says).',
    }),
    command: Nullable(Type.String({ default: '', description: 'What to do with the text; needed by zap.' })),
  },
  { description: 'A text and what to do with it.' },
);
export type ProseRequest = Static<typeof ProseRequest>;
