import { afterEach, describe, expect, test } from 'bun:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createDeliverer } from '../../src/delivery/deliver.ts';
import type { DeliveryRequest } from '../../src/delivery/model.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { guardedFetch, targetSettings } from '../contract/delivery.ts';
import { HOSTILE } from '../helpers/hostile-text.ts';

let running: SMTPServer | undefined;
afterEach(() => new Promise<void>((resolve) => (running ? running.close(() => resolve()) : resolve())));

interface Mail {
  from: string;
  to: string[];
  raw: string;
}

/** A real SMTP server on a free port. */
async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    closeTimeout: 10,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((recipient) => recipient.address),
          raw: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  // Clients that leave early are part of these tests.
  server.on('error', () => {});
  running = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  return { port, mails };
}

function send(
  port: number,
  request: Partial<DeliveryRequest> = {},
  settings: Record<string, unknown> = {},
  timeoutMs = 2000,
) {
  const email = { address: 'agent@example.org', smtp_host: '127.0.0.1', smtp_port: port, ...settings };
  return createDeliverer({
    config: targetSettings({ email }),
    fetch,
    guardedFetch,
    clock: systemClock,
    log: silentLogger,
    timeoutMs,
  }).deliver({
    target: 'email',
    content: '# Disk full\n\nThe **disk** is full. Ünïcode 漢字',
    extra: { chat_id: 'ops@example.net' },
    deliveryId: 'd-1',
    signal: new AbortController().signal,
    ...request,
  });
}

const header = (mail: Mail | undefined, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(mail?.raw ?? '')?.[1]?.trim();

describe('delivery target email', () => {
  test('sends text and HTML with a subject taken from the text', async () => {
    const { port, mails } = await startMailServer();
    expect(await send(port)).toEqual({ ok: true });
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ from: 'agent@example.org', to: ['ops@example.net'] });
    expect(header(mails[0], 'Subject')).toBe('Disk full');
    expect(header(mails[0], 'Auto-Submitted')).toBe('auto-generated');
    expect(mails[0]?.raw).toContain('multipart/alternative');
    expect(mails[0]?.raw).toContain('<strong>disk</strong>');
  });

  test('the same delivery has the same Message-ID, another one has another', async () => {
    const { port, mails } = await startMailServer();
    await send(port);
    await send(port);
    await send(port, { deliveryId: 'd-2' });
    const [first, second, third] = mails.map((mail) => header(mail, 'Message-ID'));
    expect(first).toMatch(/^<[\w-]{43}@example\.org>$/);
    expect(second).toBe(first!);
    expect(third).not.toBe(first);
  });

  test('a subject of the route cannot add headers', async () => {
    const { port, mails } = await startMailServer();
    const extra = { chat_id: 'ops@example.net', subject: 'Hi\r\nBcc: everyone@example.net' };
    expect(await send(port, { extra })).toEqual({ ok: true });
    expect(header(mails[0], 'Bcc')).toBeUndefined();
    expect(mails[0]?.to).toEqual(['ops@example.net']);
  });

  test('a subject neither turns its direction nor steers the terminal of a mail reader', async () => {
    const { port, mails } = await startMailServer();
    const extra = { chat_id: 'ops@example.net', subject: `\u202e${HOSTILE}\nmore` };
    expect(await send(port, { extra })).toEqual({ ok: true });
    expect(header(mails[0], 'Subject')).toStartWith('=?UTF-8?Q?evil_=5D0=3Bowned_=5B2J_31m_dlrow');
    expect(mails[0]?.raw).not.toMatch(/=(1B|07|0D|7F|C2=9B|E2=80=A[8-E]|E2=81=A[6-9])/);
  });

  test.each(['ops\u001b@example.net', 'ops@exam\u0001ple.net', 'ops@\u202eexample.net'])(
    'an address that a mailer would read differently is refused: %j',
    async (address) => {
      const { port, mails } = await startMailServer();
      expect(await send(port, { extra: { chat_id: address } })).toMatchObject({ code: 'target_bad_destination' });
      expect(mails).toEqual([]);
    },
  );

  test('goes to the home address when the route names none', async () => {
    const { port, mails } = await startMailServer();
    expect(await send(port, { extra: {} }, { home_channel: 'home@example.net' })).toEqual({ ok: true });
    expect(mails[0]?.to).toEqual(['home@example.net']);
  });

  test('logs in with the password', async () => {
    const logins: unknown[] = [];
    const { port } = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth(auth, _session, done) {
        logins.push([auth.username, auth.password]);
        done(null, { user: auth.username });
      },
    });
    expect(await send(port, {}, { password: 'mail-password', smtp_tls: 'off' })).toEqual({ ok: true });
    expect(logins).toEqual([['agent@example.org', 'mail-password']]);
  });

  test('a refused login is final and does not show the password', async () => {
    const { port } = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (auth, _session, done) => done(new Error(`bad password ${auth.password}`)),
    });
    const result = await send(port, {}, { password: 'mail-password', smtp_tls: 'off' });
    expect(result).toMatchObject({ ok: false, code: 'target_rejected', retryable: false });
    expect(JSON.stringify(result)).not.toContain('mail-password');
  });

  test('a password is never sent over a connection without TLS unless TLS is switched off', async () => {
    const logins: unknown[] = [];
    const { port } = await startMailServer({
      allowInsecureAuth: true,
      onAuth(auth, _session, done) {
        logins.push(auth.username);
        done(null, { user: auth.username });
      },
    });
    const result = await send(port, {}, { password: 'mail-password' });
    expect(result.ok).toBe(false);
    expect(logins).toEqual([]);
  });

  test.each([
    [451, 'target_failed', true],
    [550, 'target_rejected', false],
  ])('a reply %p is %p', async (responseCode, code, retryable) => {
    const { port } = await startMailServer({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('mailbox'), { responseCode })),
    });
    expect(await send(port)).toMatchObject({ ok: false, code, retryable });
  });

  test('a server that hangs is a timeout', async () => {
    const { port } = await startMailServer({ onMailFrom: () => {} });
    expect(await send(port, {}, {}, 50)).toMatchObject({ ok: false, code: 'target_timeout', retryable: true });
  });

  test('a server that is not there is retryable', async () => {
    expect(await send(1)).toMatchObject({ ok: false, code: 'target_unreachable', retryable: true });
  });

  test('an abort rejects with its reason', async () => {
    const { port } = await startMailServer({ onMailFrom: () => {} });
    const controller = new AbortController();
    const reason = new Error('shutting down');
    const pending = send(port, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    expect(await pending.catch((error: unknown) => error)).toBe(reason);
  });

  test('a recipient that is no single address is refused', async () => {
    for (const chat_id of ['a@b.c, d@e.f', '{user.email}', 'x', 'a@b.c\r\nBcc: d@e.f'])
      expect(await send(1, { extra: { chat_id } })).toMatchObject({ ok: false, code: 'target_bad_destination' });
  });
});
