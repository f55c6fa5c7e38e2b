import { metaCharset } from '../lib/html-source.ts';

/** Bytes of a document that may hold its own charset declaration. Source: HTML standard, prescan (1024), with room for long heads. */
const PRESCAN_BYTES = 4096;
const BYTE_ORDER_MARKS: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Decodes a text document by its byte order mark, `Content-Type`, own declaration, or else as UTF-8, UTF-16 or Windows-1252. */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  const label = marked ?? headerCharset(contentType) ?? declaredCharset(bytes, contentType);
  const decoder = label === undefined ? undefined : createDecoder(label);
  if (decoder) return decoder.decode(bytes);
  const guessed = encodingOfZeros(bytes);
  if (guessed) return new TextDecoder(guessed).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8 and no declaration: what browsers assume for such pages, and it accepts any byte.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The same with LF line ends; undefined when the bytes are no text at all. */
export function readableText(bytes: Uint8Array, contentType?: string): string | undefined {
  const text = decodeText(bytes, contentType);
  return looksBinary(text) ? undefined : text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

function headerCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

/** What markup says of itself; in other text the same words are about another document. */
function declaredCharset(bytes: Uint8Array, contentType: string): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES));
  if (!/html|xml/i.test(contentType) && !head.trimStart().startsWith('<')) return undefined;
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

/** UTF-16 without a mark: Western text then has a zero in every other byte. */
function encodingOfZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, 1024) & ~1;
  if (length < 4) return undefined;
  let even = 0;
  let odd = 0;
  for (let index = 0; index < length; index += 2) {
    if (bytes[index] === 0) even++;
    if (bytes[index + 1] === 0) odd++;
  }
  const half = length / 2;
  if (odd > half * 0.7 && even < half * 0.1) return 'utf-16le';
  if (even > half * 0.7 && odd < half * 0.1) return 'utf-16be';
  return undefined;
}

function looksBinary(text: string): boolean {
  const sample = text.slice(0, 65_536);
  const controls = sample.match(/[\x00-\x08\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  return text.includes('\0') || controls > sample.length / 100;
}
