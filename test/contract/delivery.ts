import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { TargetSettings } from '../../src/config/sections/platforms.ts';
import { createGuardedStreamFetch } from '../../src/crawl/guarded-stream-fetch.ts';
import { createDeliverer } from '../../src/delivery/deliver.ts';
import type { DeliveryRequest, DeliveryResult } from '../../src/delivery/model.ts';
import { createLogger } from '../../src/lib/log.ts';
import { Value } from '../../src/schema.ts';
import { startPlatform, type Wire } from '../helpers/platform-servers.ts';

/** The fetch for addresses the operator wrote, as the product builds it. */
export const guardedFetch = createGuardedStreamFetch({ allowPrivateNetwork: true, anyPort: true });

/** `platforms` settings with their defaults. */
export function targetSettings(settings: Record<string, unknown>): TargetSettings {
  return Value.Default(TargetSettings, structuredClone(settings)) as TargetSettings;
}

/** What every HTTP target must do, whatever its wire. */
export function deliveryContract(name: string, wire: Wire): void {
  describe(`delivery target ${name}`, () => {
    const platform = startPlatform(wire);
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
    // Standard Webhooks receivers compare the signed time with their own clock.
    const clock = { now: () => Date.now(), sleep: () => Promise.reject(new Error('no sleeping')) };
    const build = (timeoutMs = 2000) =>
      createDeliverer({
        config: targetSettings(wire.settings(platform.base)),
        fetch,
        guardedFetch,
        clock,
        log,
        timeoutMs,
      });
    const send = (request: Partial<DeliveryRequest> = {}, timeoutMs?: number): Promise<DeliveryResult> =>
      build(timeoutMs).deliver({
        target: wire.target,
        content: 'The disk is full',
        extra: wire.extra,
        deliveryId: 'delivery-1',
        signal: new AbortController().signal,
        ...request,
      });
    const longText = Array.from(
      { length: Math.ceil((Math.min(wire.limit, 70_000) * 2.5) / 600) },
      (_, index) => `Paragraph ${index} ${'word '.repeat(110)}end ${index}`,
    ).join('\n\n');

    beforeEach(() => {
      platform.modes.length = 0;
      platform.received.length = 0;
      platform.complaints.length = 0;
      platform.elsewhere.length = 0;
      lines.length = 0;
    });
    afterAll(() => platform.stop());

    test('sends the text in the wire of the platform', async () => {
      expect(await send()).toEqual({ ok: true });
      expect(platform.complaints).toEqual([]);
      expect(platform.received.map(wire.text)).toEqual(['The disk is full']);
    });

    test('keeps characters that are markup or JSON elsewhere', async () => {
      const content = 'a_b*c "quoted" <x> & 50% 1.5! (ok) {y} #1 é 漢字 🙂';
      expect(await send({ content })).toEqual({ ok: true });
      expect(platform.complaints).toEqual([]);
      expect(platform.received.map(wire.text)).toEqual([content]);
    });

    test('splits a long text within the limit and loses nothing', async () => {
      expect(await send({ content: longText })).toEqual({ ok: true });
      expect(platform.complaints).toEqual([]);
      for (const request of platform.received) expect(wire.size(request)).toBeLessThanOrEqual(wire.limit);
      if (wire.limit < 100_000) expect(platform.received.length).toBeGreaterThan(1);
      expect(words(platform.received.map(wire.text).join('\n\n'))).toEqual(words(longText));
    });

    test('after a failure of a later part a retry sends only what is missing', async () => {
      if (wire.limit >= 100_000) return;
      platform.modes.push('ok', 'error');
      const seen: number[] = [];
      const first = await send({ content: longText, onProgress: (sent) => void seen.push(sent) });
      expect(first).toMatchObject({ ok: false, retryable: true, progress: 1 });
      expect(seen).toEqual([1]);
      expect(await send({ content: longText, progress: 1 })).toEqual({ ok: true });
      expect(words(platform.received.map(wire.text).join('\n\n'))).toEqual(words(longText));
    });

    test('a rate limit is retryable after the wait the platform asks for', async () => {
      platform.modes.push('limited');
      const result = await send();
      expect(result).toMatchObject({ ok: false, code: 'target_rate_limited', retryable: true });
      expect('retryAfterMs' in result ? result.retryAfterMs : undefined).toBe(wire.retryAfterMs);
    });

    test('a server error is retryable and the retry delivers under the same id', async () => {
      platform.modes.push('error');
      expect(await send()).toMatchObject({ ok: false, code: 'target_failed', retryable: true });
      expect(await send()).toEqual({ ok: true });
      expect(await send()).toEqual({ ok: true });
      if (!wire.idempotencyKey) return;
      const [first, second] = platform.received.map(wire.idempotencyKey);
      expect(first).toBeTruthy();
      expect(second).toBe(first);
      await send({ deliveryId: 'delivery-2' });
      expect(wire.idempotencyKey(platform.received[2]!)).not.toBe(first);
    });

    test('parts of one message have ids of their own', async () => {
      if (!wire.idempotencyKey || wire.limit >= 100_000) return;
      await send({ content: longText });
      const keys = platform.received.map(wire.idempotencyKey);
      expect(new Set(keys).size).toBe(keys.length);
    });

    test('a delivery id of any shape is sent in a safe form', async () => {
      expect(await send({ deliveryId: 'ä/../x\r\nset-cookie: 1' })).toEqual({ ok: true });
      expect(platform.complaints).toEqual([]);
    });

    test('a platform that hangs is a timeout', async () => {
      platform.modes.push('hang');
      expect(await send({}, 40)).toMatchObject({ ok: false, code: 'target_timeout', retryable: true });
    });

    test('a redirect is not followed', async () => {
      platform.modes.push('redirect');
      expect(await send()).toMatchObject({ ok: false, code: 'target_redirected', retryable: false });
      expect(platform.elsewhere).toEqual([]);
    });

    test('a page in place of an answer is no success where the platform tells success in the body', async () => {
      platform.modes.push('malformed');
      const result = await send();
      if (wire.readsBody) expect(result).toMatchObject({ ok: false, code: 'target_bad_answer', retryable: true });
      else expect(result).toEqual({ ok: true });
    });

    test('an endless answer is cut off', async () => {
      platform.modes.push('flood');
      expect((await send()).ok).toBe(!wire.readsBody);
    });

    test('an abort rejects with its reason', async () => {
      platform.modes.push('hang');
      const controller = new AbortController();
      const reason = new Error('shutting down');
      const pending = send({ signal: controller.signal });
      setTimeout(() => controller.abort(reason), 10);
      expect(await pending.catch((error: unknown) => error)).toBe(reason);
      expect(await send({ signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)).toBe(reason);
    });

    test('a server that is not there is retryable', async () => {
      const deliverer = createDeliverer({
        config: targetSettings(wire.settings('http://127.0.0.1:1')),
        fetch,
        guardedFetch,
        clock,
        log,
      });
      const result = await deliverer.deliver({
        target: wire.target,
        content: 'x',
        extra: wire.extra,
        deliveryId: 'd',
        signal: new AbortController().signal,
      });
      expect(result).toMatchObject({ ok: false, code: 'target_unreachable', retryable: true });
      expect(JSON.stringify(result)).not.toContain('127.0.0.1');
    });

    test('a refusal is final, and neither errors nor the log hold a secret or the text', async () => {
      platform.modes.push('quote');
      const result = await send({ content: 'confidential text' });
      expect(result).toMatchObject({ ok: false, code: 'target_rejected', retryable: false });
      platform.modes.push('error', 'redirect', 'limited', 'malformed');
      const results = [result, await send(), await send(), await send(), await send()];
      for (const output of [JSON.stringify(results), lines.join('\n')]) {
        for (const secret of wire.secrets) expect(output).not.toContain(secret);
        expect(output).not.toContain('confidential');
      }
    });

    test('without its settings it says which are missing and calls nobody', async () => {
      const deliverer = createDeliverer({
        config: targetSettings({}),
        fetch: failingFetch,
        guardedFetch: failingFetch,
        clock,
        log,
      });
      const status = deliverer.targets().find((target) => target.name === wire.target);
      expect(status).toEqual({ name: wire.target, configured: wire.missing.length === 0, missing: wire.missing });
      if (wire.missing.length === 0) return;
      const result = await deliverer.deliver({
        target: wire.target,
        content: 'x',
        extra: wire.extra,
        deliveryId: 'd',
        signal: new AbortController().signal,
      });
      expect(result).toMatchObject({ ok: false, code: 'target_not_configured', retryable: false });
      for (const setting of wire.missing) expect('message' in result && result.message).toContain(setting);
    });

    test('an empty text is refused', async () => {
      expect(await send({ content: ' \n\t ' })).toMatchObject({ ok: false, code: 'empty_message', retryable: false });
      expect(platform.received).toEqual([]);
    });
  });
}

const failingFetch = (() => Promise.reject(new Error('must not be called'))) as unknown as typeof fetch;

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
