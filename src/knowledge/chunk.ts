import { type Block, splitBlocks } from './blocks.ts';
import type { Chunk, ExtractedDocument } from './document.ts';
import { estimateTokens } from './tokens.ts';

/** A section below this joins its neighbour. */
const MIN_TOKENS = 200;
const TARGET_TOKENS = 390;
/** With the overlap a chunk stays below 500. */
const MAX_TOKENS = 450;
const OVERLAP = 0.1;
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？]["”’」』）]*|\n+/g;

/**
 * Cuts a document into chunks of 200–500 tokens on heading and paragraph borders. A section that is too long is cut into
 * even parts that overlap by a tenth; a short one joins the next; pages are never mixed; a short document is one chunk.
 */
export function chunkDocument(document: ExtractedDocument): Chunk[] {
  return groupSections(splitBlocks(document)).flatMap((group) => cutGroup(document.text, group));
}

interface Group {
  blocks: Block[];
  tokens: number;
}

function groupSections(blocks: Block[]): Group[] {
  const groups: Group[] = [];
  for (const section of sectionsOf(blocks)) {
    const last = groups.at(-1);
    if (last && last.blocks[0]!.page === section.blocks[0]!.page && shouldJoin(last.tokens, section.tokens)) {
      for (const block of section.blocks) last.blocks.push(block);
      last.tokens += section.tokens;
    } else groups.push(section);
  }
  return groups;
}

function shouldJoin(before: number, next: number): boolean {
  if (before < MIN_TOKENS / 4) return true;
  return before + next <= MAX_TOKENS && (before < MIN_TOKENS || next < MIN_TOKENS);
}

function* sectionsOf(blocks: Block[]): Generator<Group> {
  let section: Group | undefined;
  for (const block of blocks) {
    if (section && (block.kind === 'heading' || block.page !== section.blocks[0]!.page)) {
      yield section;
      section = undefined;
    }
    section ??= { blocks: [], tokens: 0 };
    section.blocks.push(block);
    section.tokens += block.tokens + block.gap;
  }
  if (section) yield section;
}

interface Atom {
  start: number;
  end: number;
  tokens: number;
  gap: number;
  block: Block;
}

function cutGroup(text: string, group: Group): Chunk[] {
  if (group.tokens <= MAX_TOKENS) {
    const { start } = group.blocks[0]!;
    return [toChunk(text, start, group.blocks.at(-1)!.end, group.blocks)];
  }
  const target = group.tokens / Math.ceil(group.tokens / TARGET_TOKENS);
  const chunks: Chunk[] = [];
  let atoms: Atom[] = [];
  let tokens = 0;
  let start = group.blocks[0]!.start;
  const flush = () => {
    if (atoms.length === 0) return;
    const end = atoms.at(-1)!.end;
    chunks.push(
      toChunk(
        text,
        start,
        end,
        atoms.map((atom) => atom.block),
      ),
    );
    start = end;
    atoms = [];
    tokens = 0;
  };
  for (const atom of group.blocks.flatMap((block) => atomsOf(text, block))) {
    if (
      tokens + atom.gap + atom.tokens > MAX_TOKENS ||
      tokens >= target ||
      (tokens >= MIN_TOKENS && atom.block.kind === 'heading')
    )
      flush();
    if (atoms.length === 0)
      start =
        chunks.length === 0 || atom.block.kind === 'heading' || atom.gap > 2
          ? atom.start
          : overlapStart(text, start, atom.start);
    atoms.push(atom);
    tokens += atom.gap + atom.tokens;
  }
  const last = chunks.at(-1);
  const end = atoms.at(-1)!.end;
  if (last && tokens < MIN_TOKENS / 4 && estimateTokens(text.slice(last.start, end)) <= MAX_TOKENS * (1 + OVERLAP))
    chunks[chunks.length - 1] = { ...last, ...trimmedSlice(text, last.start, end) };
  else flush();
  return chunks;
}

function toChunk(text: string, from: number, to: number, blocks: Block[]): Chunk {
  const lead = blocks.find((block) => block.kind !== 'heading') ?? blocks.at(-1)!;
  return { ...trimmedSlice(text, from, to), headingPath: lead.path, page: lead.page };
}

function trimmedSlice(text: string, from: number, to: number): Pick<Chunk, 'content' | 'start' | 'end'> {
  const raw = text.slice(from, to);
  const start = from + (raw.length - raw.trimStart().length);
  const content = raw.trim();
  return { content, start, end: start + content.length };
}

/** A block, or its sentences (lines of code and tables) when it is long, or their pieces when even those are. */
function atomsOf(text: string, block: Block): Atom[] {
  if (block.tokens <= TARGET_TOKENS / 4) return [{ ...block, block }];
  const atoms: Atom[] = [];
  const add = (start: number, end: number) => {
    for (let from = start; from < end; ) {
      const to = end - from > MAX_TOKENS / 2 ? pieceEnd(text, from, end) : end;
      const gap = from === block.start ? block.gap : 0;
      atoms.push({ start: from, end: to, tokens: estimateTokens(text.slice(from, to)), gap, block });
      from = to;
    }
  };
  const borders = block.kind === 'lines' ? /\n/g : SENTENCE_END;
  let start = block.start;
  for (const match of text.slice(block.start, block.end).matchAll(borders)) {
    const end = block.start + match.index + match[0].length;
    add(start, end);
    start = end;
  }
  add(start, block.end);
  return atoms;
}

/** Where to cut a run without sentence ends: after white space when there is some, never inside a surrogate pair. */
function pieceEnd(text: string, from: number, end: number): number {
  const limit = from + MAX_TOKENS / 2;
  // Four characters are one token at most: only the beginning of a long run is looked at.
  if (end - from <= MAX_TOKENS * 2 && estimateTokens(text.slice(from, end)) <= MAX_TOKENS / 2) return end;
  const space = text.slice(from, limit + 1).lastIndexOf(' ');
  if (space > 0) return from + space + 1;
  const low = text.charCodeAt(limit);
  return low >= 0xdc00 && low <= 0xdfff ? limit + 1 : limit;
}

/** Start of the next chunk: up to a tenth of a chunk before `border`, at a sentence, else at a word. */
function overlapStart(text: string, previousEnd: number, border: number): number {
  const limit = TARGET_TOKENS * OVERLAP;
  const wide = estimateTokens(text.slice(Math.max(0, previousEnd - 64), previousEnd)) > 32;
  const from = Math.max(0, previousEnd - limit * (wide ? 1 : 4));
  const tail = text.slice(from, border);
  for (const match of tail.matchAll(SENTENCE_END)) {
    const start = from + match.index + match[0].length;
    if (start < border && text.slice(start, border).trim() !== '') return start;
  }
  const space = tail.indexOf(' ');
  return space < 0 || wide ? border : from + space + 1;
}
