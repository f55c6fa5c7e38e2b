import { MPEGDecoder } from 'mpg123-decoder';

/** Decodes an MP3 file to the samples of its first channel. */
export async function decodeMp3(bytes: Uint8Array): Promise<{ sampleRate: number; samples: Float32Array }> {
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  try {
    const { channelData, sampleRate } = decoder.decode(bytes);
    return { sampleRate, samples: channelData[0] as Float32Array };
  } finally {
    decoder.free();
  }
}

/** Stretches of sound and silence, seconds; sound is what is louder than `threshold` within 10 ms. */
export function stretches(
  { samples, sampleRate }: { samples: Float32Array; sampleRate: number },
  threshold = 0.003,
): { loud: boolean; seconds: number; start: number }[] {
  const size = Math.round(sampleRate / 100);
  const result: { loud: boolean; seconds: number; start: number }[] = [];
  for (let at = 0; at < samples.length; at += size) {
    const loud = samples.subarray(at, at + size).some((sample) => Math.abs(sample) > threshold);
    const last = result.at(-1);
    if (last?.loud === loud) last.seconds += size / sampleRate;
    else result.push({ loud, seconds: size / sampleRate, start: at / sampleRate });
  }
  return result;
}

/** The frames of an ID3v2.3 tag by their id. */
export function readId3(bytes: Uint8Array): { id: string; body: Uint8Array }[] {
  const size = (bytes[6]! << 21) | (bytes[7]! << 14) | (bytes[8]! << 7) | bytes[9]!;
  return readFrames(bytes.subarray(10, 10 + size));
}

/** Frames inside a tag or inside a CHAP frame. */
function readFrames(bytes: Uint8Array): { id: string; body: Uint8Array }[] {
  const frames: { id: string; body: Uint8Array }[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 10 <= bytes.length; ) {
    const id = new TextDecoder().decode(bytes.subarray(at, at + 4));
    const size = view.getUint32(at + 4);
    frames.push({ id, body: bytes.subarray(at + 10, at + 10 + size) });
    at += 10 + size;
  }
  return frames;
}

/** Text of a text frame. */
export function textOf(body: Uint8Array): string {
  if (body[0] === 1) return new TextDecoder('utf-16le').decode(body.subarray(3)).replaceAll('\0', '');
  return new TextDecoder('latin1').decode(body.subarray(1)).replaceAll('\0', '');
}

/** Chapters of a tag. */
export function readChapters(bytes: Uint8Array): { title: string; startMs: number; endMs: number }[] {
  return readId3(bytes)
    .filter(({ id }) => id === 'CHAP')
    .map(({ body }) => {
      const at = body.indexOf(0) + 1;
      const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
      const title = readFrames(body.subarray(at + 16)).find(({ id }) => id === 'TIT2');
      return { title: title ? textOf(title.body) : '', startMs: view.getUint32(at), endMs: view.getUint32(at + 4) };
    });
}
