import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Chromium is on this machine; undefined when it is not installed. */
export const CHROMIUM =
  Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome') ?? undefined;

/** A page in a real browser. */
export interface Page {
  /** Runs an expression in the page and waits for its promise. */
  evaluate<T>(expression: string): Promise<T>;
}

export interface Chromium extends AsyncDisposable {
  /** Opens an address and waits until it is loaded. */
  open(url: string): Promise<Page>;
}

interface Message {
  id?: number;
  method?: string;
  sessionId?: string;
  result?: unknown;
  error?: { message: string };
}

/** Starts Chromium without a window and speaks its DevTools protocol; `hosts` maps names to addresses, as DNS would. */
export async function startChromium(hosts: Record<string, string>): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  const rules = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`);
  const child = Bun.spawn(
    [
      CHROMIUM as string,
      '--headless=new',
      // Tests may run as root, where its own sandbox refuses to.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      `--host-resolver-rules=${rules.join(',')}`,
      'about:blank',
    ],
    { env: { PATH: '/usr/bin:/bin', HOME: profile }, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  const socket = new WebSocket(await endpointOf(child.stderr));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const loaded = new Map<string, () => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.method === 'Page.loadEventFired') loaded.get(message.sessionId ?? '')?.();
    const call = message.id === undefined ? undefined : waiting.get(message.id);
    if (message.error) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let calls = 0;
  const call = <T>(method: string, params: Record<string, unknown>, sessionId?: string): Promise<T> => {
    const id = ++calls;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    return answer.promise as Promise<T>;
  };
  return {
    async open(url) {
      const { targetId } = await call<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await call<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
      await call('Page.enable', {}, sessionId);
      const load = new Promise<void>((resolve) => loaded.set(sessionId, resolve));
      const { errorText } = await call<{ errorText?: string }>('Page.navigate', { url }, sessionId);
      if (errorText) throw new Error(`${url}: ${errorText}`);
      await load;
      return {
        async evaluate<T>(expression: string) {
          const answer = await call<{
            result: { value: T };
            exceptionDetails?: { text: string; exception?: { description?: string } };
          }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
          const failure = answer.exceptionDetails;
          if (failure) throw new Error(failure.exception?.description ?? failure.text);
          return answer.result.value;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      child.kill();
      await child.exited;
      // Its helpers may still be writing.
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

async function endpointOf(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stderr.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (value) text += decoder.decode(value, { stream: true });
    const endpoint = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
    if (endpoint) {
      // Read on, so that it never waits for a full pipe.
      void (async () => {
        while (!(await reader.read()).done);
      })();
      return endpoint;
    }
    if (done) throw new Error(`Chromium ended before it listened: ${text.slice(-2000)}`);
  }
}
