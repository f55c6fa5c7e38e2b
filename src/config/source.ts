import { readFileSync } from 'node:fs';

/** Where a configuration value came from. */
export interface Origin {
  source: 'default' | 'file' | 'dotenv' | 'environment' | 'flag';
  /** For people: `config.yaml:12`, `.env:3 (OPENAI_API_KEY)`, `environment (AGENT_PORT)`. */
  label: string;
}

/** One thing that is wrong with the configuration. */
export interface Problem {
  path: string;
  message: string;
  origin?: string;
}

/**
 * The text of a file of the home; undefined when there is none; a problem when it cannot be read as text.
 * Read synchronously: at start-up there is nothing else to do, and two hops to the thread pool cost milliseconds.
 */
export function readHomeFile(path: string, name: string): { text?: string; problem?: Problem } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return {};
    const reason = error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read (${code ?? 'unknown error'})`;
    return { problem: { path: name, message: `${path} ${reason}.` } };
  }
}
