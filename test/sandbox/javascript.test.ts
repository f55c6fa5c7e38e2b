import { afterAll, describe, expect, test } from 'bun:test';
import { createCoder } from './coder-tools.ts';

const coder = createCoder({ sandbox: { time_limit_seconds: 0.3 } });
const run = coder.begin();
afterAll(() => coder.provider.stop());

describe('javascript_repl_tool', () => {
  test.each<[string, string]>([
    ['1 + 1', '=> 2'],
    ['"text"', '=> "text"'],
    ['({ a: [1, "b", null, undefined], d: new Date(0), m: new Map([["k", 1n]]), s: new Set([1]) })', '1970-01-01'],
    ['[1, 2, 3].map((x) => x ** 2)', '=> [ 1, 4, 9 ]'],
    ['console.log("a", { b: 1 }); console.error([2])', 'a { b: 1 }\n[ 2 ]'],
    ['await Promise.resolve(42)', '=> 42'],
    ['Promise.resolve(43)', '=> 43'],
    ['(async () => { await null; return 44; })()', '=> 44'],
    ['```js\n6 * 7\n```', '=> 42'],
    ['undefined', '(no output; use console.log or end with an expression)'],
    ['const c = {}; c.c = c; c', 'c: [Circular]'],
    ['({ get a() { throw new Error("x") } })', '=> [object Object]'],
    ['2n ** 100n', '=> 1267650600228229401496703205376n'],
    ['new Array(1000).fill(0)', '… 900 more'],
    ['Symbol("s")', '=> Symbol(s)'],
    ['throw new TypeError("wrong")', 'TypeError: wrong\n    at <eval> (code.js:1:'],
    ['throw { a: 1 }', 'Uncaught { a: 1 }'],
    ['await Promise.reject(new Error("late"))', 'Error: late'],
    ['let 1x', 'SyntaxError: '],
    ['await new Promise(() => {})', 'waits for a promise that nothing settles'],
  ])('%s', async (code, expected) => {
    expect(await run.javascript(code)).toContain(expected);
  });

  test('keeps variables, functions and classes for the run, and for no other run', async () => {
    const one = coder.begin();
    const other = coder.begin();
    await one.javascript('const rate = 0.19; function tax(x) { return x * rate } class Box { v = 1 }');
    expect(await one.javascript('tax(100) + new Box().v')).toBe('=> 20');
    expect(await one.javascript('const rate = 1')).toContain('assign to it without let or const');
    expect(await other.javascript('typeof tax')).toBe('=> "undefined"');
    await one.set.close();
    await other.set.close();
  });

  test('calls of one answer run one after the other in one world', async () => {
    const one = coder.begin();
    await one.javascript('globalThis.n = 0');
    expect(await Promise.all([1, 2, 3].map(() => one.javascript('++n')))).toEqual(['=> 1', '=> 2', '=> 3']);
    await one.set.close();
  });

  test.each([undefined, '', '  ', 5, null, {}])('refuses %p as code', async (code) => {
    expect(await run.javascript(code).catch((error: Error) => error.message)).toContain('"code"');
  });

  test('is for the coder only', async () => {
    const { set } = coder.begin();
    const signal = new AbortController().signal;
    for (const agent of ['researcher', 'analyst', 'coordinator', 'planner', 'reporter'] as const)
      expect(await set.toolsFor(agent, signal)).toEqual([]);
    const names = (await set.toolsFor('coder', signal)).map((tool) => tool.definition.name);
    expect(names).toEqual(['javascript_repl_tool', 'python_repl_tool']);
    await set.close();
  });
});

