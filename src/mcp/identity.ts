import { createHash } from 'node:crypto';
import type { McpTarget } from './model.ts';

/** What an approval is bound to: everything that decides what is started or called, but no value of a secret. */
export type ServerIdentity =
  | { transport: 'stdio'; command: string; args: string[]; cwd: string | null; env: string[] }
  | { transport: 'sse' | 'streamable_http'; url: string; headers: string[] };

/** Letters of an id that is shown and typed. */
const ID_LENGTH = 10;

/** The identity of a server: exact command and arguments with the names of its variables, or address and header names. */
export function identityOf(target: McpTarget): ServerIdentity {
  return target.transport === 'stdio'
    ? {
        transport: target.transport,
        command: target.command,
        args: target.args,
        cwd: target.cwd ?? null,
        env: Object.keys(target.env).sort(),
      }
    : {
        transport: target.transport,
        url: target.url,
        headers: Object.keys(target.headers)
          .map((name) => name.toLowerCase())
          .sort(),
      };
}

/** SHA-256 of an identity. `name` is that of a configured server, which is approved by name; null for a request's. */
export function digestOf(identity: ServerIdentity, name: string | null): string {
  return createHash('sha256')
    .update(JSON.stringify([name, identity]))
    .digest('hex');
}

/** How a server that was never configured is called; unique among the few that are known, and looked up as such. */
export function idOf(digest: string): string {
  return digest.slice(0, ID_LENGTH);
}

/** A command line or address for people: every argument can be told from the next, and nothing steers a terminal. */
export function describeIdentity(identity: ServerIdentity): string {
  if (identity.transport !== 'stdio') {
    const headers = identity.headers.length > 0 ? ` with ${identity.headers.map(quote).join(', ')}` : '';
    return `${quote(identity.url)} (${identity.transport})${headers}`;
  }
  const words = [...identity.env.map((name) => `${name}=…`), ...[identity.command, ...identity.args].map(quote)];
  return `${words.join(' ')}${identity.cwd === null ? '' : ` (in ${quote(identity.cwd)})`}`;
}

/** As a shell would need it where that is readable, else as JSON with everything unprintable escaped. */
function quote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (/^[\x20-\x7e]*$/.test(text) && !/['\\]/.test(text)) return `'${text}'`;
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) =>
    /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
