import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
const HANDBOOK = 'src/handbook';

/** A fenced block of a page. */
export interface Block {
  /** Place in the repository and number of the line of the fence: `README.md:13`. */
  place: string;
  language: string;
  /** Second word of the fence: how a shell block differs from one that runs to its end without network. */
  mark: string;
  text: string;
}

export interface DocumentationPage {
  path: string;
  blocks: Block[];
}

/** The pages a user reads: those in the root of the repository, then the handbook. */
export function documentationPages(): DocumentationPage[] {
  const files = (folder: string) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => join(folder, name));
  return [...files('.'), ...files(HANDBOOK)].map((path) => ({
    path,
    blocks: readBlocks(path, readFileSync(join(ROOT, path), 'utf8')),
  }));
}

/** The fenced blocks of a Markdown text, also those in lists. */
export function readBlocks(path: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; indent: number; block: Block } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(line);
    if (open) {
      if (fence && fence[3] === '' && fence[2]!.startsWith(open.fence)) {
        blocks.push(open.block);
        open = undefined;
      } else open.block.text += `${line.slice(Math.min(open.indent, line.search(/\S|$/)))}\n`;
    } else if (fence) {
      const [language = '', ...mark] = fence[3]!.split(/\s+/);
      open = {
        fence: fence[2]!,
        indent: fence[1]!.length,
        block: { place: `${path}:${index + 1}`, language, mark: mark.join(' '), text: '' },
      };
    }
  }
  if (open) throw new Error(`${open.block.place}: the block has no end`);
  return blocks;
}
