import { trimEnd } from '../lib/trim.ts';

const MAX_LENGTH = 80;

/** A file name from a title, without anything a file system or a header could take for more than a name. */
export function fileNameOf(title: string, extension: string): string {
  const words = title
    .normalize('NFC')
    .replace(/[\p{C}/\\:*?"<>|%]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+/, '');
  const name = trimEnd(words, /[\s.]/);
  const cut = [...name].slice(0, MAX_LENGTH).join('').trimEnd();
  return `${cut || 'presentation'}.${extension}`;
}

/** `Content-Disposition` of a download (RFC 6266): an ASCII name for old clients, and the full one. */
export function attachment(title: string, extension: string): string {
  const name = fileNameOf(title, extension);
  const base = name
    .slice(0, -extension.length - 1)
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]+/g, '')
    .replace(/[";,]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${base || 'presentation'}.${extension}"; filename*=UTF-8''${encoded}`;
}
