import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isRecord, parseJson } from '../lib/json.ts';
import { type ChildPlaces, type ServerProcess, startServerProcess } from './child-process.ts';
import type { StdioTarget } from './model.ts';

/** Lines that are no messages are forgiven this often: many programs greet on stdout. */
const MAX_STRAY_LINES = 20;
const STDERR_TAIL = 4000;
/** Wait of the exit for the end of the output, and the other way round. */
const DRAIN_MS = 100;

export interface StdioTransportOptions extends ChildPlaces {
  target: StdioTarget;
  maxMessageBytes: number;
}

/**
 * MCP over the standard streams of a program (MCP specification, "stdio"). Unlike the SDK's own transport the program
 * has a clean environment, cannot flood memory, and takes everything it started with it when it is closed.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Why the connection broke, as half a sentence ("it ended with status 1"). */
  failure: string | undefined;
  /** The end of what the program wrote to stderr; for a person at the terminal only. */
  stderrTail = '';
  readonly #options: StdioTransportOptions;
  #child: ServerProcess | undefined;
  #starting: Promise<ServerProcess> | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;
  #strayLines = 0;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    this.#starting = startServerProcess(this.#options.target, this.#options);
    const child = await this.#starting;
    this.#child = child;
    const read = this.#readStdout(child);
    void this.#readStderr(child);
    void child.ended.then(async (how) => {
      // What it said last is still in the pipe; something it left behind may hold the pipe open.
      await Promise.race([read, Bun.sleep(DRAIN_MS)]);
      this.#break(`it ended with ${how}`);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#child || this.#closed) throw new Error('Not connected');
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    await this.#child.stdin.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    // Closed while the program was being started: it must still be stopped.
    const child = this.#child ?? (await this.#starting?.catch(() => undefined));
    this.#announceClose();
    await child?.stop();
  }

  #announceClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  #break(reason: string): void {
    if (this.#closed) return;
    const stray = this.#strayLines > 0 ? ' and wrote text to stdout that is no MCP message' : '';
    this.failure ??= `${reason}${stray}`;
    this.#announceClose();
    void this.close();
  }

  async #readStdout(child: ServerProcess): Promise<void> {
    const { maxMessageBytes } = this.#options;
    let parts: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of child.stdout) {
        let start = 0;
        for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
          parts.push(chunk.subarray(start, end));
          if (size + end - start > maxMessageBytes) return this.#refuseMessage();
          this.#readLine(parts);
          parts = [];
          size = 0;
          start = end + 1;
          if (this.#closed) return;
        }
        const rest = chunk.subarray(start);
        size += rest.byteLength;
        if (size > maxMessageBytes) return this.#refuseMessage();
        if (rest.byteLength > 0) parts.push(rest);
      }
    } catch (error) {
      this.onerror?.(error as Error);
    }
    // The exit, when it comes, says more.
    const how = await Promise.race([child.ended, Bun.sleep(DRAIN_MS)]);
    this.#break(how ? `it ended with ${how}` : 'it closed its stdout');
  }

  #refuseMessage(): void {
    this.#break(`it sent a message larger than ${this.#options.maxMessageBytes} bytes`);
  }

  #readLine(parts: Uint8Array[]): void {
    const text = (parts.length === 1 ? Buffer.from(parts[0] as Uint8Array) : Buffer.concat(parts)).toString().trim();
    if (text === '') return;
    const message = text.startsWith('{') ? parseJson(text) : undefined;
    if (isRecord(message) && message['jsonrpc'] === '2.0') {
      this.onmessage?.(message as JSONRPCMessage);
      return;
    }
    this.#strayLines++;
    if (this.#strayLines > MAX_STRAY_LINES) this.#break('it does not speak MCP');
  }

  /** Drained and dropped, so that a flood neither blocks the program nor fills memory. */
  async #readStderr(child: ServerProcess): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of child.stderr) {
        const tail = chunk.byteLength > STDERR_TAIL ? chunk.subarray(chunk.byteLength - STDERR_TAIL) : chunk;
        this.stderrTail = (this.stderrTail + decoder.decode(tail)).slice(-STDERR_TAIL);
      }
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}
