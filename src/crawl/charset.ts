import { metaCharset } from '../lib/html-source.ts';

/** Bytes of a document that may hold its own charset declaration. Source: HTML standard, prescan (1024), with room for long heads. */
const PRESCAN_BYTES = 4096;
const BYTE_ORDER_MARKS: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Decodes a text document by its byte order mark, `Content-Type`, own declaration, or else as UTF-8 or Windows-1252. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = markedCharset(bytes) ?? headerCharset(contentType) ?? declaredCharset(bytes);
  const decoder = label === undefined ? undefined : createDecoder(label);
  if (decoder) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8 and no declaration: what browsers assume for such pages, and it accepts any byte.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function markedCharset(bytes: Uint8Array): string | undefined {
  return BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
}

function headerCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES));
  const label = metaCharset(head) ?? /^\s*<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  // A declaration that was readable as ASCII cannot be UTF-16, whatever it claims.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function createDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
