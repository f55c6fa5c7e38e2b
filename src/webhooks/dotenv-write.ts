import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureHome } from '../config/home.ts';
import { fail } from '../errors.ts';
import { replaceFile } from '../lib/replace-file.ts';

/** Sets variables in `<home>/.env` and leaves every other line as it is; the file ends with mode 0600. */
export async function writeDotenv(home: string, variables: Record<string, string>): Promise<string> {
  await ensureHome(home);
  const path = join(home, '.env');
  const old = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw fail('dotenv_unreadable', `${path} cannot be read (${error.code ?? 'unknown error'}).`, { cause: error });
  });
  await replaceFile(path, setVariables(old, variables));
  return path;
}

/** Replaces the assignments of the variables and appends those that are missing. */
function setVariables(text: string, variables: Record<string, string>): string {
  const left = new Map(Object.entries(variables));
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const kept = lines.flatMap((line) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=/.exec(line)?.[1];
    if (name === undefined || !Object.hasOwn(variables, name)) return [line];
    const value = left.get(name);
    left.delete(name);
    // A second assignment would win over the first.
    return value === undefined ? [] : [`${name}=${quote(value)}`];
  });
  return `${[...kept, ...[...left].map(([name, value]) => `${name}=${quote(value)}`)].join('\n')}\n`;
}

function quote(value: string): string {
  if (/^[A-Za-z0-9_./:@+-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((candidate) => !value.includes(candidate));
  if (!mark || /[\r\n]/.test(value))
    throw fail('invalid_value', 'A value with line breaks or all three kinds of quotes cannot be stored in .env.');
  return `${mark}${value}${mark}`;
}