describe('a way out of the sandbox fails and says why', () => {
  test.each<[string, string]>([
    ['fetch("http://127.0.0.1:8000/health")', 'no network'],
    ['new WebSocket("ws://x")', 'no network'],
    ['new XMLHttpRequest()', 'no network'],
    ['require("fs").readFileSync("/etc/passwd")', 'no modules and no files'],
    ['await import("node:fs")', 'no modules and no files'],
    ['import fs from "fs"', 'no modules and no files'],
    ['process.env.HOME', 'no process'],
    ['Bun.spawn(["id"])', 'no process'],
    ['Deno.env', 'no process'],
    ['setTimeout(() => {}, 1)', 'no timers'],
    ['this.constructor.constructor("return process")()', 'no process'],
    ['[].constructor.constructor("return process.env")()', 'no process'],
    ['(async () => {}).constructor("return process")().then((p) => p)', 'no process'],
    ['console.log.constructor("return Bun")()', 'no process'],
    ['Object.getPrototypeOf(console.log).constructor("return require")()', 'no modules and no files'],
    ['eval("process")', 'no process'],
    ['new Function("return postMessage")()', 'not defined'],
    ['self', 'not defined'],
    ['Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', 'Error'],
  ])('%s', async (code, why) => {
    expect(await run.javascript(code)).toContain(why);
  });

  test('what the sandbox does to its own prototypes stays inside', async () => {
    const one = coder.begin();
    await one.javascript('Object.prototype.polluted = "yes"; __proto__.more = 1; Array.prototype.map = null');
    await one.javascript('Object.prototype.toString = () => { throw 1 }; Promise.prototype.then = null; 1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await coder.begin().javascript('typeof ({}).polluted')).toBe('=> "undefined"');
    await one.set.close();
  });

  test('nothing of the host is reachable from the global object', async () => {
    const names = await run.javascript('Reflect.ownKeys(globalThis).map(String).join(" ")');
    for (const name of ['process', 'Bun', 'require', 'fetch', 'postMessage', 'Worker', 'WebAssembly', 'navigator'])
      expect(names.split(/[\s"]/)).not.toContain(name);
  });
});

describe('a limit ends the code and says which', () => {
  test.each<[string, string]>([
    ['while (true) {}', 'ran longer than the 0.3 s allowed'],
    ['for (;;) { try { throw 1 } catch {} finally { continue } }', 'ran longer'],
    ['({ toString() { while (true); } }) + ""', 'ran longer'],
    ['({ get x() { while (true); } })', 'ran longer'],
    ['console.log({ get x() { while (true); } })', 'ran longer'],
    ['throw { get message() { while (true); } }', 'ran longer'],
    [
      'const e = new Error("x"); Object.defineProperty(e, "message", { get() { while (true); } }); throw e',
      'ran longer',
    ],
    ['new Proxy({}, { ownKeys() { while (true); } })', 'ran longer'],
    ['const again = () => Promise.resolve().then(again); await again()', 'ran longer'],
    ['const forever = () => Promise.resolve().then(forever); forever(); 1', 'ran longer'],
    ['({ then() { while (true); } })', 'then'],
    ['await { then() { while (true); } }', 'ran longer'],
    ['/(a+)+$/.test("a".repeat(40) + "!")', 'ran longer'],
    ['[3, 2, 1].sort(() => { while (true); })', 'ran longer'],
    ['const big = []; for (;;) big.push(new Array(1e6).fill(1))', 'stopped'],
    ['new ArrayBuffer(1024 ** 3)', 'more memory than the 64 MB allowed'],
    ['"x".repeat(2 ** 29)', 'more memory than the 64 MB allowed'],
    ['Array.from({ length: 1e9 })', 'stopped'],
    ['console.log("x".repeat(1e7))', '… (10000000 characters)'],
    ['for (let i = 0; i < 10; i++) console.log("x".repeat(1e4))', 'printed more than the 65536 characters allowed'],
    ['function f() { return f() + 1 } f()', 'too deep'],
    ['JSON.parse("[".repeat(100000))', 'too deep'],
  ])('%s', async (code, why) => {
    const one = coder.begin();
    const started = performance.now();
    const answer = await one.javascript(code);
    expect(answer.slice(-300)).toContain(why);
    expect(answer.length).toBeLessThan(67_000);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(await one.javascript('1 + 1')).toEndWith('=> 2');
    await one.set.close();
  });

  test('endless output ends at its limit, long before the time does', async () => {
    using few = createCoder({ sandbox: { output_limit_bytes: 1024 } });
    const answer = await few.begin().javascript('while (true) console.log("spam")');
    expect(answer).toStartWith('spam\nspam\n');
    expect(answer).toContain('printed more than the 1024 characters allowed');
    expect(answer.length).toBeLessThan(1200);
  });

  test('output until the limit is kept', async () => {
    const one = coder.begin();
    // The start of the sandbox is not in the time of what comes next.
    await one.javascript('1');
    expect(await one.javascript('console.log("before"); while (true) {}')).toStartWith('before\nError: stopped');
    await one.set.close();
  });

  test('a huge value is cut, not refused', async () => {
    expect((await run.javascript('"y".repeat(1e6)')).length).toBeLessThan(70_000);
  });
});

describe('the server', () => {
  test('is never held while code loops, allocates or floods', async () => {
    const one = coder.begin();
    await one.javascript('1');
    const longestGap = async (code: string) => {
      let longest = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
      }, 1);
      await one.javascript(code);
      clearInterval(timer);
      return longest;
    };
    for (const code of [
      'while (true) {}',
      'while (true) console.log("spam")',
      'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)',
    ]) {
      // 20 ms is the mark (scripts/bench/sandbox.ts). A machine stalls now and then; a held loop is held every time.
      let gap = await longestGap(code);
      for (let again = 0; again < 2 && gap >= 100; again++) gap = Math.min(gap, await longestGap(code));
      expect(gap).toBeLessThan(100);
    }
    await one.set.close();
  });

  test('ends the code when the run is aborted, and waits for nobody', async () => {
    const one = coder.begin();
    await one.javascript('1');
    const leave = new AbortController();
    const reason = new Error('left');
    const answer = one.javascript('while (true) {}', leave.signal).catch((error: unknown) => error);
    leave.abort(reason);
    expect(await answer).toBe(reason);
    await one.set.close();
    await one.set.close();
  });

  test('keeps no more threads than allowed: who waits longest for work makes room and is told', async () => {
    using few = createCoder({ sandbox: { max_workers: 2 } });
    const runs = [few.begin(), few.begin(), few.begin()];
    await runs[0]!.javascript('let kept = 1');
    await runs[1]!.javascript('let kept = 2');
    await runs[2]!.javascript('let kept = 3');
    expect(await runs[1]!.javascript('kept')).toBe('=> 2');
    expect(await runs[0]!.javascript('typeof kept')).toBe(
      'Note: the variables of earlier calls were dropped to make room for other runs.\n=> "undefined"',
    );
  });

  test('makes callers wait while every thread works', async () => {
    using few = createCoder({ sandbox: { max_workers: 1, time_limit_seconds: 0.2 } });
    const first = few.begin().javascript('while (true) {}');
    const second = few.begin().javascript('1 + 1');
    expect(await Promise.all([first, second])).toEqual([expect.stringContaining('ran longer'), '=> 2']);
    const hold = few.begin().javascript('while (true) {}');
    const leave = new AbortController();
    const gone = few
      .begin()
      .javascript('1', leave.signal)
      .catch((error: unknown) => error);
    leave.abort(new Error('left'));
    expect(String(await gone)).toBe('Error: left');
    await hold;
  });
});
