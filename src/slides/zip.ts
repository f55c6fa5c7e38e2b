import { crc32, deflateRawSync } from 'node:zlib';

/** 1 January 1980, the beginning of the format's calendar: the same deck gives the same bytes. */
const DOS_DATE = 0x21;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const VERSION = 20;

/**
 * A zip file (APPNOTE 6.3.10, without zip64) of the entries in their order, each deflated. Native compression takes a
 * fifth of the time of one in JavaScript.
 */
export function zipDeflated(entries: readonly (readonly [path: string, content: Uint8Array | string])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const [path, content] of entries) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const name = Buffer.from(path);
    const data = deflateRawSync(bytes, { level: 6 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8_NAMES, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(DOS_DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.byteLength, 14);
    common.writeUInt32LE(bytes.byteLength, 18);
    common.writeUInt16LE(name.byteLength, 22);
    parts.push(signature(0x04034b50), common, name, data);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), Buffer.from([VERSION, 0]), common, tail, name);
    offset += 30 + name.byteLength + data.byteLength;
    directorySize += 46 + name.byteLength;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directorySize, 8);
  end.writeUInt32LE(offset, 12);
  return new Uint8Array(Buffer.concat([...parts, ...directory, signature(0x06054b50), end]));
}

function signature(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
