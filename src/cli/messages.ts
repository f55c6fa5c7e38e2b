import type { InputLogObject } from 'consola';
import { escapeLine, escapeLines } from '../lib/escape-controls.ts';
import type { CliOutput } from './context.ts';

/** Levels of the log that the kinds of messages belong to. */
const LEVELS = { info: 'info', success: 'info', warn: 'warn', error: 'error' } as const;

type MessageKind = keyof typeof LEVELS;

/**
 * What a command says beside its result: marked and coloured on a terminal, bare lines in a pipe, and lines of JSON where
 * the log is JSON, so that one reader understands both. Line breaks in `text` are ours.
 */
export class Messages {
  format: 'text' | 'json' = 'text';
  readonly #output: CliOutput;

  constructor(output: CliOutput) {
    this.#output = output;
  }

  async say(kind: MessageKind, text: string): Promise<void> {
    if (this.format === 'json') {
      const entry = { time: new Date().toISOString(), level: LEVELS[kind], message: text };
      return this.#output.write(`${escapeLine(JSON.stringify(entry))}\n`);
    }
    const safe = escapeLines(text);
    if (!this.#output.isTerminal) return this.#output.write(`${safe}\n`);
    // Loaded by the first message on a terminal: the start of a command does not wait for it.
    const { createConsola } = await import('consola');
    let written = Promise.resolve();
    const stream = {
      write: (chunk: string) => {
        written = this.#output.write(chunk);
      },
    };
    const options = {
      fancy: true,
      level: 3,
      throttle: 0,
      // One line each: badges stand between empty lines.
      defaults: { badge: false } as InputLogObject,
      formatOptions: { date: false },
      stdout: stream as NodeJS.WriteStream,
      stderr: stream as NodeJS.WriteStream,
    };
    createConsola(options)[kind](safe);
    await written;
  }
}

/** Lines that belong together: in a box where a terminal is wide enough for it, as they are anywhere else. */
export async function writeBox(output: CliOutput, lines: readonly string[]): Promise<void> {
  const safe = lines.map(escapeLine);
  const width = Math.max(...safe.map((line) => line.length)) + BOX_FRAME;
  // consola counts UTF-16 units: beside wide letters its border would be ragged.
  const fits =
    output.isTerminal && width <= output.columns && safe.every((line) => Bun.stringWidth(line) === line.length);
  if (!fits) return output.write(safe.map((line) => `${line}\n`).join(''));
  const { box } = await import('consola/utils');
  await output.write(`${box(safe.join('\n'), { style: { marginLeft: 0, padding: 1 } })}\n`);
}

/** Columns that a box takes beside its text. */
const BOX_FRAME = 6;
