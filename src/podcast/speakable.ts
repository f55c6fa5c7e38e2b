import { withoutLinks } from '../lib/markdown-links.ts';
import { decodeEntities } from '../text/html-entities.ts';

/** A text as it can be read aloud: no Markdown marks, addresses, citation numbers or emoji, one line. */
export function speakable(text: string): string {
  return decodeEntities(
    withoutLinks(text)
      .replaceAll(/\[\^?\d+(?:\s*[,–-]\s*\d+)*\]/g, '')
      .replaceAll(/<\/?[A-Za-z][^<>]{0,2000}>/g, ' ')
      .replaceAll(/<?(?:https?:\/\/|www\.)[^\s<>"'）」]+/g, ' ')
      // Marks around words, not arithmetic between spaces.
      .replaceAll(
        /(?<![\p{L}\p{N}])(?:\*{1,3}|_{1,3}|~~|`+)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~~|`+)(?![\p{L}\p{N}])/gu,
        '',
      )
      .replaceAll(/^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+)/gm, '')
      .replaceAll(/\p{Extended_Pictographic}(?:\u{FE0F}|\u{200D}|\p{Extended_Pictographic})*/gu, (sign) =>
        /[\d#*©®™]/u.test(sign) ? sign : ' ',
      )
      .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b\ufeff]+/g, ' ')
      .replaceAll('$$', ' '),
  )
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:!?])/g, '$1')
    .trim();
}

/** True when there is something to say: a letter or a digit. */
export function isSayable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
