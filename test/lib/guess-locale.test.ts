import { expect, test } from 'bun:test';
import { guessLocale } from '../../src/lib/guess-locale.ts';

test.each([
  ['', 'en-US'],
  ['1 + 2 = 3', 'en-US'],
  ['Tides.', 'en-US'],
  ['The tide is high and the Moon is near, for the sea follows it.', 'en-US'],
  ['Der Mond ist nicht weit und die Flut steigt für die Schiffe.', 'de-DE'],
  ['La lune est dans le ciel et les marées sont hautes.', 'fr-FR'],
  ['La luna está más cerca y las mareas son como una respiración.', 'es-ES'],
  ['月亮引起潮汐。', 'zh-CN'],
  ['NASA 的数据显示，潮汐每天两次。', 'zh-CN'],
  ['月は潮の満ち引きを起こします。', 'ja-JP'],
  ['달은 조석을 일으킨다.', 'ko-KR'],
  ['Луна вызывает приливы.', 'ru-RU'],
  ['القمر يسبب المد والجزر.', 'ar'],
])('%p is in %s', (text, locale) => expect(guessLocale(text)).toBe(locale));
