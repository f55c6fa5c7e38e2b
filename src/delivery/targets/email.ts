import type { Transporter } from 'nodemailer';
import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure, refusal } from '../failure.ts';
import { shortId } from '../ids.ts';
import { createHtmlRenderer } from '../markdown.ts';
import type { DeliveryResult } from '../model.ts';
import { destinationOf, missingOf, type Part, type Target } from '../target.ts';
import { titleOf } from '../title.ts';

/** Control and format characters too are refused: the mailer would drop them and send to an address nobody checked. */
const ADDRESS = /^[^\s\p{C}@<>,;:"{}]{1,64}@[^\s\p{C}@<>,;:"{}]{1,255}$/u;
/** Longer texts go without an HTML version: rendering hostile Markdown takes time with the square of its length. */
const MAX_HTML = 40_000;
const IMPLICIT_TLS_PORT = 465;

/** Mails through an SMTP server; the Message-ID is made of the delivery id, so that mailboxes can drop repetitions. */
export function createEmailTarget(settings: TargetSettings['email'], tools: { timeoutMs: number }): Target {
  return {
    missing: missingOf({ EMAIL_ADDRESS: settings.address, EMAIL_SMTP_HOST: settings.smtp_host }),
    secrets: [settings.password],
    prepare: async ({ content, extra }) => {
      const from = settings.address?.trim() ?? '';
      if (!ADDRESS.test(from)) return refusal('target_not_configured', 'EMAIL_ADDRESS is no mail address.');
      const to = destinationOf(extra, {
        target: 'email',
        keys: ['chat_id', 'to', 'address'],
        fallback: settings.home_channel,
        fallbackName: 'EMAIL_HOME_ADDRESS',
        pattern: ADDRESS,
        expected: 'one mail address',
      });
      if (isFailure(to)) return to;
      const render = await createHtmlRenderer();
      const subject = titleOf(extra['subject']?.trim() || content, 150);
      const domain = from.slice(from.indexOf('@') + 1);
      return {
        parts: [content],
        send: async (part) => {
          const { createTransport } = await import('nodemailer');
          const transport = createTransport(transportOptions(settings, tools.timeoutMs));
          const mail = {
            from,
            to,
            subject,
            text: part.text,
            ...(part.text.length <= MAX_HTML ? { html: render(part.text) } : {}),
            messageId: `<${shortId(part.id, 43)}@${domain}>`,
            // Keeps out-of-office robots quiet (RFC 3834).
            headers: { 'Auto-Submitted': 'auto-generated' },
            disableFileAccess: true,
            disableUrlAccess: true,
          };
          return sendMail(transport, () => transport.sendMail(mail), part, tools.timeoutMs);
        },
      };
    },
  };
}

async function sendMail(
  transport: Transporter,
  send: () => Promise<unknown>,
  part: Part,
  timeoutMs: number,
): Promise<DeliveryResult> {
  // nodemailer takes no signal: whichever comes first ends the wait, and closing the transport ends its sockets.
  const stop = AbortSignal.any([part.signal, AbortSignal.timeout(timeoutMs)]);
  const stopped = Promise.withResolvers<never>();
  const onStop = () => stopped.reject(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  try {
    stop.throwIfAborted();
    await Promise.race([send(), stopped.promise]);
    return { ok: true };
  } catch (error) {
    part.signal.throwIfAborted();
    return smtpFailure(error, stop.aborted, timeoutMs);
  } finally {
    stop.removeEventListener('abort', onStop);
    transport.close();
  }
}

function transportOptions(settings: TargetSettings['email'], timeoutMs: number) {
  const off = settings.smtp_tls === 'off';
  const password = settings.password?.trim();
  return {
    host: settings.smtp_host?.trim(),
    port: settings.smtp_port,
    secure: !off && settings.smtp_port === IMPLICIT_TLS_PORT,
    ignoreTLS: off,
    requireTLS: !off && Boolean(password),
    ...(password ? { auth: { user: settings.username?.trim() || settings.address?.trim(), pass: password } } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  };
}

/** SMTP replies 4xx are temporary, 5xx final (RFC 5321); without a reply the server was not reached. */
function smtpFailure(error: unknown, timedOut: boolean, timeoutMs: number): DeliveryResult {
  const { responseCode, code } = Object(error) as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode === 'number') {
    const why = `SMTP ${responseCode}${code === 'EAUTH' ? ', login failed' : ''}`;
    return refusal(
      responseCode < 500 ? 'target_failed' : 'target_rejected',
      `The mail server refused the message (${why}).`,
    );
  }
  if (timedOut || code === 'ETIMEDOUT')
    return refusal('target_timeout', `The mail server did not answer within ${timeoutMs / 1000} s.`);
  if (code === 'ETLS' || code === 'EAUTH' || code === 'EENVELOPE')
    return refusal('target_rejected', `The message could not be handed to the mail server (${code}).`);
  const suffix = typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : '';
  return refusal('target_unreachable', `The mail server could not be reached${suffix}.`);
}
