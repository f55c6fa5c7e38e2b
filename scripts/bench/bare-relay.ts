/** The floor of the stream bench: reads the model's stream, frames each delta as an event, persists nothing. */
const upstream = Bun.argv[2];
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    await request.json();
    const answer = await fetch(`${upstream}v1/chat/completions`, { method: 'POST', body: '{"stream":true}' });
    let rest = '';
    const decoder = new TextDecoder();
    const relay = new TransformStream<Uint8Array, string>({
      transform(bytes, controller) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
        rest = lines.pop() ?? '';
        let out = '';
        for (const line of lines) {
          if (line === 'data: [DONE]') continue;
          const content = JSON.parse(line.slice(6)).choices[0].delta.content;
          if (content) out += `event: message_chunk\ndata: ${JSON.stringify({ role: 'assistant', content })}\n\n`;
        }
        if (out) controller.enqueue(out);
      },
    });
    const body = (answer.body as ReadableStream<Uint8Array>).pipeThrough(relay);
    return new Response(body.pipeThrough(new TextEncoderStream()), {
      headers: { 'content-type': 'text/event-stream' },
    });
  },
});
console.log(server.url.href);
