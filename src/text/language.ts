import { CYRILLIC_FUNCTION_WORDS, LATIN_FUNCTION_WORDS } from './function-words.ts';
import { LETTERS, PATTERNS } from './letters.ts';

/** What a text is written in. */
export interface DetectedLanguage {
  /** BCP 47 tag without a region (`de`, `zh-Hant`); `und` when nothing tells. */
  tag: string;
  direction: 'ltr' | 'rtl';
  /** 0 (nothing tells) to 1 (the script alone tells). */
  confidence: number;
}

/** Characters that are looked at. */
const SAMPLE = 6_000;
const RIGHT_TO_LEFT = new Set(['ar', 'he', 'fa', 'ur', 'ps', 'ckb', 'sd', 'ug', 'yi', 'dv']);

/** Scripts that one language of today's web uses, or whose other languages its reader understands best as this one. */
const SCRIPT_LANGUAGES: Record<string, string> = {
  Greek: 'el',
  Hebrew: 'he',
  Thai: 'th',
  Hangul: 'ko',
  Devanagari: 'hi',
  Armenian: 'hy',
  Georgian: 'ka',
  Bengali: 'bn',
  Tamil: 'ta',
  Telugu: 'te',
  Gujarati: 'gu',
  Kannada: 'kn',
  Malayalam: 'ml',
  Gurmukhi: 'pa',
  Sinhala: 'si',
  Khmer: 'km',
  Lao: 'lo',
  Myanmar: 'my',
  Ethiopic: 'am',
  Tibetan: 'bo',
};
/** Scripts without spaces: this many characters make about one word. */
const CHARACTERS_PER_WORD: Record<string, number> = { Cjk: 1.7, Thai: 4, Lao: 4, Khmer: 4, Myanmar: 4, Hangul: 3 };
const SCRIPTS = ['Latin', 'Cyrillic', 'Arabic', 'Cjk', ...Object.keys(SCRIPT_LANGUAGES)];
const SCRIPT_PATTERN = new RegExp(
  SCRIPTS.map((script) =>
    script === 'Cjk'
      ? '(?<Cjk>[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー]+)'
      : `(?<${script}>[\\p{Script=${script}}\\p{M}]+)`,
  ).join('|'),
  'gu',
);

/** The language of a text, by the share of scripts, then by function words, then by letter sequences. */
export function detectLanguage(text: string): DetectedLanguage {
  const sample = proseOf(text.slice(0, SAMPLE * 4)).slice(0, SAMPLE);
  const { script, words, share } = mainScript(sample);
  if (script === undefined) return { tag: 'und', direction: 'ltr', confidence: 0 };
  const { tag, confidence } = languageOf(script, words, sample);
  return {
    tag,
    direction: RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr',
    confidence: Math.round(confidence * Math.min(1, share + 0.2) * 100) / 100,
  };
}

