/**
 * Providers for the content bench in a process of their own: speech on Volcengine's wire (`LATENCY` ms a line, then
 * `SECONDS` of sound) and a model: a script for podcasts at once, 20 words a second without end for chats, and an answer
 * after one second for everything else.
 * `bun scripts/bench/speech-source.ts LATENCY SECONDS`
 */
import { tone } from '../../test/helpers/speech-server.ts';

const latencyMs = Number(Bun.argv[2] ?? 200);
const seconds = Number(Bun.argv[3] ?? 5);
const audio = Buffer.from(speechLike(seconds)).toString('base64');
const script = (lines: number) =>
  JSON.stringify({
    locale: 'en',
    title: 'Bench',
    lines: Array.from({ length: lines }, (_, index) => ({
      speaker: index % 2 === 0 ? 'male' : 'female',
      paragraph: `This is line ${index + 1}.`,
    })),
  });

/** A tone with noise that rises and falls: costs the encoder what speech does. */
function speechLike(length: number): Uint8Array {
  const wav = tone({ seconds: length, hertz: 180, sampleRate: 24_000 });
  const samples = new Int16Array(wav.buffer, 44);
  let seed = 1;
  for (let index = 0; index < samples.length; index++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    const envelope = Math.abs(Math.sin(index / 4000));
    samples[index] = samples[index]! * envelope + ((seed >> 16) % 3000) * envelope;
  }
  return wav;
}

const EVENT_STREAM = { headers: { 'content-type': 'text/event-stream' } };

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices })}\n\n`;
}

function words(signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: Timer | undefined;
  const stop = () => clearInterval(timer);
  signal.addEventListener('abort', stop);
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(encoder.encode(chunk({ content: 'word ' }))), 50);
    },
    cancel: stop,
  });
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/tts')) {
      await request.arrayBuffer();
      await Bun.sleep(latencyMs);
      return new Response(
        `{"reqid":"x","code":3000,"operation":"query","message":"Success","sequence":-1,"data":"${audio}"}`,
      );
    }
    const body = (await request.json()) as { messages: { content: string }[] };
    const role = request.headers.get('x-agent-role');
    const lines = Number(/lines=(\d+)/.exec(body.messages.at(-1)?.content ?? '')?.[1] ?? 40);
    if (role === 'coordinator') return new Response(words(request.signal), EVENT_STREAM);
    if (role !== 'podcast') await Bun.sleep(1000);
    const content = role === 'podcast' ? script(lines) : '<enhanced_prompt>Better.</enhanced_prompt>';
    return new Response(`${chunk({ role: 'assistant', content })}${chunk({}, 'stop')}data: [DONE]\n\n`, EVENT_STREAM);
  },
});
console.log(`http://127.0.0.1:${server.port}`);
