import { Nullable, type Static, Type } from '../schema.ts';

/** Body of `POST /api/podcast/generate`. */
export const PodcastRequest = Type.Object(
  {
    content: Type.String({
      minLength: 1,
      description: 'What the podcast is about: a report in Markdown, or any text.',
    }),
    locale: Nullable(
      Type.String({
        maxLength: 35,
        description: 'Language of the podcast, for example `de-DE`; absent follows the content.',
      }),
    ),
  },
  { description: 'Content of a podcast.' },
);
export type PodcastRequest = Static<typeof PodcastRequest>;

/** The two voices. */
export type Speaker = 'male' | 'female';

/** One turn of a speaker. */
export interface ScriptLine {
  speaker: Speaker;
  paragraph: string;
  /** Title of the chapter that begins with this line. */
  chapter?: string;
}

/** What is spoken. */
export interface Script {
  locale: string;
  title: string;
  lines: ScriptLine[];
}

/** Input of the podcast workflow; kept with the run. */
export const PodcastInput = Type.Object({
  content: Type.String(),
  locale: Type.Union([Type.String(), Type.Null()]),
});
export type PodcastInput = Static<typeof PodcastInput>;
