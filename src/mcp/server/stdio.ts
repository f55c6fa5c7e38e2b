import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../lib/log.ts';
import { createAgentServer } from './agent-server.ts';
import type { AgentPorts } from './ports.ts';

/**
 * Serves one client over a pair of streams until the input ends or the signal is aborted; running calls are cancelled
 * then. Nothing but protocol goes to `output`.
 */
export async function serveOverStreams(options: {
  ports: AgentPorts;
  log: Logger;
  input: Readable;
  output: Writable;
  signal: AbortSignal;
}): Promise<void> {
  const { ports, log, input, output, signal } = options;
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  let open = 0;
  const idle: (() => void)[] = [];
  const server = await createAgentServer({
    ports,
    log,
    onCall: (change) => {
      open += change;
      if (open === 0) for (const resolve of idle.splice(0)) resolve();
    },
  });
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  server.onclose = end;
  input.once('end', end);
  input.once('close', end);
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) return;
    await server.connect(new StdioServerTransport(input, output));
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', end);
    await server.close();
    // The calls were cancelled with the connection; they still put away what they had open.
    if (open > 0) await new Promise<void>((resolve) => idle.push(resolve));
  }
}
