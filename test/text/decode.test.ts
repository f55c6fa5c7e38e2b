import { describe, expect, test } from 'bun:test';
import { readableText } from '../../src/text/decode.ts';

describe('text encodings', () => {
  const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const utf16 = (text: string, big: boolean, mark: boolean) => {
    const units = [...(mark ? [0xfeff] : []), ...Array.from(text, (character) => character.charCodeAt(0))];
    return Uint8Array.from(units.flatMap((unit) => (big ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8])));
  };
  test.each<[string, Uint8Array, string | undefined, string | undefined]>([
    ['UTF-8', new TextEncoder().encode('Grüße'), undefined, 'Grüße'],
    ['UTF-8 with mark', new TextEncoder().encode('\ufeffGrüße'), undefined, 'Grüße'],
    ['Latin-1', latin('Gr\u00fc\u00dfe'), undefined, 'Grüße'],
    ['Windows-1252 quotes', latin('\u0093x\u0094'), undefined, '“x”'],
    ['UTF-16 LE with mark', utf16('Grüße', false, true), undefined, 'Grüße'],
    ['UTF-16 BE with mark', utf16('Grüße', true, true), undefined, 'Grüße'],
    ['UTF-16 LE without mark', utf16('plain text', false, false), undefined, 'plain text'],
    ['UTF-16 BE without mark', utf16('plain text', true, false), undefined, 'plain text'],
    ['a declared encoding', latin('\u00cf\u00f0'), 'windows-1251', 'Пр'],
    ['a declared encoding before valid UTF-8', latin('\u00d0\u00bf'), 'windows-1251', 'Рї'],
    ['a mark before a declared encoding', new TextEncoder().encode('\ufeffü'), 'windows-1251', 'ü'],
    ['its own declaration', latin('<meta charset="windows-1251">\u00cf'), undefined, '<meta charset="windows-1251">П'],
    [
      'Markdown about a declaration',
      new TextEncoder().encode('Schreibe für alte Seiten `<meta charset="gbk">`.'),
      undefined,
      'Schreibe für alte Seiten `<meta charset="gbk">`.',
    ],
    ['an unknown declared encoding', latin('\u00fc'), 'no-such-thing', 'ü'],
    ['other line ends', latin('a\r\nb\rc'), undefined, 'a\nb\nc'],
    ['zero bytes', latin('a\0b\0\0c'), undefined, undefined],
    ['control characters', latin('\x01\x02\x03\x04text'), undefined, undefined],
  ])('%s', (_name, bytes, declared, text) => {
    expect(readableText(bytes, declared && `text/plain; charset=${declared}`)).toBe(text);
  });
});