/** The text without what carries no language: code, addresses, markup, numbers. */
function proseOf(text: string): string {
  return (
    text
      // Fenced and inline code, both bounded by the sample.
      .replace(/^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))/gm, ' ')
      .replace(/`[^`\n]{0,300}`/g, ' ')
      .replace(/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s<>"')\]]{1,2000}/gi, ' ')
      .replace(/\bwww\.[^\s<>"')\]]{1,2000}/gi, ' ')
      .replace(/\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/g, ' ')
      .replace(
        /\b[\w-]{1,64}(?:\.[\w-]{1,64}){0,3}\.(?:com|org|net|io|de|gov|edu|dev|html?|json|ya?ml|md|ts|js|py)\b(?:\/\S{0,500})?/gi,
        ' ',
      )
      .replace(/<\/?[a-z][^<>]{0,500}>|&[a-z]{2,10};|\]\([^()\s]{0,2000}\)/gi, ' ')
      .replace(/[’ʼ]/g, "'")
  );
}

/** The script with the largest share of words, and its words. */
function mainScript(sample: string): { script?: string; words: string[]; share: number } {
  const weights = new Map<string, number>();
  const words = new Map<string, string[]>();
  let total = 0;
  for (const { 0: word, groups } of sample.matchAll(SCRIPT_PATTERN)) {
    const script = Object.keys(groups as object).find((name) => groups?.[name] !== undefined) as string;
    if (!/\p{L}/u.test(word)) continue;
    const perWord = CHARACTERS_PER_WORD[script];
    const weight = perWord ? word.length / perWord : script === 'Latin' ? latinWeight(word) : 1;
    weights.set(script, (weights.get(script) ?? 0) + weight);
    total += weight;
    const list = words.get(script) ?? [];
    list.push(word);
    words.set(script, list);
  }
  const latin = weights.get('Latin') ?? 0;
  if (latin < total && !words.get('Latin')?.some(isLatinFunctionWord)) {
    // Without a function word they are no sentence but the terms of a text in the other script.
    weights.set('Latin', latin / 2);
    total -= latin / 2;
  }
  const [best] = [...weights].sort((a, b) => b[1] - a[1]);
  return best
    ? { script: best[0], words: words.get(best[0]) as string[], share: best[1] / total }
    : { words: [], share: 0 };
}

/** Names and identifiers stand in texts of every language; a function word says that the sentence is Latin. */
function latinWeight(word: string): number {
  if (/^\p{Ll}+$/u.test(word)) return isLatinFunctionWord(word) ? 2 : 1;
  return 0.4;
}

function isLatinFunctionWord(word: string): boolean {
  return word.length > 1 && LATIN_FUNCTION_WORDS.some(([, set]) => set.has(word));
}

function languageOf(script: string, words: string[], sample: string): { tag: string; confidence: number } {
  if (script === 'Cjk') return { tag: cjkLanguage(sample), confidence: 0.98 };
  if (script === 'Arabic') return arabicLanguage(sample);
  if (script === 'Devanagari') return { tag: /[ळ]|आहे|आणि/.test(sample) ? 'mr' : 'hi', confidence: 0.95 };
  const alone = SCRIPT_LANGUAGES[script];
  if (alone) return { tag: alone, confidence: 0.99 };
  const byLetters = script === 'Cyrillic' ? cyrillicLetters(sample) : undefined;
  if (byLetters) return { tag: byLetters, confidence: 0.95 };
  return alphabetic(script === 'Cyrillic' ? CYRILLIC_FUNCTION_WORDS : LATIN_FUNCTION_WORDS, words, sample);
}

function cjkLanguage(sample: string): string {
  const count = (pattern: RegExp) => sample.match(pattern)?.length ?? 0;
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (kana > (count(/\p{Script=Han}/gu) + kana) * 0.05) return 'ja';
  const traditional = count(/[們這個為與對說時會過來國學經發關點開見長問題實際體樣還從後動進電車區將廣]/g);
  const simplified = count(/[们这个为与对说时会过来国学经发关点开见长问题实际体样还从后动进电车区将广]/g);
  return traditional > simplified ? 'zh-Hant' : 'zh';
}

function arabicLanguage(sample: string): { tag: string; confidence: number } {
  if (/[ٹڈڑےںھہ]/.test(sample)) return { tag: 'ur', confidence: 0.95 };
  if (/[ټډړښږځڅ]/.test(sample)) return { tag: 'ps', confidence: 0.95 };
  if (/[ڵێۆڕ]/.test(sample)) return { tag: 'ckb', confidence: 0.95 };
  const persian = (sample.match(/[پچژگکی‌]|(?<!\p{L})(?:از|است|این|را|که|با|برای|در|می)(?!\p{L})/gu) ?? []).length;
  const arabic = (sample.match(/[ةىيكإأ]|(?<!\p{L})(?:في|من|على|إلى|ال\p{L}+)(?!\p{L})/gu) ?? []).length;
  return persian > arabic ? { tag: 'fa', confidence: 0.95 } : { tag: 'ar', confidence: arabic > 0 ? 0.95 : 0.7 };
}

/** Languages that one of their letters gives away. */
function cyrillicLetters(sample: string): string | undefined {
  if (/[ў]/i.test(sample)) return 'be';
  if (/[ђћљњџ]/i.test(sample)) return 'sr';
  if (/[ѓќѕ]/i.test(sample)) return 'mk';
  if (/[қғұһ]/i.test(sample)) return 'kk';
  if (/[їєґ]/i.test(sample)) return 'uk';
  return undefined;
}

type FunctionWords = readonly (readonly [string, ReadonlySet<string>])[];
type Verdict = { tag: string; confidence: number };

/** Points and lead that function words need before the letter sequences, slower to load, are asked. */
const CLEAR_SCORE = 1.5;
const CLEAR_LEAD = 1.6;
/** What one point of function words, and one letter pattern, adds to the share of letter sequences (0–1). */
const POINT_WEIGHT = 0.06;
const PATTERN_WEIGHT = 0.05;

function alphabetic(table: FunctionWords, words: string[], sample: string): Verdict {
  const points = new Map<string, number>();
  for (const written of words.slice(0, 400)) {
    const word = written.toLowerCase();
    const speakers = table.filter(([, set]) => set.has(word));
    // A word of many languages says little about each, a letter on its own next to nothing.
    const point = (word.length === 1 ? 0.5 : 1) / speakers.length ** 1.2;
    for (const [language] of speakers) points.set(language, (points.get(language) ?? 0) + point);
  }
  for (const language of points.keys()) if (isForeign(language, words)) points.delete(language);
  const [best, second] = [...points].sort((a, b) => b[1] - a[1]);
  if (best && best[1] >= CLEAR_SCORE && best[1] >= (second?.[1] ?? 0) * CLEAR_LEAD)
    return { tag: best[0], confidence: Math.min(0.99, 0.75 + best[1] / 20) };
  return bySequences(points, words, sample);
}

/** True when too many words have letters that the language does not write; names from elsewhere are allowed for. */
function isForeign(language: string, words: string[]): boolean {
  const own = LETTERS[language];
  if (own === undefined) return false;
  const foreign = words.filter((word, index) => {
    const isName = index > 0 && /^\p{Lu}\p{Ll}/u.test(word);
    return (
      !isName &&
      word
        .toLowerCase()
        .match(/[^a-z]/g)
        ?.some((letter) => !own.includes(letter))
    );
  });
  return foreign.length > words.length * 0.15;
}

function bySequences(points: ReadonlyMap<string, number>, words: string[], sample: string): Verdict {
  // Acronyms and identifiers are spelled alike everywhere.
  const spelled = words.filter((word) => !/^\p{Lu}{2}|\p{Ll}\p{Lu}/u.test(word));
  const scores = letterSequences()(spelled.join(' '));
  const bonus = (language: string) => {
    const patterns = PATTERNS[language] ? (sample.match(PATTERNS[language])?.length ?? 0) : 0;
    return Math.min(points.get(language) ?? 0, 4) * POINT_WEIGHT + Math.min(patterns, 4) * PATTERN_WEIGHT;
  };
  const ranked = Object.entries(scores)
    .map(([code, score]): [string, number] => {
      const language = LANGUAGE_OF_CODE[code] ?? code;
      return [language, score + bonus(language)];
    })
    .filter(([language]) => !isForeign(language, words))
    .sort((a, b) => b[1] - a[1]);
  const [best, second] = ranked;
  if (!best) {
    const [word] = [...points].sort((a, b) => b[1] - a[1]);
    return word ? { tag: word[0], confidence: 0.4 } : { tag: 'und', confidence: 0 };
  }
  const lead = best[1] - (second?.[1] ?? 0);
  // Two words, or four without a letter or a function word of their language, may be terms of any.
  const isGuess =
    spelled.length < 3 || (spelled.length < 5 && points.size === 0 && /^[a-z ]*$/i.test(spelled.join(' ')));
  return { tag: best[0], confidence: isGuess ? 0.45 : Math.min(0.95, 0.5 + lead * 3) };
}

/** The model knows Malay, not Indonesian, which is written almost the same and read by five times as many. */
const LANGUAGE_OF_CODE: Record<string, string> = { no: 'nb', ms: 'id' };

let sequences: ((text: string) => Record<string, number>) | undefined;

/** Shares of letter sequences by language; the model (40 MB, 60 ms) is loaded by the first text that needs it. */
function letterSequences(): (text: string) => Record<string, number> {
  if (!sequences) {
    // `eld` exports only to `import`, which a synchronous call cannot do: tsconfig.json maps this name to its file.
    const { eld } = require('eld-extrasmall') as typeof import('eld/extrasmall');
    sequences = (text) => eld.detect(text).getScores();
  }
  return sequences;
}
