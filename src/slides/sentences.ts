/** Words whose full stop ends no sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|approx|no|nos|fig|eq|dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|corp|dept|u\.s|z\.\s?b|d\.\s?h|bzw|ca|nr|vgl|usw|al|p\.\s?ex|[A-Z])\.$/i;
const END = /[.!?…]["'”’)\]]*(?:\[\^?\d+\])*(?=\s)|[。！？][”’」』）]*/g;

/**
 * Splits inline Markdown into sentences; a border inside `**bold**`, `code`, a link or a formula is none, so every piece
 * is valid Markdown itself. Citation marks stay with the sentence they follow.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    const piece = text.slice(start, end);
    if (
      match[0].startsWith('.') &&
      (ABBREVIATION.test(piece) || /^\s*\d+\.$/.test(piece) || /^\s+\p{Ll}/u.test(text.slice(end, end + 3)))
    )
      continue;
    if (!isBalanced(piece)) continue;
    sentences.push(piece.trim());
    start = end;
  }
  const rest = text.slice(start).trim();
  if (rest !== '') sentences.push(rest);
  return sentences;
}

function isBalanced(piece: string): boolean {
  const count = (pattern: RegExp) => piece.match(pattern)?.length ?? 0;
  return (
    count(/\*\*/g) % 2 === 0 &&
    count(/__/g) % 2 === 0 &&
    count(/(?<!\*)\*(?!\*)/g) % 2 === 0 &&
    count(/`/g) % 2 === 0 &&
    count(/\[/g) === count(/\]/g) &&
    count(/\(/g) === count(/\)/g)
  );
}

/** Length of a text as a reader sees it: a CJK character says about twice as much as a letter. */
export function visibleLength(text: string): number {
  return text.length + (text.match(/[\u2e80-\u9fff\uac00-\ud7a3]/g)?.length ?? 0);
}
