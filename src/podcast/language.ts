const LETTERS = /\p{L}/gu;
const SAMPLE = 4000;

/** The language of a text as far as its script tells: Chinese, Japanese, Korean, Russian, Arabic, else English. */
export function guessLocale(text: string): string {
  const sample = text.slice(0, SAMPLE);
  const letters = sample.match(LETTERS)?.length ?? 0;
  const share = (pattern: RegExp) => (letters === 0 ? 0 : (sample.match(pattern)?.length ?? 0) / letters);
  if (share(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > 0.1) return 'ja-JP';
  if (share(/\p{Script=Hangul}/gu) > 0.3) return 'ko-KR';
  if (share(/\p{Script=Han}/gu) > 0.3) return 'zh-CN';
  if (share(/\p{Script=Cyrillic}/gu) > 0.5) return 'ru-RU';
  if (share(/\p{Script=Arabic}/gu) > 0.5) return 'ar';
  return 'en-US';
}
