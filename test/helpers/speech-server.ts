import { writeWav } from '../../src/speech/wav.ts';

/** A request as the provider saw it. */
interface SpeechCall {
  headers: Headers;
  body: Record<string, any>;
  text: string;
  voice: string;
  /** True once the client went away before the answer. */
  aborted: boolean;
}

/** What the server answers to one call; everything left out is a success with a tone. */
interface SpeechReply {
  /** The provider's code, default 3000. */
  code?: number;
  /** HTTP status, default 200. */
  status?: number;
  /** Bytes of the audio, default a WAV or MP3 as asked. */
  audio?: Uint8Array;
  /** Raw `data` instead of base64. */
  data?: string;
  /** Raw body instead of everything else. */
  raw?: string;
  latencyMs?: number;
  never?: boolean;
}

export interface SpeechServerOptions {
  /** Called for each call with its number, from 1; undefined answers with the default. */
  reply?(call: SpeechCall, number: number): SpeechReply | undefined;
  /** Give MP3 whatever was asked for. */
  mp3Only?: boolean;
}

export interface SpeechServer extends AsyncDisposable {
  url: string;
  calls: SpeechCall[];
  /** Most calls that were open at once. */
  readonly peak: number;
}

/** A local server that speaks Volcengine's HTTP interface v1, with its faults. */
export function startSpeechServer(options: SpeechServerOptions = {}): SpeechServer {
  const calls: SpeechCall[] = [];
  let open = 0;
  let peak = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as Record<string, any>;
      const call: SpeechCall = {
        headers: request.headers,
        body,
        text: body['request']?.text,
        voice: body['audio']?.voice_type,
        aborted: false,
      };
      request.signal.addEventListener('abort', () => {
        call.aborted = true;
      });
      calls.push(call);
      peak = Math.max(peak, ++open);
      try {
        const reply = options.reply?.(call, calls.length) ?? {};
        if (reply.latencyMs) await Bun.sleep(reply.latencyMs);
        if (reply.never) return await new Promise<Response>(() => undefined);
        if (reply.raw !== undefined) return new Response(reply.raw, { status: reply.status ?? 200 });
        const wantsWav = body['audio']?.encoding === 'wav' && !options.mp3Only;
        const audio = reply.audio ?? (wantsWav ? tone() : silentMp3());
        const code = reply.code ?? 3000;
        return Response.json(
          {
            reqid: body['request']?.reqid,
            code,
            operation: 'query',
            message: code === 3000 ? 'Success' : 'provider words with secret-token-in-them',
            ...(code === 3000 ? { sequence: -1, data: reply.data ?? Buffer.from(audio).toString('base64') } : {}),
          },
          { status: reply.status ?? 200 },
        );
      } finally {
        open--;
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/api/v1/tts`,
    calls,
    get peak() {
      return peak;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export interface ToneOptions {
  seconds?: number;
  hertz?: number;
  /** Peak, 0 to 1. */
  level?: number;
  sampleRate?: number;
  /** Digital silence before and after. */
  padSeconds?: number;
  channels?: number;
}

/** A sine as a 16-bit WAV file. */
export function tone(options: ToneOptions = {}): Uint8Array {
  const { seconds = 0.2, hertz = 440, level = 0.3, sampleRate = 24_000, padSeconds = 0, channels = 1 } = options;
  const pad = Math.round(padSeconds * sampleRate);
  const length = Math.round(seconds * sampleRate);
  const samples = new Int16Array((length + 2 * pad) * channels);
  for (let index = 0; index < length; index++) {
    const value = Math.round(level * 32_767 * Math.sin((2 * Math.PI * hertz * index) / sampleRate));
    for (let channel = 0; channel < channels; channel++) samples[(pad + index) * channels + channel] = value;
  }
  return writeWav({ format: 'pcm', channels, sampleRate, bitsPerSample: 16 }, [new Uint8Array(samples.buffer)]);
}

/** Silent MPEG-1 layer III frames (128 kbit/s, 44.1 kHz, joint stereo), optionally with the tags real files carry. */
export function silentMp3(frames = 8, options: { id3?: boolean; xing?: boolean; id3v1?: boolean } = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  if (options.id3) {
    const tag = new Uint8Array(10 + 300);
    tag.set([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 2, 44]);
    // A frame header inside a tag is no frame.
    tag.set([0xff, 0xfb, 0x90, 0x64], 100);
    parts.push(tag);
  }
  if (options.xing) {
    const info = mp3Frame();
    info.set(new TextEncoder().encode('Xing'), 36);
    parts.push(info);
  }
  for (let index = 0; index < frames; index++) parts.push(mp3Frame());
  if (options.id3v1) {
    const tag = new Uint8Array(128);
    tag.set(new TextEncoder().encode('TAGtitle'));
    parts.push(tag);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function mp3Frame(): Uint8Array {
  const frame = new Uint8Array(417);
  frame.set([0xff, 0xfb, 0x90, 0x64]);
  return frame;
}
