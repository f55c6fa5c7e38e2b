/** Titles that programs write by themselves. */
const USELESS_TITLE =
  /^(untitled|microsoft (word|powerpoint)|document\d*$|print|slide 1|.*\.(docx?|tex|dvi|indd|pptx?|odt|pages)$)/i;

interface Line {
  text: string;
  y: number;
  height: number;
}

/** What the pages of a PDF say, or why they cannot be read. */
export type PdfResult =
  | { ok: true; title: string | undefined; pages: string[] }
  | { ok: false; problem: 'no_pdf' | 'locked' | 'damaged' | 'too_many_pages' | 'too_long'; cause?: unknown };

/**
 * Reads the text of a PDF page by page; a larger step between two lines starts a paragraph. The title is that of its
 * metadata, else the largest line of the first page. CPU-heavy: runs in a worker.
 */
export async function readPdf(
  bytes: Uint8Array,
  { maxPages, maxCharacters }: { maxPages: number; maxCharacters: number },
): Promise<PdfResult> {
  if (!new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).includes('%PDF-'))
    return { ok: false, problem: 'no_pdf' };
  const { getDocumentProxy } = await import('unpdf');
  const pages: string[] = [];
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>> | undefined;
  try {
    // The library refuses the Buffer that a view on one becomes between processes.
    pdf = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    if (pdf.numPages > maxPages) return { ok: false, problem: 'too_many_pages' };
    let length = 0;
    let title = await metadataTitle(pdf);
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const lines = linesOf((await page.getTextContent()).items as TextItem[]);
      page.cleanup();
      if (number === 1) title ??= largestLine(lines);
      const text = joinLines(lines);
      pages.push(text);
      length += text.length + 2;
      if (length > maxCharacters) return { ok: false, problem: 'too_long' };
    }
    return { ok: true, title, pages };
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException';
    return { ok: false, problem: isLocked ? 'locked' : 'damaged', cause };
  } finally {
    await pdf?.loadingTask.destroy();
  }
}

interface TextItem {
  str?: string;
  hasEOL?: boolean;
  height?: number;
  transform?: number[];
}

function linesOf(items: TextItem[]): Line[] {
  const lines: Line[] = [];
  let line: Line = { text: '', y: 0, height: 0 };
  for (const item of items) {
    if (item.str === undefined) continue;
    if (item.str.trim()) {
      if (line.text.trim() === '') line.y = item.transform?.[5] ?? 0;
      line.height = Math.max(line.height, item.height ?? 0);
    }
    line.text += item.str;
    if (!item.hasEOL) continue;
    lines.push(line);
    line = { text: '', y: 0, height: 0 };
  }
  lines.push(line);
  return lines
    .map((each) => ({ ...each, text: each.text.replaceAll('\0', '').replace(/\s+/g, ' ').trim() }))
    .filter((each) => each.text !== '');
}

function joinLines(lines: Line[]): string {
  return lines
    .map((line, index) => {
      const before = lines[index - 1];
      if (!before) return line.text;
      const step = Math.abs(before.y - line.y);
      const usual = Math.max(line.height, before.height);
      const apart = usual > 0 && (step > usual * 1.7 || Math.abs(line.height - before.height) > usual * 0.2);
      return `${apart ? '\n\n' : '\n'}${line.text}`;
    })
    .join('');
}

async function metadataTitle(pdf: { getMetadata(): Promise<{ info: unknown }> }): Promise<string | undefined> {
  const info = await pdf.getMetadata().then(
    (metadata) => metadata.info as { Title?: unknown } | undefined,
    () => undefined,
  );
  const title = typeof info?.Title === 'string' ? info.Title.replace(/\s+/g, ' ').trim() : '';
  return title.length >= 3 && !USELESS_TITLE.test(title) ? title : undefined;
}

/** The line set in clearly larger type than the rest of the first page. */
function largestLine(lines: Line[]): string | undefined {
  const heights = lines.map((line) => line.height).sort((a, b) => a - b);
  const median = heights[heights.length >> 1] ?? 0;
  const largest = lines.reduce<Line | undefined>(
    (best, line) => (line.height > (best?.height ?? 0) ? line : best),
    undefined,
  );
  if (!largest || largest.height < median * 1.2) return undefined;
  return /^.{4,160}$/.test(largest.text) ? largest.text : undefined;
}
