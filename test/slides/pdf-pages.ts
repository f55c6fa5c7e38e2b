const PAGE_WIDTH = 960;
const PAGE_HEIGHT = 540;
const FOOTER_TOP = 500;

export interface Word {
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The colours of the upper left corner of each page. */
export function corners(path: string): [red: number, green: number, blue: number][] {
  const pages = Bun.spawnSync(['pdftoppm', '-r', '6', path]).stdout;
  const corners: [number, number, number][] = [];
  for (let offset = 0; offset < pages.length; ) {
    const header = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(pages.subarray(offset, offset + 30).toString('latin1'))!;
    const [head, width, height] = [header[0].length, Number(header[1]), Number(header[2])];
    const pixel = offset + head + 3 * (width + 1);
    corners.push([pages[pixel]!, pages[pixel + 1]!, pages[pixel + 2]!]);
    offset += head + 3 * width * height;
  }
  return corners;
}

/** The words of each page with their places, and the number of the page. */
export function readWords(path: string): [Word[], number][] {
  const xml = Bun.spawnSync(['pdftotext', '-bbox', path, '-']).stdout.toString();
  return xml
    .split('<page ')
    .slice(1)
    .map((page, index) => [
      [...page.matchAll(/<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g)].map(
        (match) => ({
          left: Number(match[1]),
          top: Number(match[2]),
          right: Number(match[3]),
          bottom: Number(match[4]),
          text: match[5]!,
        }),
      ),
      index + 1,
    ]);
}

/** What a viewer would see as an error: words outside the slide, in the footer, or on other words. */
export function wordProblems(words: Word[], page: number): string[] {
  const problems: string[] = [];
  for (const word of words) {
    if (word.left < 20 || word.right > PAGE_WIDTH - 20 || word.top < 10 || word.bottom > PAGE_HEIGHT - 5)
      problems.push(`page ${page}: "${word.text}" leaves the slide`);
    // Only the footer and the slide number stand there.
    if (word.bottom > FOOTER_TOP && word.top < FOOTER_TOP - 4)
      problems.push(`page ${page}: "${word.text}" runs into the footer`);
  }
  const sorted = words.toSorted((a, b) => a.top - b.top);
  for (const [index, word] of sorted.entries())
    for (let other = index + 1; other < sorted.length && sorted[other]!.top < word.bottom; other++) {
      const next = sorted[other]!;
      const width = Math.min(word.right, next.right) - Math.max(word.left, next.left);
      const height = Math.min(word.bottom, next.bottom) - Math.max(word.top, next.top);
      const smaller = Math.min(
        (word.right - word.left) * (word.bottom - word.top),
        (next.right - next.left) * (next.bottom - next.top),
      );
      if (width > 0 && height > 0 && width * height > smaller * 0.4)
        problems.push(`page ${page}: "${word.text}" and "${next.text}" overlap`);
    }
  return problems;
}

/** Names of the fonts in the file, as drawn. */
export function fontsIn(path: string): string[] {
  const lines = Bun.spawnSync(['pdffonts', path]).stdout.toString().trim().split('\n').slice(2);
  return lines.map((line) => line.split(/\s/)[0]!.replace(/^[A-Z]{6}\+/, ''));
}
