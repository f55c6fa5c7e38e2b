/** A block of Markdown with its inline marks still in it; quotes are read as what is quoted. */
export type MarkdownBlock =
  | { type: 'heading'; depth: number; text: string }
  | { type: 'paragraph'; text: string }
  | { type: 'item'; text: string }
  | { type: 'row'; header: string[]; cells: string[] }
  | { type: 'code'; text: string };

const MAX_QUOTES = 20;

/**
 * Cuts Markdown into blocks, line by line. It knows less than a parser, but takes time in proportion to the length
 * whatever the text is, so that it may run on the event loop (parsers take half a minute for 200 KB of some texts).
 */
export function readMarkdownBlocks(markdown: string): MarkdownBlock[] {
  const reader = new Reader();
  const lines = withoutFrontMatter(markdown).split('\n');
  for (const [index, line] of lines.entries())
    reader.take(unquote(line.replace(/\r$/, '')), () => unquote(lines[index + 1] ?? ''));
  reader.flush();
  return reader.blocks;
}

class Reader {
  readonly blocks: MarkdownBlock[] = [];
  #open: { type: 'paragraph' | 'item'; lines: string[] } | undefined;
  #fence: { mark: string; lines: string[] } | undefined;
  /** Header of the table being read. */
  #header: string[] | undefined;

  take(line: string, peek: () => string): void {
    const text = line.trim();
    const fence = /^(`{3,}|~{3,})/.exec(text)?.[1];
    if (this.#fence) this.#takeCode(line, text);
    else if (text === '') this.flush();
    else if (fence) {
      this.flush();
      this.#fence = { mark: fence, lines: [] };
    } else if (!this.#takeRow(text, peek)) this.#takeText(text);
  }

  /** True when the line belongs to a table. */
  #takeRow(text: string, peek: () => string): boolean {
    if (this.#header && isDelimiter(text)) return true;
    if (!text.includes('|')) {
      if (this.#header) this.flush();
      return false;
    }
    if (this.#header) this.blocks.push({ type: 'row', header: this.#header, cells: cellsOf(text) });
    else if (isDelimiter(peek().trim())) {
      this.flush();
      this.#header = cellsOf(text);
    } else return false;
    return true;
  }

  #takeText(text: string): void {
    const heading = /^(#{1,6})(?:[ \t]+|$)/.exec(text);
    if (heading) {
      this.flush();
      this.#heading(heading[1]!.length, text.slice(heading[0].length).replace(/[ \t]#{1,20}$/, ''));
    } else if (/^(?:={2,200}|-{2,200})$/.test(text)) {
      const underlined = this.#open?.type === 'paragraph' ? this.#open.lines.join(' ') : '';
      if (underlined) this.#open = undefined;
      this.flush();
      if (underlined) this.#heading(text.startsWith('=') ? 1 : 2, underlined);
    } else if (/^(?:\*[ \t]*){3,40}$|^(?:_[ \t]*){3,40}$|^(?:-[ \t]+){2,40}-$/.test(text)) this.flush();
    else if (/^\[[^\]]{1,200}\]:[ \t]*\S/.test(text)) this.flush();
    else {
      const item = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/.exec(text);
      if (item) {
        this.flush();
        this.#open = { type: 'item', lines: [text.slice(item[0].length)] };
      } else if (this.#open) this.#open.lines.push(text);
      else this.#open = { type: 'paragraph', lines: [text] };
    }
  }

  #takeCode(line: string, text: string): void {
    const { mark, lines } = this.#fence!;
    if (text.startsWith(mark) && text.replaceAll(mark[0]!, '') === '') {
      this.blocks.push({ type: 'code', text: lines.join('\n') });
      this.#fence = undefined;
    } else lines.push(line);
  }

  #heading(depth: number, text: string): void {
    if (text.trim() !== '') this.blocks.push({ type: 'heading', depth, text: text.trim() });
  }

  /** Ends the block that is being read. */
  flush(): void {
    if (this.#open) this.blocks.push({ type: this.#open.type, text: this.#open.lines.join('\n') });
    this.#open = undefined;
    this.#header = undefined;
    if (this.#fence) this.blocks.push({ type: 'code', text: this.#fence.lines.join('\n') });
    this.#fence = undefined;
  }
}

/** Settings of site generators at the top are not text. */
function withoutFrontMatter(markdown: string): string {
  const text = markdown.replace(/^\ufeff/, '');
  const match = /^---[ \t]*\r?\n[\s\S]{0,4000}?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return match ? text.slice(match[0].length) : text;
}

function unquote(line: string): string {
  let text = line;
  for (let depth = 0; depth < MAX_QUOTES && /^ {0,3}>/.test(text); depth++) text = text.replace(/^ {0,3}> ?/, '');
  return text;
}

/** The line below a table's header: `|---|:-:|`. */
function isDelimiter(text: string): boolean {
  return text.includes('-') && text.includes('|') && /^[|:\- \t]+$/.test(text);
}

function cellsOf(text: string): string[] {
  const inner = text.replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}
