/**
 * Bytes as text with LF line ends: a byte order mark decides, then a declared encoding, then UTF-8 when it is valid,
 * else Windows-1252 (which reads every byte of Latin-1). Undefined when the bytes are not text at all.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string | undefined {
  const text = decode(bytes, declared).replace(/^\ufeff/, '');
  return looksBinary(text) ? undefined : text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

function decode(bytes: Uint8Array, declared: string | undefined): string {
  const marked = encodingOfMark(bytes) ?? encodingOfZeros(bytes);
  if (marked) return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8: the declared encoding or the fallback reads it.
  }
  return new TextDecoder(knownEncoding(declared) ?? 'windows-1252').decode(bytes);
}

function encodingOfMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
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

function knownEncoding(label: string | undefined): Bun.Encoding | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label as Bun.Encoding).encoding as Bun.Encoding;
  } catch {
    return undefined;
  }
}

function looksBinary(text: string): boolean {
  const sample = text.slice(0, 65_536);
  const controls = sample.match(/[\x00-\x08\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  return text.includes('\0') || controls > sample.length / 100;
}
