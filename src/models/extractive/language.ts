/** Languages the engine speaks; others are answered in English. */
const SPOKEN = ['en', 'de', 'fr', 'es', 'zh', 'ja'] as const;
export type Spoken = (typeof SPOKEN)[number];

const LOCALES: Record<string, string> = {
  en: 'en-US',
  de: 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  it: 'it-IT',
  pt: 'pt-BR',
  nl: 'nl-NL',
  zh: 'zh-CN',
  ja: 'ja-JP',
  ko: 'ko-KR',
  ru: 'ru-RU',
  ar: 'ar-SA',
};

// Words that are frequent in one language and rare in the others of this table.
const MARKERS: Record<string, string> = {
  en: 'the is are how does what why which who when where and of to for with can do should between from after about this that was were has have would could it',
  de: 'der die das ist sind wie was warum welche welcher welches wer wann wo und oder für mit von zu zum zur nicht ein eine einen einem wird werden kann zwischen nach über auf dem den des bei auch funktioniert',
  fr: 'le la les est sont comment pourquoi quel quelle quels quelles qui quand où et ou pour avec de des du une un ne pas dans sur entre après peut faire fonctionne quoi au aux ce cette',
  es: 'el la los las es son cómo como qué por cuál cuáles quién cuándo dónde y para con de del una un no en entre después puede hacer funciona sobre al se lo su',
  it: 'il lo gli è sono come perché quale quali chi quando dove e per con di del della dei una un non tra dopo può nel nella sul che',
  pt: 'o os as é são como por que porque qual quais quem quando onde e para com de do da dos das uma um não entre depois pode no na em sobre',
  nl: 'de het een is zijn hoe waarom welke wie wanneer waar en of voor met van niet kan tussen na over op naar wordt wat werkt',
};
const MARKER_SETS = Object.entries(MARKERS).map(([language, words]) => [language, new Set(words.split(' '))] as const);

/** The ISO 639 code of the text's language by script, then by function words; undefined when nothing tells. */
function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, 2000);
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sample)) return 'ja';
  if (/\p{Script=Hangul}/u.test(sample)) return 'ko';
  if (/\p{Script=Han}/u.test(sample)) return 'zh';
  const cyrillic = sample.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = sample.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (cyrillic > latin) return 'ru';
  if ((sample.match(/\p{Script=Arabic}/gu)?.length ?? 0) > latin) return 'ar';
  return detectLatin(sample);
}

function detectLatin(sample: string): string | undefined {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best: string | undefined;
  let bestScore = 0;
  let english = 0;
  for (const [language, markers] of MARKER_SETS) {
    let score = 0;
    for (const word of words) if (markers.has(word)) score++;
    if (language === 'de') score += (sample.match(/[äöüß]/gi)?.length ?? 0) * 0.5;
    if (language === 'fr') score += (sample.match(/[çœêèàù]|qu'|l'|d'/gi)?.length ?? 0) * 0.5;
    if (language === 'es') score += sample.match(/[ñ¿¡]/gi)?.length ?? 0;
    if (language === 'pt') score += sample.match(/[ãõ]/gi)?.length ?? 0;
    if (language === 'en') english = score;
    if (score > bestScore) {
      best = language;
      bestScore = score;
    }
  }
  if (!best) return undefined;
  // English wins ties: a foreign name in an English question must not turn the answer.
  return bestScore > english ? best : 'en';
}

/** The locale to answer in: the one asked for, unless it is the English default and the text is plainly another language. */
export function guessLocale(text: string, asked: string): string {
  if (!isGenericLocale(asked)) return asked;
  const language = detectLanguage(text);
  if (!language || language === 'en') return asked || 'en-US';
  return LOCALES[language] ?? 'en-US';
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
