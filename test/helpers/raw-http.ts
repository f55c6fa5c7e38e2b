import { connect } from 'node:net';

/** Sends raw bytes to a port and collects what comes back until the peer closes, `done` says so, or `timeoutMs`. */
export function rawExchange(
  port: number,
  parts: (string | Uint8Array)[],
  options: { done?(text: string): boolean; timeoutMs?: number } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(finish, options.timeoutMs ?? 2000);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (options.done?.(text)) finish();
    });
    socket.on('close', finish);
    // The peer may close while we still write; what it answered is the result.
    socket.on('error', finish);
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
    });
  });
}

/** True when a response with a body of the announced length is complete. */
export function completeResponse(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length);
}
