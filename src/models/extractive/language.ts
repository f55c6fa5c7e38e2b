import { guessLocale } from '../../text/locale.ts';

/** Languages the engine speaks; others are answered in English. */
const SPOKEN = ['en', 'de', 'fr', 'es', 'zh', 'ja'] as const;
export type Spoken = (typeof SPOKEN)[number];

/** The locale to answer in: the one asked for, unless it is the English default and the text is plainly another language. */
export function answerLocale(text: string, asked: string): string {
  if (!isGenericLocale(asked)) return asked;
  const guessed = guessLocale(text);
  return asked && guessed.startsWith('en') ? asked : guessed;
}

/** True for the locale a request has when its client chose none. */
export function isGenericLocale(locale: string): boolean {
  return locale === '' || /^en([-_]us)?$/i.test(locale);
}

/** The language the engine answers a locale in. */
export function spokenLanguage(locale: string): Spoken {
  const code = locale.toLowerCase().split(/[-_]/)[0] ?? 'en';
  return (SPOKEN as readonly string[]).includes(code) ? (code as Spoken) : 'en';
}
