import { Nullable, type Static, Type } from '../schema.ts';

/** Media type of a PowerPoint file. */
export const PPTX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
/** The looks a deck can have. */
export const THEMES = ['light', 'dark'] as const;
export type ThemeName = (typeof THEMES)[number];

/** Body of `POST /api/ppt/generate`. */
export const GenerateSlidesRequest = Type.Object({
  content: Type.String({
    minLength: 1,
    description: 'What the presentation is about: a report in Markdown, or any text.',
  }),
  locale: Nullable(
    Type.String({
      maxLength: 35,
      description: 'Language of the slides, for example de-DE; that of the content when absent.',
    }),
  ),
  theme: Nullable(
    Type.Union([Type.Literal('light'), Type.Literal('dark')], {
      description: 'Look of the slides; light when absent.',
    }),
  ),
});
export type GenerateSlidesRequest = Static<typeof GenerateSlidesRequest>;

const title = Type.String({ description: 'Short headline of the slide.' });
const notes = Type.Optional(Type.String({ description: 'What the speaker says, with the sources.' }));
const text = Type.String({ description: 'One line of text; **bold**, *italic* and `code` are allowed.' });

const lead = Type.Optional(Type.String({ description: 'One sentence that introduces what is shown.' }));

const Bullet = Type.Object({
  text,
  level: Type.Optional(Type.Integer({ minimum: 0, maximum: 2, description: 'Depth of the bullet; 0 when absent.' })),
  number: Type.Optional(Type.Integer({ minimum: 0, description: 'Number in an ordered list.' })),
});
export type Bullet = Static<typeof Bullet>;
const bullets = Type.Array(Bullet, { minItems: 1 });

const Column = Type.Object({ heading: Type.String(), bullets });

/** Series of a chart have one value per category; null is a missing one. */
const Series = Type.Object({
  name: Type.String(),
  values: Type.Array(Type.Union([Type.Number(), Type.Null()]), { minItems: 1 }),
});

/** One slide, by what it says rather than how it looks; long ones are continued on further slides. */
export const Slide = Type.Union(
  [
    Type.Object({ kind: Type.Literal('title'), title, subtitle: Type.Optional(Type.String()), notes }),
    Type.Object({ kind: Type.Literal('agenda'), title, items: Type.Array(text, { minItems: 1 }), notes }),
    Type.Object({ kind: Type.Literal('section'), title, subtitle: Type.Optional(Type.String()), notes }),
    Type.Object({ kind: Type.Literal('bullets'), title, bullets, notes }),
    Type.Object({ kind: Type.Literal('columns'), title, left: Column, right: Column, notes }),
    Type.Object({
      kind: Type.Literal('table'),
      title,
      lead,
      header: Type.Array(text, { minItems: 1 }),
      rows: Type.Array(Type.Array(text), { minItems: 1 }),
      takeaway: Type.Optional(text),
      notes,
    }),
    Type.Object({
      kind: Type.Literal('chart'),
      title,
      lead,
      chart: Type.Union([Type.Literal('bar'), Type.Literal('line'), Type.Literal('pie')]),
      categories: Type.Array(Type.String(), { minItems: 1, maxItems: 60 }),
      series: Type.Array(Series, { minItems: 1, maxItems: 6 }),
      unit: Type.Optional(Type.String({ description: 'Unit of the values, for example % or USD bn.' })),
      takeaway: Type.String({ description: 'The one thing the numbers say.' }),
      notes,
    }),
    Type.Object({ kind: Type.Literal('quote'), title, text, attribution: Type.Optional(Type.String()), notes }),
    Type.Object({
      kind: Type.Literal('code'),
      title,
      lead,
      language: Type.Optional(Type.String()),
      code: Type.String(),
      notes,
    }),
    Type.Object({ kind: Type.Literal('formula'), title, lead, formula: Type.String({ description: 'LaTeX.' }), notes }),
    Type.Object({
      kind: Type.Literal('image'),
      title,
      image: Type.Integer({ minimum: 1, description: 'Number of the image in the content.' }),
      caption: Type.Optional(text),
      notes,
    }),
    Type.Object({
      kind: Type.Literal('references'),
      title,
      items: Type.Array(Type.Object({ text: Type.String(), url: Type.Optional(Type.String()) }), { minItems: 1 }),
      notes,
    }),
    Type.Object({ kind: Type.Literal('closing'), title, points: Type.Array(text), notes }),
  ],
  { description: 'A slide; `kind` says which.' },
);
export type Slide = Static<typeof Slide>;
/** A slide that knows its section, where the deck was built from a document with sections. */
export type PlacedSlide = Slide & { section?: string };
export type SlideOf<Kind extends Slide['kind']> = Extract<Slide, { kind: Kind }>;

/** A presentation before it is laid out; also what a language model answers with. */
export const Deck = Type.Object({
  title: Type.String({ description: 'Title of the presentation.' }),
  subtitle: Type.Optional(Type.String()),
  locale: Type.String({ description: 'Language tag, for example en-US.' }),
  slides: Type.Array(Slide, { minItems: 1, maxItems: 200 }),
});
export type Deck = Static<typeof Deck>;

/** An image the content names; slides refer to it by its place in the list, counted from 1. */
export interface ImageReference {
  /** Address or `data:` URL as written. */
  source: string;
  alt: string;
}

/** An image that was loaded and checked; only bytes, never an address. */
export interface LoadedImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/gif';
  bytes: Uint8Array;
  width: number;
  height: number;
}
