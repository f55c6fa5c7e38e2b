import { detectLanguage } from './language.ts';

/** What a text is taken for when nothing tells its language. */
const DEFAULT_LOCALE = 'en-US';
/** Below it a guess is worth less than the default. */
const LEAST_CONFIDENCE = 0.5;

/** The locale of a text as its own words tell; English when they do not. */
export function guessLocale(text: string): string {
  const { tag, confidence } = detectLanguage(text);
  return confidence < LEAST_CONFIDENCE ? DEFAULT_LOCALE : localeOf(tag);
}

/** A language tag with its likely region (`de` → `de-DE`, `zh-Hant` → `zh-TW`). Source: CLDR, likely subtags. */
function localeOf(tag: string): string {
  const { language, region } = new Intl.Locale(tag).maximize();
  return region ? `${language}-${region}` : language;
}
