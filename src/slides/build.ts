import { cleanPackage } from './clean-package.ts';
import { typesetting } from './fit-text.ts';
import { layOutDeck } from './layout.ts';
import type { Deck, ImageReference, LoadedImage, ThemeName } from './model.ts';
import { outlineDeck } from './outline.ts';
import { renderPages } from './render.ts';
import { themeOf } from './theme.ts';

/** How a deck is made into a file. */
export interface BuildSettings {
  theme: ThemeName;
  maxSlides: number;
  /** Seconds since 1970, written into the file. */
  createdAt: number;
}

/** A finished presentation. */
export interface BuiltDeck {
  bytes: Uint8Array;
  title: string;
  slides: number;
}

/** A deck whose images have to be loaded before it can be built. */
export interface OutlinedDeck {
  deck: Deck;
  images: ImageReference[];
}

/** Builds a presentation from Markdown; when it shows images, gives the deck back so that they can be loaded first. */
export async function buildFromMarkdown(
  content: string,
  locale: string,
  settings: BuildSettings,
): Promise<BuiltDeck | OutlinedDeck> {
  const { deck, images } = outlineDeck(content, locale);
  return images.length > 0 ? { deck, images } : buildDeck(deck, [], [], settings);
}

/** Lays a deck out, draws it and packs the file. */
export async function buildDeck(
  deck: Deck,
  references: readonly ImageReference[],
  images: readonly (LoadedImage | undefined)[],
  settings: BuildSettings,
): Promise<BuiltDeck> {
  const theme = themeOf(settings.theme);
  const { title, locale } = deck;
  const sizes = references.map(({ alt }, index) => {
    const image = images[index];
    return image && { width: image.width, height: image.height, alt };
  });
  const pages = layOutDeck(deck, {
    maxSlides: settings.maxSlides,
    images: sizes,
    alts: references.map(({ alt }) => alt),
  });
  const raw = await renderPages(pages, { title, theme, lineHeight: typesetting(locale).lineHeight, images });
  const bytes = cleanPackage(raw, { title, locale, theme, slides: pages.length, createdAt: settings.createdAt });
  return { bytes, title, slides: pages.length };
}
