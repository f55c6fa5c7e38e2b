import { randomBytes } from 'node:crypto';
import { INSECURE_NO_AUTH, standardKey } from './signatures.ts';

/** Fewer characters are guessed from one captured delivery. */
export const MIN_SECRET_LENGTH = 8;

/** 32 random bytes in base64url. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** True when a secret can be guessed; of one that starts with `whsec_` the key it stands for counts too. */
export function isShortSecret(secret: string): boolean {
  if (secret === INSECURE_NO_AUTH) return false;
  return secret.trim().length < MIN_SECRET_LENGTH || standardKey(secret).length < MIN_SECRET_LENGTH;
}

/** The variable that a secret of the form `${NAME}` stands for. */
export function secretVariable(secret: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(secret.trim())?.[1];
}
