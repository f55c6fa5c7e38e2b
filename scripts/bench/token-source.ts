/**
 * A model server for the stream bench, as cheap as can be: every answer is `TOKENS` numbered words at `RATE` words a
 * second (0: as fast as they go), in the OpenAI wire. One timer drives all answers. `bun scripts/bench/token-source.ts RATE TOKENS`
 */
const rate = Number(Bun.argv[2] ?? 50);
const tokens = Number(Bun.argv[3] ?? 200);
const encoder = new TextEncoder();
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const frames = Array.from({ length: tokens }, (_, index) => encoder.encode(chunk({ content: `w${index} ` })));
const end = encoder.encode(`${chunk({}, 'stop')}data: [DONE]\n\n`);

const answers = new Set<() => void>();
if (rate > 0) {
  setInterval(() => {
    for (const next of answers) next();
  }, 1000 / rate);
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    await request.arrayBuffer();
    let index = 0;
    let next: (() => void) | undefined;
    const body = new ReadableStream({
      type: 'direct',
      async pull(controller: { write(chunk: Uint8Array): void; flush(): void; close(): void }) {
        const done = Promise.withResolvers<void>();
        next = () => {
          const frame = frames[index++];
          controller.write(frame ?? end);
          controller.flush();
          if (frame) return;
          if (next) answers.delete(next);
          done.resolve();
        };
        if (rate > 0) {
          answers.add(next);
          next();
        } else while (index <= tokens) next();
        await done.promise;
        controller.close();
      },
      cancel: () => void (next && answers.delete(next)),
    } as never);
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  },
});
console.log(server.url.href);
