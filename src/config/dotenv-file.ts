import { type Problem, readHomeFile } from './source.ts';

export interface DotenvFile {
  variables: Record<string, string>;
  /** Line of a variable's last assignment, from 1. */
  lineOf(name: string): number | undefined;
  problem?: Problem;
}

/** Reads `<home>/.env` (KEY=value lines, `export`, quotes, comments); an absent file has no variables. */
export async function readDotenvFile(path: string): Promise<DotenvFile> {
  const { text, problem } = readHomeFile(path, '.env');
  if (text === undefined) return { variables: {}, lineOf: () => undefined, ...(problem ? { problem } : {}) };
  // Loaded here because most starts have no file.
  const { parseEnv } = await import('node:util');
  const lines = text.split('\n');
  return {
    variables: parseEnv(text) as Record<string, string>,
    lineOf: (name) => {
      const index = lines.findLastIndex(
        (line) =>
          line
            .replace(/^\s*(export\s+)?/, '')
            .split('=')[0]
            ?.trim() === name,
      );
      return index < 0 ? undefined : index + 1;
    },
  };
}
