import { hasCjk } from './terms.ts';

const MAX_QUOTE = 420;

/**
 * True when a sentence can stand in a report as it is: long enough to say something, and free of what a Markdown
 * reader, a link filter or a reasoning filter would change or act on (links, addresses, tags, citation marks, JSON).
 */
export function isQuotable(sentence: string, maxLength = MAX_QUOTE): boolean {
  if (sentence.length > maxLength || sentence.length < 8) return false;
  const isCjk = hasCjk(sentence);
  if (!isCjk && (sentence.length < 24 || countWords(sentence) < 5)) return false;
  if (/\]\s*[([]|:\/\/|www\.|!\[|\[\^?\d+\]|think>|javascript:|mailto:|data:\w+\//i.test(sentence)) return false;
  if (
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd\u200b-\u200f\u2028-\u202e\u2066-\u2069]/.test(sentence)
  )
    return false;
  if (/^[{}[\]|<=+#]|[{[]\s*["{[]|"\s*:\s*["{[]/.test(sentence)) return false;
  if (/<[a-z/!?]/i.test(sentence.replace(/`[^`]*`/g, ''))) return false;
  if (count(sentence, '`') % 2 !== 0 || count(sentence, '*') % 2 !== 0 || sentence.includes('```')) return false;
  const letters = sentence.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters / sentence.replace(/\s/g, '').length >= 0.7;
}

/** How well a sentence reads on its own, as a factor for its score. */
export function readability(sentence: string): number {
  let factor = 1;
  if (sentence.length > 260) factor *= 0.85;
  if (!hasCjk(sentence) && countWords(sentence) < 8) factor *= 0.8;
  if (/["“”„«»]/.test(sentence)) factor *= 0.5;
  if (/[:：]$/.test(sentence)) factor *= 0.4;
  else if (!/[.!…。！）)]["'”’»*_`]*$/.test(sentence)) factor *= /[?？]$/.test(sentence) ? 0.35 : 0.6;
  if (LEANS_BACK.test(sentence)) factor *= 0.7;
  if (/^\p{Ll}/u.test(sentence)) factor *= 0.7;
  return factor;
}

/** Sentences that need the one before to be understood. */
export const LEANS_BACK =
  /^(?:It|Its|This|That|These|Those|They|He|She|Such|Both|But|And|Then|Therefore|Thus|However|Otherwise|Here|So|Also|Er|Sie|Es|Dies|Diese[rsnm]?|Das|Dann|Dort|Damit|Il|Elle|Ils|Elles|Cela|Ce|Ces|Cette|Ensuite|Este|Esta|Esto|Estos|Ellos|Entonces)\s|^(?:它|这|那|其|此|他|她|因此|但|それ|これ|その|この|また|しかし)/u;

function countWords(sentence: string): number {
  return sentence.match(/[\p{L}\p{N}]+(?:[-_.'’/][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let i = text.indexOf(character); i >= 0; i = text.indexOf(character, i + 1)) found++;
  return found;
}
