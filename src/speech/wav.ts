/** Sound as samples of one channel between -1 and 1. */
export interface Sound {
  sampleRate: number;
  samples: Float32Array;
}

/** The parts of a WAV file; `data` is a view of the file. */
export interface WavFile {
  format: 'pcm' | 'float';
  channels: number;
  sampleRate: number;
  bitsPerSample: number;
  data: Uint8Array;
}

const FORMATS: Record<number, 'pcm' | 'float'> = { 1: 'pcm', 3: 'float' };
const EXTENSIBLE = 0xfffe;
const HEADER_BYTES = 44;

/** True when the bytes begin as a WAV file (RIFF or RF64). */
export function isWav(bytes: Uint8Array): boolean {
  const head = textAt(bytes, 0, 4);
  return (head === 'RIFF' || head === 'RF64') && textAt(bytes, 8, 4) === 'WAVE';
}

/**
 * Reads a WAV file. Programs that write to a pipe do not know the length when they write the header: a data chunk whose
 * size is 0 or beyond the end is taken to reach to the end. Undefined when it is no WAV with PCM or float samples.
 */
export function parseWav(bytes: Uint8Array): WavFile | undefined {
  if (!isWav(bytes)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Omit<WavFile, 'data'> | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = textAt(bytes, at, 4);
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (name === 'fmt ' && body + 16 <= bytes.length) format = readFormat(view, body, size);
    if (name === 'data') {
      if (!format) return undefined;
      const end = size === 0 || body + size > bytes.length ? bytes.length : body + size;
      const frame = (format.channels * format.bitsPerSample) / 8;
      return { ...format, data: bytes.subarray(body, end - ((end - body) % frame)) };
    }
    at = body + size + (size % 2);
  }
  return undefined;
}

function readFormat(view: DataView, at: number, size: number): Omit<WavFile, 'data'> | undefined {
  let tag = view.getUint16(at, true);
  if (tag === EXTENSIBLE && size >= 40 && at + 26 <= view.byteLength) tag = view.getUint16(at + 24, true);
  const format = FORMATS[tag];
  const channels = view.getUint16(at + 2, true);
  const sampleRate = view.getUint32(at + 4, true);
  const bitsPerSample = view.getUint16(at + 14, true);
  const widths = format === 'float' ? [32, 64] : [8, 16, 24, 32];
  const isSane = format && channels > 0 && channels <= 8 && sampleRate >= 4000 && sampleRate <= 384_000;
  return isSane && widths.includes(bitsPerSample) ? { format, channels, sampleRate, bitsPerSample } : undefined;
}

/** The file's sound, its channels mixed to one. */
export function toSound(file: WavFile): Sound {
  const { channels, bitsPerSample, data, sampleRate } = file;
  const width = bitsPerSample / 8;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const read = sampleReader(file, view);
  const samples = new Float32Array(Math.floor(data.byteLength / (width * channels)));
  for (let frame = 0; frame < samples.length; frame++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += read((frame * channels + channel) * width);
    const value = sum / channels;
    samples[frame] = Number.isFinite(value) ? value : 0;
  }
  return { sampleRate, samples };
}

function sampleReader({ format, bitsPerSample }: WavFile, view: DataView): (at: number) => number {
  if (format === 'float')
    return bitsPerSample === 32 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true);
  if (bitsPerSample === 8) return (at) => (view.getUint8(at) - 128) / 128;
  if (bitsPerSample === 16) return (at) => view.getInt16(at, true) / 32_768;
  if (bitsPerSample === 24) return (at) => (view.getInt16(at + 1, true) * 256 + view.getUint8(at)) / 8_388_608;
  return (at) => view.getInt32(at, true) / 2_147_483_648;
}

/** Writes a WAV file with a header that says its true length. */
export function writeWav(file: Omit<WavFile, 'data'>, data: readonly Uint8Array[]): Uint8Array {
  const size = data.reduce((sum, part) => sum + part.byteLength, 0);
  const bytes = new Uint8Array(HEADER_BYTES + size + (size % 2));
  const view = new DataView(bytes.buffer);
  const frame = (file.channels * file.bitsPerSample) / 8;
  writeText(bytes, 0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  writeText(bytes, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, file.format === 'float' ? 3 : 1, true);
  view.setUint16(22, file.channels, true);
  view.setUint32(24, file.sampleRate, true);
  view.setUint32(28, file.sampleRate * frame, true);
  view.setUint16(32, frame, true);
  view.setUint16(34, file.bitsPerSample, true);
  writeText(bytes, 36, 'data');
  view.setUint32(40, size, true);
  let at = HEADER_BYTES;
  for (const part of data) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** Joins WAV files of one shape; undefined when one is unreadable or of another shape. */
export function joinWavs(files: readonly Uint8Array[]): Uint8Array | undefined {
  const parsed = files.map(parseWav);
  const [first] = parsed;
  if (!first) return undefined;
  const data: Uint8Array[] = [];
  for (const file of parsed) {
    const isSame =
      file &&
      file.format === first.format &&
      file.channels === first.channels &&
      file.sampleRate === first.sampleRate &&
      file.bitsPerSample === first.bitsPerSample;
    if (!isSame) return undefined;
    data.push(file.data);
  }
  return writeWav(first, data);
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

function writeText(bytes: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
}
