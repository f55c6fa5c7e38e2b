import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureHome } from '../config/home.ts';
import { fail } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { replaceFile } from '../lib/replace-file.ts';

/** Name of the file in the agent home. */
export const SUBSCRIPTION_FILE = 'webhook_subscriptions.json';

/** A record as it is in the file, unknown keys included. */
export type SubscriptionRecord = Record<string, unknown>;
export type Subscriptions = Record<string, unknown>;

/** Runs work that no other process may do at the same time. */
export type Lock = <T>(path: string, work: () => Promise<T>) => Promise<T>;

/** Parses the file; undefined when it is not one JSON object in UTF-8. A byte order mark is skipped. */
export function parseSubscriptions(bytes: Uint8Array): Subscriptions | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The subscriptions of a home; empty without a file. Throws `subscriptions_corrupt` or `subscriptions_unreadable`. */
export async function readSubscriptions(home: string): Promise<Subscriptions> {
  const path = join(home, SUBSCRIPTION_FILE);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return {};
    throw fail('subscriptions_unreadable', `${path} cannot be read (${code ?? 'unknown error'}).`, { cause: error });
  }
  const parsed = parseSubscriptions(bytes);
  if (parsed) return parsed;
  // Named by its content, so that repeated attempts make one copy.
  const backup = `${path}.corrupt-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
  await writeFile(backup, bytes, { mode: 0o600 });
  throw fail(
    'subscriptions_corrupt',
    `${path} is not a JSON object, so nothing was written. A backup is in ${backup}; repair or remove the file.`,
  );
}

/**
 * Changes the subscriptions under a lock that all processes share: read, `change`, write to a temporary file (0600 from its first
 * byte), sync, rename. `change` edits the object in place; nothing is written when it throws.
 */
export async function updateSubscriptions<T>(
  home: string,
  lock: Lock,
  change: (subscriptions: Subscriptions) => T | Promise<T>,
): Promise<T> {
  await ensureHome(home);
  const path = join(home, SUBSCRIPTION_FILE);
  return lock(`${path}.lock`, async () => {
    const subscriptions = await readSubscriptions(home);
    const result = await change(subscriptions);
    await replaceFile(path, `${JSON.stringify(subscriptions, null, 2)}\n`);
    return result;
  });
}
