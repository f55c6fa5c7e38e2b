import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectLanguage } from '../../src/text/language.ts';

/** Texts of 3 to 40 words, made for this test: `# code`, then texts of that language. */
function readTexts(name: string): { language: string; text: string }[] {
  let language = '';
  return readFileSync(join(import.meta.dir, '../fixtures/text', name), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) language = line.slice(2);
      return line === '' || line.startsWith('# ') ? [] : [{ language, text: line }];
    });
}

describe('detectLanguage', () => {
  const texts = readTexts('languages.txt');

  test('knows at least 97 % of 620 short texts in 31 languages, and no language less than 80 %', () => {
    const wrong = new Map<string, number>();
    for (const { language, text } of texts)
      if (detectLanguage(text).tag !== language) wrong.set(language, (wrong.get(language) ?? 0) + 1);
    const total = [...wrong.values()].reduce((sum, count) => sum + count, 0);
    expect(texts.length).toBe(620);
    expect(1 - total / texts.length).toBeGreaterThanOrEqual(0.97);
    expect([...wrong].filter(([, count]) => count > 4)).toEqual([]);
  });

  test('knows at least 97 % of 155 headlines, chat questions, errors, list items and technical questions', () => {
    const kept = readTexts('languages-kept-back.txt');
    expect(kept.length).toBe(155);
    const right = kept.filter(({ language, text }) => detectLanguage(text).tag === language);
    expect(right.length / kept.length).toBeGreaterThanOrEqual(0.97);
  });

  test.each([
    ['Как настроить reverse proxy cache для nginx?', 'ru'],
    ['What does Привет мир mean?', 'en'],
    ['مقال عن المد والجزر https://example.com/the/history/of/tides?and=for&with=this', 'ar'],
    ['Was bedeutet das Zeichen 道 im Buch?', 'de'],
    ['如何使用 PostgreSQL LISTEN/NOTIFY', 'zh'],
    ['使用 Kubernetes 和 Docker 部署应用', 'zh'],
    ['臺灣的經濟發展與國際關係', 'zh-Hant'],
    ['東京大学入学試験問題の解説', 'ja'],
    ['Что такое Kubernetes Pod Security Admission Controller?', 'ru'],
    ['הסבר על Kubernetes Pod Security', 'he'],
    ['How does Müller’s algorithm compare with Fröhlich’s?', 'en'],
    ['What does "Schadenfreude" mean?', 'en'],
    ['Siehe `const the = of(and)` und <b class="the of and">die Ausgabe</b> unter https://example.com/the-best', 'de'],
    [
      'Der Befehl lautet:\n```sh\necho the quick brown fox is in the house\nand this is the end of it\n```\nund er wirkt sofort.',
      'de',
    ],
  ])('%s is %p', (text, tag) => {
    expect(detectLanguage(text).tag).toBe(tag);
  });

  test.each(['', '   ', '1234 56.7 %', 'https://example.com/the/and/of', '`let x = 1`', '🙂🙂'])(
    '%p is undetermined',
    (text) => {
      expect(detectLanguage(text)).toEqual({ tag: 'und', direction: 'ltr', confidence: 0 });
    },
  );

  test('says the direction of right-to-left scripts', () => {
    for (const { language, text } of texts)
      expect([language, detectLanguage(text).direction]).toEqual([
        language,
        ['ar', 'he', 'fa'].includes(language) ? 'rtl' : 'ltr',
      ]);
  });

  test('is not sure of a few terms', () => {
    for (const word of ['Kubernetes', 'hello', 'Installation Guide', 'rust vs go', 'sqlite wal mode performance'])
      expect(detectLanguage(word).confidence).toBeLessThan(0.5);
  });

  test('takes time by its sample, not by the text', () => {
    for (const pump of ['a', '`', '<a', '```\n', 'a.', '](', 'http://', 'x@', '道', ' ']) {
      const startedAt = performance.now();
      detectLanguage(pump.repeat(1_000_000 / pump.length));
      expect(performance.now() - startedAt).toBeLessThan(1000);
    }
  });
});
