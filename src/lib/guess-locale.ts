const SAMPLE = 6_000;
const LETTERS = /\p{L}/gu;

/** Frequent words that tell European languages apart. */
const FREQUENT_WORDS: [locale: string, words: string][] = [
  ['de-DE', 'der|die|das|und|nicht|ist|ein|eine|mit|für|auf|werden|auch|sich'],
  ['fr-FR', 'le|les|des|est|une|dans|pour|que|qui|sur|avec|pas|sont'],
  ['es-ES', 'el|los|las|una|del|por|para|que|con|más|como|está|son'],
  ['en-US', 'the|and|of|to|is|in|that|for|with|are|this|from'],
];
const HINTS = FREQUENT_WORDS.map(
  ([locale, words]) => [locale, new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'giu')] as const,
);

/** The language of a text as its script and its frequent words tell; English when they do not. */
export function guessLocale(text: string): string {
  const sample = text.slice(0, SAMPLE);
  const count = (pattern: RegExp) => sample.match(pattern)?.length ?? 0;
  const letters = count(LETTERS);
  if (letters === 0) return 'en-US';
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  // One of these characters says as much as a few Latin letters.
  if ((han + kana) / letters > 0.25) return kana > (han + kana) * 0.1 ? 'ja-JP' : 'zh-CN';
  if (count(/\p{Script=Hangul}/gu) / letters > 0.25) return 'ko-KR';
  if (count(/\p{Script=Cyrillic}/gu) / letters > 0.5) return 'ru-RU';
  if (count(/\p{Script=Arabic}/gu) / letters > 0.5) return 'ar';
  const [best] = HINTS.map(([locale, words]) => [locale, count(words)] as const).sort((a, b) => b[1] - a[1]);
  return best && best[1] > 2 ? best[0] : 'en-US';
}
