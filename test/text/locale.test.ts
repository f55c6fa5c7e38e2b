import { expect, test } from 'bun:test';
import { guessLocale } from '../../src/text/locale.ts';

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
  ['القمر يسبب المد والجزر.', 'ar-EG'],
  ['مقال عن المد والجزر https://example.com/the/history/of/tides?and=for&with=this', 'ar-EG'],
  ['La luna attira il mare e la marea sale due volte al giorno.', 'it-IT'],
  ['A lua atrai o mar e a maré sobe duas vezes por dia.', 'pt-BR'],
  ['De maan trekt aan de zee en het water stijgt twee keer per dag.', 'nl-NL'],
  ['Was bedeutet das Zeichen 道 im Buch?', 'de-DE'],
  ['月亮引起潮汐，這個問題與海洋有關。', 'zh-TW'],
  ['Kubernetes', 'en-US'],
])('%p is in %s', (text, locale) => expect(guessLocale(text)).toBe(locale));
