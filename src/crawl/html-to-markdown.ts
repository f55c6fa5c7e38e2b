import type TurndownService from 'turndown';

/** Loads the converter; the returned function writes an element as Markdown (GitHub flavour). */
export async function createMarkdownWriter(): Promise<(element: Element | string) => string> {
  const { default: Turndown } = await import('turndown');
  const gfm = await import('turndown-plugin-gfm');
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' });
  service.use([gfm.strikethrough, gfm.taskListItems, gfm.highlightedCodeBlock, tables]);
  service.addRule('emptyLink', { filter: isEmptyLink, replacement: (content) => content });
  service.addRule('bareImage', { filter: isBareImage, replacement: () => '' });
  // Sentences must stand as on the page, so that they can be quoted verbatim.
  service.escape = (text) => text;
  return (element) =>
    service
      .turndown(element as TurndownService.Node)
      .replace(/[\u00a0\u2007\u202f]/g, ' ')
      .replace(/[\u200b\u2060\ufeff]/g, '')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
}

function isEmptyLink(node: Node): boolean {
  return node.nodeName === 'A' && (!(node as Element).getAttribute('href') || !node.textContent?.trim());
}

function isBareImage(node: Node): boolean {
  return node.nodeName === 'IMG' && !(node as Element).getAttribute('src');
}

/** Own table rules: those of turndown-plugin-gfm read `table.rows`, which linkedom does not have, and keep headless tables as HTML. */
function tables(service: TurndownService): void {
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node) =>
      isDataTable(node)
        ? ` ${content
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '')
            .join(' ')
            .replaceAll('|', '\\|')} |`
        : `\n\n${content}\n\n`,
  });
  service.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => (isDataTable(node) ? (content.trim() ? `|${content}\n` : '') : content),
  });
  service.addRule('section', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
  service.addRule('table', {
    filter: 'table',
    replacement: (content, node) => `\n\n${isDataTable(node) ? withHeadLine(content) : content}\n\n`,
  });
}

function withHeadLine(content: string): string {
  const rows = content.split('\n').filter((row) => row.trim());
  const first = rows.findIndex((row) => row.startsWith('|'));
  const head = rows[first];
  if (head === undefined) return content;
  const columns = head.replaceAll('\\|', '').split('|').length - 2;
  const captions = rows.filter((row) => !row.startsWith('|'));
  const lines = rows.filter((row) => row.startsWith('|'));
  const [headLine, ...rest] = lines;
  return [...captions, ...(captions.length ? [''] : []), headLine, `|${' --- |'.repeat(columns)}`, ...rest].join('\n');
}

/** False for tables that only lay a page out: nested ones, or a single column. */
function isDataTable(node: Node): boolean {
  const table = (node as Element).closest('table');
  if (!table || table.querySelector('table') || table.parentElement?.closest('table')) return false;
  return [...table.querySelectorAll('tr')].some((row) => row.querySelectorAll('td, th').length > 1);
}
