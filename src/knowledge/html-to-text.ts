const SKIPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE NAV FOOTER ASIDE FORM BUTTON SELECT IFRAME OBJECT SVG CANVAS HEAD TITLE AUDIO VIDEO DIALOG'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  'ADDRESS ARTICLE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE HEADER HGROUP HTML LI MAIN OL P SECTION SUMMARY TBODY TFOOT THEAD UL'.split(
    ' ',
  ),
);
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** The DOM as far as it is read here. */
export interface DomNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  parentNode: DomNode | null;
  getAttribute?(name: string): string | null;
}

/**
 * The visible text under `root` in reading order, with Markdown headings, list marks, fences and table rows and nothing
 * escaped, so that a sentence of the page stands verbatim in the result. Walks without recursion: depth cannot overflow.
 */
export function htmlToText(root: DomNode): string {
  const writer = new TextWriter();
  let node: DomNode | null = root;
  while (node) {
    const enter = open(node, writer);
    if (enter && node.firstChild) {
      node = node.firstChild;
      continue;
    }
    if (enter) close(node, writer);
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode;
      if (node) close(node, writer);
    }
    if (!node || node === root) break;
    node = node.nextSibling;
  }
  return writer.finish();
}

/** Writes what stands before the children; false leaves the children out. */
function open(node: DomNode, writer: TextWriter): boolean {
  if (node.nodeType === 3) {
    writer.text(node.textContent ?? '');
    return false;
  }
  if (node.nodeType !== 1) return node.nodeType === 9 || node.nodeType === 11;
  const name = node.nodeName.toUpperCase();
  if (SKIPPED.has(name) || isHidden(node)) return false;
  const level = /^H([1-6])$/.exec(name)?.[1];
  if (level) writer.block(`${'#'.repeat(Number(level))} `);
  else if (name === 'BR') writer.lineBreak();
  else if (name === 'HR') writer.block('');
  else if (name === 'PRE') writer.preformatted(node.textContent ?? '');
  else if (name === 'TABLE') writer.table(node);
  else if (name === 'LI') writer.line('- ');
  else if (BLOCKS.has(name)) writer.block('');
  return name !== 'PRE' && name !== 'TABLE';
}

function close(node: DomNode, writer: TextWriter): void {
  const name = node.nodeName.toUpperCase();
  if (BLOCKS.has(name) && name !== 'LI') writer.block('');
  else if (/^H[1-6]$/.test(name)) writer.block('');
}

function isHidden(node: DomNode): boolean {
  if (node.getAttribute?.('hidden') != null || node.getAttribute?.('aria-hidden') === 'true') return true;
  const style = node.getAttribute?.('style');
  return style != null && HIDDEN.test(style);
}

class TextWriter {
  readonly #blocks: string[] = [];
  #prefix = '';
  #current: string[] = [];

  text(value: string): void {
    if (value) this.#current.push(value.replace(/[\s\u00a0]+/g, ' '));
  }

  lineBreak(): void {
    this.#current.push('\n');
  }

  /** Ends the paragraph; the next one starts with `prefix`. */
  block(prefix: string): void {
    const text = this.#take();
    if (text) this.#blocks.push(text);
    if (prefix || text) this.#prefix = prefix;
  }

  /** A list item: on its own line in the paragraph of its list. */
  line(prefix: string): void {
    const text = this.#take();
    if (text) this.#current.push(text, '\n');
    this.#current.push(prefix);
  }

  preformatted(value: string): void {
    this.block('');
    const fence = value.includes('```') ? '~~~~' : '```';
    if (value.trim()) this.#blocks.push(`${fence}\n${value.replace(/^\n/, '').trimEnd()}\n${fence}`);
  }

  table(table: DomNode): void {
    this.block('');
    const rows = tableRows(table);
    const [head, ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`);
    if (head) this.#blocks.push([head, `|${' --- |'.repeat(rows[0]!.length)}`, ...body].join('\n'));
  }

  finish(): string {
    this.block('');
    return this.#blocks.join('\n\n');
  }

  #take(): string {
    const text = this.#current
      .join('')
      .replace(/ {2,}/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{2,}/g, '\n')
      .trim();
    this.#current = [];
    if (!text || text === '-') return '';
    const prefix = this.#prefix;
    this.#prefix = '';
    return prefix + (prefix ? text.replaceAll('\n', ' ') : text);
  }
}

/** Cells row by row; the rows of a table inside a cell follow as rows of their own. */
function tableRows(table: DomNode): string[][] {
  const rows: string[][] = [];
  let node: DomNode | null = table.firstChild;
  while (node) {
    const name = node.nodeName.toUpperCase();
    if (name === 'TR') rows.push([]);
    const isCell = name === 'TD' || name === 'TH';
    if (isCell) {
      if (rows.length === 0) rows.push([]);
      rows.at(-1)!.push((node.textContent ?? '').replace(/[\s\u00a0]+/g, ' ').trim());
    }
    if (!isCell && node.firstChild) {
      node = node.firstChild;
      continue;
    }
    while (node && node !== table && !node.nextSibling) node = node.parentNode;
    if (!node || node === table) break;
    node = node.nextSibling;
  }
  return rows.filter((cells) => cells.some(Boolean));
}
