import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stillRunning } from '../helpers/processes.ts';
import { createCoder } from './coder-tools.ts';

const hasBubblewrap = Bun.which('bwrap') !== null && Bun.which('python3') !== null;
const coder = createCoder({ python: { enabled: true, time_limit_seconds: 10 } });
const python = (code: string) => coder.begin().python(code);
afterAll(() => coder.provider.stop());

describe.if(hasBubblewrap)('python_repl_tool in bubblewrap', () => {
  test.each<[string, string]>([
    ['1 + 1', '2'],
    ['x = 3\nprint(x)\nx * 2', '3\n6'],
    ['```python\nprint("fenced")\n```', 'fenced'],
    ['"text"', "'text'"],
    ['None', '(no output; use print or end with an expression)'],
    ['x = 1', '(no output; use print or end with an expression)'],
    ['print("ünïcode 日本")', 'ünïcode 日本'],
    ['import json, math, statistics\nstatistics.mean([1, 2, 6])', '3'],
    ['open("/tmp/a", "w").write("abc")\nopen("/tmp/a").read()', "'abc'"],
    ['def f():\n    return 5\nf()', '5'],
    ['if True:\n    print("block")', 'block'],
  ])('%j', async (code, expected) => {
    expect(await python(code)).toBe(expected);
  });

  test('tells an error with the lines of the code only', async () => {
    const answer = await python('def f():\n    1 / 0\nf()');
    expect(answer).toContain('File "<code>", line 2, in f\nZeroDivisionError: division by zero');
    expect(answer).not.toContain('<string>');
    expect(await python('this is no python')).toContain('SyntaxError: invalid syntax');
  });

  test('keeps nothing from one call to the next', async () => {
    const run = coder.begin();
    await run.python('open("/tmp/mark", "w").write("x")');
    expect(await run.python('import os; os.listdir("/tmp")')).toBe('[]');
  });

  test.each<[string, string, string]>([
    ['a socket to the internet', 'import socket; socket.create_connection(("1.1.1.1", 80), 2)', 'no network'],
    ['a socket to this machine', 'import socket; socket.create_connection(("127.0.0.1", 8000), 2)', 'no network'],
    ['a name', 'import urllib.request; urllib.request.urlopen("http://example.com")', 'no network'],
    ['/etc/shadow', 'open("/etc/shadow").read()', 'no files'],
    ['/etc/passwd', 'open("/etc/passwd").read()', 'no files'],
    ['/root', 'import os; os.listdir("/root")', 'no files'],
    ['/home', 'import os; os.listdir("/home")', 'no files'],
    ['the folder of this test', `open(${JSON.stringify(import.meta.path)}).read()`, 'no files'],
    ['a system folder', 'open("/usr/evil", "w")', 'Read-only file system'],
    ['the root folder', 'open("/evil", "w")', 'no files'],
    ['10,000 forks', forks(), 'The code may have 32 processes and threads.'],
    ['a thousand threads', threads(), 'The code may have 32 processes and threads.'],
    ['2 GB', 'x = bytearray(2 * 1024 ** 3)', 'The code may use 512 MB.'],
    ['a big file', 'open("/tmp/x", "wb").write(b"x" * (100 << 20))', 'File too large'],
    ['its own limits', 'import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))', 'not allowed to raise'],
    ['root', 'import os; os.setuid(0)', 'Error: [Errno'],
    [
      'a user namespace of its own',
      'import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); libc.unshare(0x10020000); os.strerror(ctypes.get_errno())',
      'Operation not permitted',
    ],
    [
      'a mount',
      'import subprocess; subprocess.run(["mount", "-t", "tmpfs", "x", "/tmp"], check=True)',
      'returned non-zero',
    ],
    ['a crash', 'import ctypes; ctypes.string_at(0)', 'ended with status'],
    ['a module that is not there', 'import surely_not_installed', 'none can be installed'],
    ['questions to the user', 'input()', 'EOFError'],
  ])('refuses %s and says why', async (_name, code, why) => {
    expect(await python(code)).toContain(why);
  });

  test('shows neither the environment nor the processes of the server', async () => {
    const environment = await python('import os; sorted(os.environ)');
    expect(environment).toBe("['HOME', 'LANG', 'LD_LIBRARY_PATH', 'PATH', 'PWD']");
    const processes = await python('import os; [p for p in os.listdir("/proc") if p.isdigit()]');
    expect(processes).toBe("['1', '2']");
  });

  test('ends an endless loop, with everything it has started', async () => {
    using quick = createCoder({ python: { enabled: true, time_limit_seconds: 0.5 } });
    const started = performance.now();
    const marker = `sleep-${crypto.randomUUID()}`;
    const code = `import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.execv("/bin/sh", ["${marker}", "-c", "sleep 60; exit"])\nwhile True: pass`;
    expect(await quick.begin().python(code)).toContain('ran longer than the 0.5 s allowed');
    expect(performance.now() - started).toBeLessThan(4000);
    expect(await stillRunning(marker)).toEqual([]);
  });

  test('ends endless output', async () => {
    using quick = createCoder({ python: { enabled: true, output_limit_bytes: 1024 } });
    const answer = await quick.begin().python('while True: print("spam")');
    expect(answer).toContain('printed more than the 1024 bytes allowed');
    expect(answer.length).toBeLessThan(1200);
  });

  test('ends with an aborted run', async () => {
    const leave = new AbortController();
    const reason = new Error('left');
    const answer = coder
      .begin()
      .python('while True: pass', leave.signal)
      .catch((error: unknown) => error);
    setTimeout(() => leave.abort(reason), 20);
    expect(await answer).toBe(reason);
  });
});

