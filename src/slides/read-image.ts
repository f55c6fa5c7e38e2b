import type { LoadedImage } from './model.ts';

/** Pixels a viewer would have to unpack. */
const MAX_PIXELS = 60_000_000;

/**
 * Type and size of an image by its first bytes, whatever it was called: PNG, JPEG and GIF, which every presentation
 * program shows. SVG is none of them on purpose: it can hold scripts and addresses.
 */
export function readImage(bytes: Uint8Array): LoadedImage | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const image = readPng(bytes, view) ?? readGif(bytes, view) ?? readJpeg(bytes, view);
  if (!image || image.width < 1 || image.height < 1 || image.width * image.height > MAX_PIXELS) return undefined;
  return { ...image, bytes };
}

type Header = Omit<LoadedImage, 'bytes'>;

function readPng(bytes: Uint8Array, view: DataView): Header | undefined {
  const isPng =
    bytes.length > 32 &&
    view.getUint32(0) === 0x89504e47 &&
    view.getUint32(4) === 0x0d0a1a0a &&
    view.getUint32(12) === 0x49484452;
  return isPng ? { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) } : undefined;
}

function readGif(bytes: Uint8Array, view: DataView): Header | undefined {
  const isGif =
    bytes.length > 13 &&
    view.getUint32(0) === 0x47494638 &&
    (bytes[4] === 0x37 || bytes[4] === 0x39) &&
    bytes[5] === 0x61;
  return isGif
    ? { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
    : undefined;
}

/** The size of a JPEG is in its frame header, behind segments of any length. */
function readJpeg(bytes: Uint8Array, view: DataView): Header | undefined {
  if (bytes.length < 20 || view.getUint16(0) !== 0xffd8) return undefined;
  let offset = 2;
  while (offset + 9 < bytes.length) {
    if (bytes[offset] !== 0xff) return undefined;
    const marker = bytes[offset + 1]!;
    if (marker === 0xff) {
      offset++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame)
      return { mediaType: 'image/jpeg', width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    offset += 2 + view.getUint16(offset + 2);
  }
  return undefined;
}
