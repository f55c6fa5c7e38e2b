import { type Static, Type } from '../../schema.ts';

/** Presentations. */
export const SlidesSection = Type.Object(
  {
    concurrency: Type.Integer({
      default: 2,
      minimum: 1,
      maximum: 16,
      description: 'Presentations built at the same time; further requests wait.',
    }),
    max_slides: Type.Integer({
      default: 120,
      minimum: 10,
      maximum: 500,
      description: 'Slides of one presentation at most; a last slide says what was left out.',
    }),
    max_image_bytes: Type.Integer({
      default: 5 * 1024 * 1024,
      minimum: 1024,
      maximum: 20 * 1024 * 1024,
      unit: 'bytes',
      description: 'Largest image of a presentation.',
    }),
    timeout_seconds: Type.Number({
      default: 60,
      exclusiveMinimum: 0,
      unit: 'seconds',
      description: 'Longest time of building one file, without the time of the language model.',
    }),
  },
  { default: {}, description: 'Presentations.' },
);
export type SlidesConfig = Static<typeof SlidesSection>;