describe('python_repl_tool', () => {
  const refusal = async (options: Parameters<typeof createCoder>[0]) => {
    using refusing = createCoder(options);
    return refusing
      .begin()
      .python('print(1)')
      .catch((error: Error & { code?: string }) => `${error.code}: ${error.message}`);
  };

  test('is disabled unless ENABLE_PYTHON_REPL is set, and says what to use', async () => {
    expect(await refusal({})).toBe(
      'python_disabled: Python is disabled on this server (ENABLE_PYTHON_REPL). Use javascript_repl_tool instead.',
    );
  });

  test('refuses without bubblewrap', async () => {
    const answer = await refusal({ python: { enabled: true }, findProgram: without('bwrap') });
    expect(answer).toStartWith('python_unavailable: Python cannot run here: bubblewrap (bwrap) is not installed.');
    expect(answer).toContain('python.unsafe: true');
  });

  test('refuses without Python', async () => {
    expect(await refusal({ python: { enabled: true }, findProgram: without('python3') })).toContain(
      'there is no python3 on this machine',
    );
  });

  test('says what bubblewrap complains of', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-bwrap-'));
    try {
      const bwrap = join(folder, 'bwrap');
      writeFileSync(bwrap, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', {
        mode: 0o755,
      });
      const findProgram = (name: string) => (name === 'bwrap' ? bwrap : (Bun.which(name) ?? undefined));
      expect(await refusal({ python: { enabled: true }, findProgram })).toStartWith(
        'python_unavailable: Python cannot run here: bubblewrap could not build the sandbox (No permissions to create new namespace).',
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.if(Bun.which('python3') !== null)('shows the interpreter it looks for nothing of our environment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-python-look-'));
    try {
      const names = join(folder, 'names');
      const fake = join(folder, 'python3');
      writeFileSync(fake, `#!/bin/sh\nenv | cut -d= -f1 >>${names}\nexec ${Bun.which('python3')} "$@"\n`, {
        mode: 0o755,
      });
      Bun.env['AGENT_SECRET_OF_THE_TEST'] = 'hush';
      using coder = createCoder({
        python: { enabled: true, unsafe: true, command: fake },
        findProgram: without('bwrap'),
      });
      expect(await coder.begin().python('6 * 7')).toBe('42');
      const seen = new Set((await Bun.file(names).text()).trim().split('\n'));
      expect([...seen].filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).sort()).toEqual([
        'HOME',
        'LANG',
        'PATH',
      ]);
    } finally {
      delete Bun.env['AGENT_SECRET_OF_THE_TEST'];
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.if(Bun.which('python3') !== null)('runs without a sandbox only with python.unsafe', async () => {
    using open = createCoder({
      python: { enabled: true, unsafe: true, time_limit_seconds: 0.5 },
      findProgram: without('bwrap'),
    });
    expect(await open.begin().python('6 * 7')).toBe('42');
    expect(await open.begin().python('while True: pass')).toContain('ran longer');
    expect(await open.begin().python('import os; print("HOME" in os.environ, len(os.environ) < 8)')).toBe('True True');
  });
});

function without(missing: string) {
  return (name: string) => (name === missing ? undefined : (Bun.which(name) ?? undefined));
}

function forks(): string {
  return 'import os, time\nfor i in range(10000):\n    if os.fork() == 0:\n        time.sleep(60)\n        os._exit(0)';
}

function threads(): string {
  return 'import threading, time\nfor i in range(1000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()';
}
