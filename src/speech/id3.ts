import { withoutControls } from '../lib/escape-controls.ts';
import type { Chapter } from './speech.ts';

/** A table of contents counts its chapters in one byte. */
const MAX_CHAPTERS = 255;
const NO_OFFSET = 0xffff_ffff;

/** An ID3v2.3 tag with title, length and chapters (ID3v2 Chapter Frame Addendum 1.0). */
export function writeId3(tag: { title: string; durationMs: number; chapters: Chapter[] }): Uint8Array {
  const chapters = tag.chapters.slice(0, MAX_CHAPTERS);
  const frames: Uint8Array[] = [textFrame('TIT2', tag.title), textFrame('TLEN', String(tag.durationMs))];
  if (chapters.length > 0) {
    const ids = chapters.map((_, index) => latin(`chp${index}\0`));
    frames.push(frame('CTOC', [latin('toc\0'), Uint8Array.of(0x03, chapters.length), ...ids]));
    for (const [index, chapter] of chapters.entries()) {
      const endMs = chapters[index + 1]?.startMs ?? tag.durationMs;
      const times = [chapter.startMs, endMs, NO_OFFSET, NO_OFFSET].map(uint32);
      frames.push(frame('CHAP', [ids[index]!, ...times, textFrame('TIT2', chapter.title)]));
    }
  }
  const body = concat(frames);
  return concat([latin('ID3'), Uint8Array.of(3, 0, 0), syncsafe(body.length), body]);
}

/** Players print titles to terminals: a frame holds one line without control characters. */
function textFrame(id: string, title: string): Uint8Array {
  const text = withoutControls(title);
  const isLatin = /^[\x20-\x7e]*$/.test(text);
  const encoded = isLatin
    ? [Uint8Array.of(0), latin(text), Uint8Array.of(0)]
    : [Uint8Array.of(1, 0xff, 0xfe), utf16(text), Uint8Array.of(0, 0)];
  return frame(id, encoded);
}

function frame(id: string, parts: Uint8Array[]): Uint8Array {
  const body = concat(parts);
  return concat([latin(id), uint32(body.length), Uint8Array.of(0, 0), body]);
}

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function utf16(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.toWellFormed(), 'utf16le'));
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, Math.round(value));
  return bytes;
}

/** Seven bits a byte, so that a size never looks like the start of a frame. */
function syncsafe(value: number): Uint8Array {
  return Uint8Array.of((value >> 21) & 0x7f, (value >> 14) & 0x7f, (value >> 7) & 0x7f, value & 0x7f);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
