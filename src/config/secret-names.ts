import type { TSchema } from '../schema.ts';
import { configKeys, envNamesOf } from './walk.ts';

/** Variables that hold a secret by their name: hand-written files may use any of them as `${NAME}`. */
const SECRET_WORDS = /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS|PAT|DSN)(_|$)/i;

/** Which of the variables hold secrets: those of secret keys of the schema, and those that are called like one. */
export function secretNames(schema: TSchema, names: readonly string[]): string[] {
  const known = new Set(
    configKeys(schema)
      .filter((key) => key.schema['secret'] === true)
      .flatMap((key) => envNamesOf(key.schema).flatMap((name) => [name, name.toUpperCase()])),
  );
  return names.filter((name) => known.has(name) || SECRET_WORDS.test(name));
}
