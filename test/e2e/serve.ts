import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryPath } from './binary.ts';

export interface ServingBinary extends AsyncDisposable {
  url: string;
  /** The address of the webhook listener, when that is enabled. */
  webhooksUrl: string | undefined;
  pid: number;
  home: string;
  exited: Promise<number>;
  /** What it wrote to stderr so far. */
  log(): string;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
}

/** Starts `agent serve` of the compiled binary on a free port and waits for its address. */
export async function startBinary(
  options: { env?: Record<string, string>; home?: string; config?: string; keepHome?: boolean; words?: string[] } = {},
): Promise<ServingBinary> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'agent-e2e-serve-')));
  if (options.config) await writeFile(join(home, 'config.yaml'), options.config);
  const child = Bun.spawn([binaryPath(), ...(options.words ?? ['serve', '--port', '0'])], {
    cwd: home,
    env: { PATH: '/usr/bin:/bin', HOME: home, AGENT_HOME: home, ...options.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let log = '';
  const logged = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr as unknown as AsyncIterable<Uint8Array>)
      log += decoder.decode(bytes, { stream: true });
  })();
  const line = await readAnnouncement(child.stdout, () => log);
  const url = addressIn(line) as string;
  const request = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  return {
    url,
    webhooksUrl: addressIn(line.split('webhooks: ')[1] ?? ''),
    pid: child.pid,
    home,
    exited: child.exited.then(async (status) => {
      await logged;
      return status;
    }),
    log: () => log,
    kill: (signal) => child.kill(signal),
    fetch: request,
    post: (path, body) =>
      request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      if (!options.keepHome) await rm(home, { recursive: true, force: true });
    },
  };
}

const addressIn = (text: string) => /http:\/\/[\w.[\]:-]+:\d+/.exec(text)?.[0];

/** The line that names the addresses. */
async function readAnnouncement(stdout: ReadableStream<Uint8Array>, log: () => string): Promise<string> {
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (value) text += decoder.decode(value, { stream: true });
    if (text.includes('\n') && addressIn(text)) return text;
    if (done) throw new Error(`The binary ended before it listened: ${text}${log()}`);
  }
}
