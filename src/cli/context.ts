import type { DeepPartial, Environment, LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

/** Where a command writes; `write` resolves once the text is handed to the system. */
export interface CliOutput {
  write(chunk: string | Uint8Array): Promise<void>;
  isTerminal: boolean;
  /** Width of the terminal in characters. */
  columns: number;
}

interface CliInput {
  /** Everything until the end of the input. */
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
  isTerminal: boolean;
}

/** The process as a command sees it; tests hand in their own. */
export interface CliContext {
  /** Variables in place of the process environment. */
  env?: Environment;
  stdin: CliInput;
  stdout: CliOutput;
  stderr: CliOutput;
  /** The umask of the person who called; files they name follow it. */
  umask?: number;
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
}

/** What `run` of a command gets. */
export interface CommandContext extends CliContext {
  /** `--json` was given. */
  json: boolean;
  /** `--home`, when given. */
  homeOverride: string | undefined;
  /** Writes one line (or a value as JSON) to stdout; text from outside in it neither breaks the line nor steers a terminal. */
  print(line: string | object): Promise<void>;
  /** Writes several lines to stdout, each as safe as one of `print`. */
  printLines(lines: readonly string[]): Promise<void>;
  /** Says on stderr what the person should know; as safe as `print`, and so are the next two. */
  note(line: string): Promise<void>;
  /** Says on stderr that something was done. */
  done(line: string): Promise<void>;
  /** Warns on stderr. */
  warn(line: string): Promise<void>;
  /** Configuration and home for this call, `--home` and `--debug` honoured. */
  loadConfig(flags?: DeepPartial<Config>): Promise<LoadedConfig>;
}
