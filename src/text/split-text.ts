import { splitSentences } from './sentences.ts';

/** UTF-8 length of a text. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/**
 * Cuts a text into pieces of at most `maxBytes` UTF-8 bytes: at sentence borders, and inside a sentence that is too long
 * at clauses, then words, then characters. No character is lost but white space at the cuts.
 */
export function splitText(text: string, maxBytes: number): string[] {
  const whole = text.trim();
  if (byteLength(whole) <= maxBytes) return whole === '' ? [] : [whole];
  return pack(whole.split(/(?<=\n)/).flatMap(withSpaces), maxBytes, splitSentence);
}

/** The sentences of a line, each with the white space up to the next. */
function withSpaces(line: string): string[] {
  const starts = Array.from(splitSentences(line), ({ start }) => start);
  return starts.length === 0
    ? [line]
    : starts.map((start, index) => line.slice(index === 0 ? 0 : start, starts[index + 1]));
}

function splitSentence(sentence: string, maxBytes: number): string[] {
  return pack(sentence.split(/(?<=[,;:，；：、—–])/u), maxBytes, splitClause);
}

function splitClause(clause: string, maxBytes: number): string[] {
  const words = new Intl.Segmenter(undefined, { granularity: 'word' });
  return pack(
    [...words.segment(clause)].map(({ segment }) => segment),
    maxBytes,
    splitWord,
  );
}

function splitWord(word: string, maxBytes: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let bytes = 0;
  for (const character of word) {
    const added = byteLength(character);
    if (piece !== '' && bytes + added > maxBytes) {
      pieces.push(piece);
      piece = '';
      bytes = 0;
    }
    piece += character;
    bytes += added;
  }
  return [...pieces, piece];
}

/** Puts neighbouring units together as long as they fit; a unit that does not fit alone is cut by `cut`. */
function pack(units: string[], maxBytes: number, cut: (unit: string, maxBytes: number) => string[]): string[] {
  const pieces: string[] = [];
  let piece = '';
  /** White space behind the piece: it counts when something follows. */
  let gap = '';
  // Kept beside the texts: measuring a growing piece for each unit takes quadratic time.
  let bytes = 0;
  const close = () => {
    if (piece !== '') pieces.push(piece);
    piece = gap = '';
    bytes = 0;
  };
  for (const unit of units) {
    const words = unit.trim();
    const lead = unit.slice(0, unit.length - unit.trimStart().length);
    if (piece !== '') gap += words === '' ? unit : lead;
    if (words === '') continue;
    const added = byteLength(gap) + byteLength(words);
    if (bytes + added <= maxBytes) {
      piece += gap + words;
      bytes += added;
    } else {
      close();
      if (byteLength(words) <= maxBytes) {
        piece = words;
        bytes = byteLength(words);
      } else {
        for (const part of cut(unit, maxBytes)) pieces.push(part);
        continue;
      }
    }
    gap = unit.slice(unit.trimEnd().length);
  }
  close();
  return pieces;
}
