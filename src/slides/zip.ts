import { crc32 } from 'node:zlib';

/** 1 January 1980, the beginning of the format's calendar: the same deck gives the same bytes. */
const DOS_DATE = 0x21;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const VERSION = 20;

const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END_SIZE = 22;

/**
 * A zip file (APPNOTE 6.3.10, without zip64) of the entries in their order, each deflated. libdeflate's first level takes
 * less than half the time of its sixth, or of zlib, and gives files a twentieth larger.
 */
export function zipDeflated(entries: readonly (readonly [path: string, content: Uint8Array | string])[]): Uint8Array {
  const packed = entries.map(([path, content]) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const data = Bun.deflateSync(bytes as Uint8Array<ArrayBuffer>, { level: 1, library: 'libdeflate' });
    return { name: Buffer.from(path), data, size: bytes.byteLength, crc: crc32(bytes) };
  });
  const total = packed.reduce(
    (sum, { name, data }) => sum + LOCAL_SIZE + CENTRAL_SIZE + 2 * name.length + data.length,
    END_SIZE,
  );
  const file = Buffer.alloc(total);
  let offset = 0;
  const starts = packed.map((entry) => {
    const start = offset;
    file.writeUInt32LE(0x04034b50, offset);
    writeCommon(file, offset + 4, entry);
    file.set(entry.name, offset + LOCAL_SIZE);
    file.set(entry.data, offset + LOCAL_SIZE + entry.name.length);
    offset += LOCAL_SIZE + entry.name.length + entry.data.length;
    return start;
  });
  const directory = offset;
  for (const [index, entry] of packed.entries()) {
    file.writeUInt32LE(0x02014b50, offset);
    file.writeUInt16LE(VERSION, offset + 4);
    writeCommon(file, offset + 6, entry);
    file.writeUInt32LE(starts[index]!, offset + 42);
    file.set(entry.name, offset + CENTRAL_SIZE);
    offset += CENTRAL_SIZE + entry.name.length;
  }
  file.writeUInt32LE(0x06054b50, offset);
  file.writeUInt16LE(packed.length, offset + 8);
  file.writeUInt16LE(packed.length, offset + 10);
  file.writeUInt32LE(offset - directory, offset + 12);
  file.writeUInt32LE(directory, offset + 16);
  return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
}

/** The fields that the local and the central header share, from the version needed to the length of the name. */
function writeCommon(
  file: Buffer,
  at: number,
  entry: { name: Uint8Array; data: Uint8Array; size: number; crc: number },
): void {
  file.writeUInt16LE(VERSION, at);
  file.writeUInt16LE(UTF8_NAMES, at + 2);
  file.writeUInt16LE(DEFLATED, at + 4);
  file.writeUInt16LE(DOS_DATE, at + 8);
  file.writeUInt32LE(entry.crc, at + 10);
  file.writeUInt32LE(entry.data.length, at + 14);
  file.writeUInt32LE(entry.size, at + 18);
  file.writeUInt16LE(entry.name.length, at + 22);
}
