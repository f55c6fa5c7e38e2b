import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userError } from '../errors.ts';

/** Sets variables in `<home>/.env` and leaves every other line as it is; the file ends with mode 0600. */
export async function writeDotenv(home: string, variables: Record<string, string>): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const path = join(home, '.env');
  const target = await realpath(path).catch(() => path);
  const old = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw userError('dotenv_unreadable', 500, `${path} cannot be read (${error.code ?? 'unknown error'}).`, error);
  });
  const temporary = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(setVariables(old, variables));
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const directory = await open(dirname(target), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  return path;
}

/** Replaces the assignments of the variables and appends those that are missing. */
export function setVariables(text: string, variables: Record<string, string>): string {
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
    throw userError(
      'invalid_value',
      400,
      'A value with line breaks or all three kinds of quotes cannot be stored in .env.',
    );
  return `${mark}${value}${mark}`;
}
