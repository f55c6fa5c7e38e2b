const NO_NETWORK = 'The sandbox has no network; use the search tools for that.';
const NO_MODULES = 'The sandbox has no modules and no files: only the language itself and console.log.';
const NO_PROCESS = 'The sandbox has no process: no environment, no commands, no files.';
const NO_TIMERS = 'The sandbox has no timers: nothing happens later.';

const BY_NAME: Record<string, string> = {
  fetch: NO_NETWORK,
  XMLHttpRequest: NO_NETWORK,
  WebSocket: NO_NETWORK,
  EventSource: NO_NETWORK,
  require: NO_MODULES,
  module: NO_MODULES,
  exports: NO_MODULES,
  importScripts: NO_MODULES,
  Buffer: NO_MODULES,
  process: NO_PROCESS,
  Bun: NO_PROCESS,
  Deno: NO_PROCESS,
  Worker: NO_PROCESS,
  window: 'The sandbox is no browser.',
  document: 'The sandbox is no browser.',
  setTimeout: NO_TIMERS,
  setInterval: NO_TIMERS,
  setImmediate: NO_TIMERS,
};

/** Says why an error is the sandbox's doing and what to do instead; undefined when it is not. */
export function hintFor(error: string): string | undefined {
  const missing = /^ReferenceError: '?(\w+)'? is not defined/.exec(error)?.[1];
  if (missing !== undefined) return Object.hasOwn(BY_NAME, missing) ? BY_NAME[missing] : undefined;
  if (/could not load module|^SyntaxError: (expecting '\('|unsupported keyword: import)/.test(error)) return NO_MODULES;
  if (/^SyntaxError: redeclaration of/.test(error))
    return 'Names of earlier evaluations are kept: assign to it without let or const, or use another name.';
  if (/stack overflow/.test(error)) return 'The recursion is too deep for the sandbox.';
  return undefined;
}
