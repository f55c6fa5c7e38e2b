/** An inline link or image of Markdown, `[label](target)`, as offsets into its text. */
export interface MarkdownLink {
  isImage: boolean;
  /** Of `[`, or of the `!` before it. */
  start: number;
  /** Of the parenthesis behind the label. */
  open: number;
  /** Behind the closing parenthesis. */
  end: number;
}

/**
 * The inline links and images of a text by their beginning; a label may hold links of its own. Brackets and parentheses
 * are paired in one pass, since an expression looks for the end of each bracket anew. No link crosses an empty line.
 */
export function findLinks(text: string): MarkdownLink[] {
  const links: MarkdownLink[] = [];
  let brackets: number[] = [];
  /** Open parentheses; one behind a label carries the label's bracket. */
  let parentheses: { at: number; bracket?: number }[] = [];
  const marks = /\\[\s\S]|[[\]()]|\n[ \t]*\n/g;
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const at = match.index;
    switch (match[0]) {
      case '[':
        brackets.push(at);
        break;
      case ']': {
        const bracket = brackets.pop();
        if (bracket === undefined || text[at + 1] !== '(') break;
        parentheses.push({ at: at + 1, bracket });
        marks.lastIndex = at + 2;
        break;
      }
      case '(':
        parentheses.push({ at });
        break;
      case ')': {
        const open = parentheses.pop();
        // An address holds no link: what looks like one around a link is text.
        if (open?.bracket === undefined || (links.at(-1)?.start ?? -1) > open.at) break;
        const isImage = text[open.bracket - 1] === '!';
        links.push({ isImage, start: open.bracket - (isImage ? 1 : 0), open: open.at, end: at + 1 });
        break;
      }
      default:
        if (match[0].startsWith('\\')) break;
        brackets = [];
        parentheses = [];
    }
  }
  return links.sort((a, b) => a.start - b.start);
}

/** The links and images that are not inside another one, by their beginning. */
export function findOuterLinks(text: string): MarkdownLink[] {
  let end = 0;
  return findLinks(text).filter((link) => {
    if (link.start < end) return false;
    end = link.end;
    return true;
  });
}

/** The label of a link as it is written. */
export function labelOf(text: string, { isImage, start, open }: MarkdownLink): string {
  return text.slice(start + (isImage ? 2 : 1), open - 1);
}

/** The address of a link: what stands in the parentheses up to white space, without angle brackets. */
export function targetOf(text: string, { open, end }: MarkdownLink): string {
  return /^\s*<?([^\s<>]*)/.exec(text.slice(open + 1, end - 1))![1]!;
}

/** A text whose links and images are replaced by their labels. */
export function withoutLinks(text: string): string {
  return cut(
    text,
    findLinks(text).flatMap(({ isImage, start, open, end }) => [
      { start, end: start + (isImage ? 2 : 1) },
      { start: open - 1, end },
    ]),
  );
}

/** A text without its images. */
export function withoutImages(text: string): string {
  return cut(
    text,
    findLinks(text).filter((link) => link.isImage),
    ' ',
  );
}

function cut(text: string, ranges: { start: number; end: number }[], replacement = ''): string {
  let kept = '';
  let position = 0;
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    if (start >= position) kept += text.slice(position, start) + replacement;
    position = Math.max(position, end);
  }
  return kept + text.slice(position);
}
