/** The shape all frames of one file share. */
export interface Mp3Shape {
  sampleRate: number;
  channels: number;
  samplesPerFrame: number;
}

/** The audio frames of an MP3 file, without tags and without the information frame of VBR encoders. */
export interface Mp3Audio extends Mp3Shape {
  /** Views of the file, neighbours joined. */
  parts: Uint8Array[];
  frames: number;
}

interface Frame extends Mp3Shape {
  length: number;
  /** Bytes of header, checksum and side information. */
  headBytes: number;
}

const BITRATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** Rubbish between frames that is skipped before the file is given up. */
const MAX_GAP = 64 * 1024;

/** Reads the frame header (MPEG audio layer III, ISO 11172-3 and 13818-3, with the 2.5 extension) at `at`. */
function readFrame(bytes: Uint8Array, at: number): Frame | undefined {
  const [first, second, third, fourth] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  if (first !== 0xff || second === undefined || third === undefined || fourth === undefined) return undefined;
  const version = (second >> 3) & 3;
  const isLayer3 = ((second >> 1) & 3) === 1;
  const rateIndex = (third >> 2) & 3;
  const bitrateIndex = third >> 4;
  if ((second & 0xe0) !== 0xe0 || version === 1 || !isLayer3) return undefined;
  if (rateIndex === 3 || bitrateIndex === 0 || bitrateIndex === 15) return undefined;
  const isV1 = version === 3;
  const divisor = isV1 ? 1 : version === 2 ? 2 : 4;
  const sampleRate = SAMPLE_RATES[rateIndex]! / divisor;
  const bitrate = (isV1 ? BITRATES_V1 : BITRATES_V2)[bitrateIndex]! * 1000;
  const samplesPerFrame = isV1 ? 1152 : 576;
  const channels = fourth >> 6 === 3 ? 1 : 2;
  const length = Math.floor((samplesPerFrame / 8) * (bitrate / sampleRate)) + ((third >> 1) & 1);
  const sideBytes = isV1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  const checksumBytes = (second & 1) === 0 ? 2 : 0;
  return { sampleRate, channels, samplesPerFrame, length, headBytes: 4 + checksumBytes + sideBytes };
}

/** The frames of an MP3 file; undefined when it has none. */
export function parseMp3(bytes: Uint8Array): Mp3Audio | undefined {
  let at = skipId3v2(bytes, 0);
  const parts: Uint8Array[] = [];
  let shape: Mp3Shape | undefined;
  let frames = 0;
  let partStart = -1;
  const closePart = (end: number) => {
    if (partStart >= 0) parts.push(bytes.subarray(partStart, end));
    partStart = -1;
  };
  for (let gap = 0; at + 4 <= bytes.length; ) {
    const frame = readFrame(bytes, at);
    const fits = frame && at + frame.length <= bytes.length && isFollowed(bytes, at + frame.length);
    if (!fits || (shape && !isSameShape(shape, frame))) {
      closePart(at);
      const next = skipId3v2(bytes, at);
      gap = next > at ? 0 : gap + 1;
      if (gap > MAX_GAP) break;
      at = next > at ? next : at + 1;
      continue;
    }
    gap = 0;
    if (frames === 0 && isInformation(bytes, at, frame)) {
      at += frame.length;
      continue;
    }
    shape ??= { sampleRate: frame.sampleRate, channels: frame.channels, samplesPerFrame: frame.samplesPerFrame };
    if (partStart < 0) partStart = at;
    frames++;
    at += frame.length;
  }
  closePart(Math.min(at, bytes.length));
  return shape ? { ...shape, parts, frames } : undefined;
}

/** True when two files can be played as one. */
export function isSameShape(a: Mp3Shape, b: Mp3Shape): boolean {
  return a.sampleRate === b.sampleRate && a.channels === b.channels && a.samplesPerFrame === b.samplesPerFrame;
}

/** Joins MP3 files of one shape, without their tags and information frames; undefined when they do not fit together. */
export function joinMp3s(files: readonly Uint8Array[]): Uint8Array | undefined {
  const parsed = files.map(parseMp3);
  const [first] = parsed;
  if (!first || !parsed.every((file) => file && isSameShape(first, file))) return undefined;
  return new Uint8Array(Buffer.concat(parsed.flatMap((file) => file?.parts ?? [])));
}

/** Sync words occur in data too: what follows a real frame is a frame, a tag, or the end. */
function isFollowed(bytes: Uint8Array, at: number): boolean {
  if (at + 4 > bytes.length) return true;
  if (readFrame(bytes, at)) return true;
  const name = String.fromCharCode(...bytes.subarray(at, at + 3));
  return name === 'TAG' || name === 'ID3' || name === 'APE' || bytes[at] === 0;
}

/** Behind an ID3v2 tag (ID3v2.4 section 3.1); `at` when there is none. */
function skipId3v2(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x49 || bytes[at + 1] !== 0x44 || bytes[at + 2] !== 0x33 || at + 10 > bytes.length) return at;
  const size =
    ((bytes[at + 6]! & 0x7f) << 21) |
    ((bytes[at + 7]! & 0x7f) << 14) |
    ((bytes[at + 8]! & 0x7f) << 7) |
    (bytes[at + 9]! & 0x7f);
  const footer = (bytes[at + 5]! & 0x10) !== 0 ? 10 : 0;
  return Math.min(bytes.length, at + 10 + size + footer);
}

/** The first frame of many files holds no sound but counts for the player (Xing, Info, VBRI). */
function isInformation(bytes: Uint8Array, at: number, frame: Frame): boolean {
  const name = (offset: number) => String.fromCharCode(...bytes.subarray(at + offset, at + offset + 4));
  // The Xing name may stand before or behind the checksum.
  return (
    ['Xing', 'Info'].some((word) => name(frame.headBytes) === word || name(frame.headBytes - 2) === word) ||
    name(36) === 'VBRI'
  );
}
