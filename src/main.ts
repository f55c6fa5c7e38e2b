#!/usr/bin/env bun
import type { CliContext, CliOutput } from './cli/context.ts';
import { rootCommand } from './cli/index.ts';
import { runCli } from './cli/run.ts';
import { serveAsWorker } from './cli/serve-as-worker.ts';
import { closeProcess } from './lib/close-process.ts';

// What this process writes is its owner's; files that a person names get the mode of that person's umask.
const umask = process.umask(0o077);

if (await serveAsWorker(process.argv.slice(2))) process.exit(0);
const aborted = new AbortController();
let stopSignal: 'SIGINT' | 'SIGTERM' | undefined;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // Somebody who asks twice does not want to wait.
    if (stopSignal) process.exit(exitStatusOf(name));
    stopSignal = name;
    aborted.abort(new DOMException(`Stopped by ${name}`, 'AbortError'));
  });
}
const context: CliContext = {
  signal: aborted.signal,
  umask,
  stdin: {
    text: () => Bun.stdin.text(),
    bytes: () => Bun.stdin.bytes(),
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
  },
  stdout: outputOf(() => process.stdout),
  stderr: outputOf(() => process.stderr),
};
// Before anything is read or started: keys come with the environment.
await closeProcess();
const status = await runCli(rootCommand, process.argv.slice(2), context);
process.exit(stopSignal && status === 130 ? exitStatusOf(stopSignal) : status);

/** Opened at its first use: the server answers before it has anything to say. */
function outputOf(open: () => NodeJS.WriteStream): CliOutput {
  let opened: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    if (opened) return opened;
    opened = open();
    // A reader that closes early (`agent … | head`) is not a failure.
    opened.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
    return opened;
  };
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => stream().write(chunk, (error) => (error ? reject(error) : resolve()))),
    get isTerminal() {
      return stream().isTTY === true;
    },
    get columns() {
      return stream().columns || 80;
    },
  };
}

function exitStatusOf(name: 'SIGINT' | 'SIGTERM'): number {
  return name === 'SIGINT' ? 130 : 143;
}
