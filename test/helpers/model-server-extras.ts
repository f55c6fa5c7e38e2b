import { estimateTokens } from './model-server-wire.ts';

interface EmbeddingBody {
  model: string;
  input: string | string[];
  encoding_format?: string;
  dimensions?: number;
}

/** Answers `/v1/embeddings` with deterministic vectors. */
export function embeddings(body: EmbeddingBody): Response {
  const inputs = Array.isArray(body.input) ? body.input : [body.input];
  const data = inputs.map((text, index) => {
    const vector = embedText(text, body.dimensions);
    const embedding =
      body.encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    return { object: 'embedding', index, embedding };
  });
  const tokens = inputs.reduce((sum, text) => sum + estimateTokens(text), 0);
  return Response.json({
    object: 'list',
    model: body.model,
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** The server's embedding: words hashed into a unit vector, so that shared words mean similarity. */
export function embedText(text: string, dimensions = 64): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const slot = Number(Bun.hash.wyhash(word) % BigInt(dimensions));
    vector[slot] = vector[slot]! + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Answers `/v1/audio/speech`: silent MP3 frames, one per ten characters of input (MPEG-1 layer III, 128 kbit/s, 44.1 kHz). */
export function speech(body: { input?: string }): Response {
  const frame = new Uint8Array(417);
  frame.set([0xff, 0xfb, 0x90, 0x64]);
  const frames = Math.max(1, Math.ceil((body.input ?? '').length / 10));
  const bytes = new Uint8Array(frame.length * frames);
  for (let index = 0; index < frames; index++) bytes.set(frame, index * frame.length);
  return new Response(bytes, { headers: { 'content-type': 'audio/mpeg' } });
}
