import type { DeliveryResult } from './model.ts';

const MAX_MESSAGE = 300;
const MIN_SECRET = 4;
const MIN_LINE = 12;

/** What is secret in an address that is itself a credential: the whole, its longer path segments, its parameters. */
export function addressSecrets(address: string | undefined): string[] {
  if (!address || !URL.canParse(address)) return [];
  const url = new URL(address);
  const segments = url.pathname.split('/').filter((segment) => segment.length >= 8);
  return [address, ...segments, ...url.searchParams.values(), url.password].filter(Boolean);
}

/**
 * Providers may quote a request in their answer: secrets, plain or as they stand in an address, and lines of the text
 * are cut out of an error, then it is shortened (in this order, or half a secret could stay).
 */
export function redactResult(
  result: DeliveryResult,
  secrets: readonly (string | undefined)[],
  content: string,
): DeliveryResult {
  if (result.ok) return result;
  let { message } = result;
  for (const secret of secrets)
    if (secret && secret.length >= MIN_SECRET)
      message = message.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***');
  for (const line of content.split('\n').map((text) => text.trim()))
    if (line.length >= MIN_LINE) message = message.replaceAll(line, '…');
  return { ...result, message: shorten(message) };
}

function shorten(message: string): string {
  const characters = [...message];
  return characters.length > MAX_MESSAGE ? `${characters.slice(0, MAX_MESSAGE - 1).join('')}…` : message;
}
