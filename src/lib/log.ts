import { escapeLine } from './escape-controls.ts';

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

/** Structured log. Fields hold ids, counts and codes, never secrets, prompts or payloads. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}

export interface LoggerOptions {
  level: LogLevel | 'silent';
  format: 'text' | 'json';
  write?: (line: string) => void;
  now?: () => number;
}

const RANK: Record<LogLevel | 'silent', number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/**
 * A logger writing one line per entry to stderr (stdout belongs to command output and MCP stdio). Values may come from
 * outside: nothing in them ends the line or steers a terminal.
 */
export function createLogger(options: LoggerOptions, base: LogFields = {}): Logger {
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const now = options.now ?? Date.now;
  const emit = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (RANK[level] < RANK[options.level]) return;
    const time = new Date(now()).toISOString();
    const all = { ...base, ...fields };
    if (options.format === 'json')
      return write(escapeLine(JSON.stringify({ time, level, message, ...all }, errorAware)));
    const tail = Object.entries(all).map(([key, value]) => ` ${key}=${formatField(value)}`);
    write(escapeLine(`${time} ${level.toUpperCase().padEnd(5)} ${message}${tail.join('')}`));
  };
  return {
    debug: (message, fields) => emit('debug', message, fields),
    info: (message, fields) => emit('info', message, fields),
    warn: (message, fields) => emit('warn', message, fields),
    error: (message, fields) => emit('error', message, fields),
    with: (fields) => createLogger(options, { ...base, ...fields }),
  };
}

/** A logger that drops everything. */
export const silentLogger: Logger = createLogger({ level: 'silent', format: 'text' });

function formatField(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, errorAware);
  return /^[^\s"=]+$/.test(text ?? '') ? (text as string) : JSON.stringify(text ?? null);
}

function errorAware(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
