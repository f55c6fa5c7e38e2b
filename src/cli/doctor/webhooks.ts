import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../lib/json.ts';
import { isLoopbackName, webhookSettings } from '../../webhooks/settings.ts';
import type { Check, Finding } from './check.ts';
import { checkRoutes } from './webhook-routes.ts';

const area = 'webhooks';

/** The webhook listener: enabled, with secrets and schemes that keep others out, and its file of subscriptions readable. */
export const checkWebhooks: Check = async ({ config, home, environment }) => {
  const settings = webhookSettings(config.platforms.webhook);
  const path = join(home, 'webhook_subscriptions.json');
  const findings: Finding[] = [];
  const subscriptions = await readSubscriptions(path);
  if (subscriptions === 'broken')
    findings.push({
      area,
      status: 'fail',
      message: `${path} is not a JSON object; the server keeps the last good routes.`,
      advice: ['Repair it, or move it away and subscribe again.'],
    });
  const records = isRecord(subscriptions) ? subscriptions : {};
  const count = Object.keys(records).length;
  if (!settings.enabled) {
    if (count > 0)
      findings.push({
        area,
        status: 'warn',
        message: `${count} webhook subscriptions exist but the platform is not enabled.`,
        advice: ['agent gateway setup', 'or put WEBHOOK_ENABLED=true into the .env of the home.'],
      });
    return findings.length > 0 ? findings : [{ area, status: 'ok', message: 'Not enabled (agent gateway setup).' }];
  }
  if (settings.secret === 'INSECURE_NO_AUTH' && !isLoopbackName(settings.host))
    findings.push({
      area,
      status: 'fail',
      message: 'The secret INSECURE_NO_AUTH is only allowed on a loopback host; the listener will not start.',
      advice: ['Set WEBHOOK_SECRET to a long random text, or platforms.webhook.host to 127.0.0.1.'],
    });
  if (findings.every((finding) => finding.status !== 'fail'))
    findings.push({ area, status: 'ok', message: `Enabled on port ${settings.port}, ${count} subscriptions.` });
  const isNamed = settings.publicUrl !== undefined || config.server.allowed_hosts.length > 0;
  const isUsed = count > 0 || Object.keys(settings.routes).length > 0;
  if (isUsed && !isNamed && !isLoopbackName(settings.host))
    findings.push({
      area,
      status: 'warn',
      message: 'The listener answers to IP addresses and localhost only; senders that use a host name get 421.',
      advice: ['Set the address that senders use: WEBHOOK_PUBLIC_URL=https://hooks.example.com'],
    });
  return findings.concat(await checkRoutes({ home, settings, environment, subscriptions: records }));
};

async function readSubscriptions(path: string): Promise<Record<string, unknown> | 'broken' | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return undefined;
  const text = await Bun.file(path)
    .text()
    .catch(() => '');
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  return isRecord(parsed) ? parsed : 'broken';
}
