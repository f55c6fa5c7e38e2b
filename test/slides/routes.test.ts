import { describe, expect, test } from 'bun:test';
import { fail } from '../../src/errors.ts';
import { PPTX_MEDIA_TYPE } from '../../src/slides/model.ts';
import { gate, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { NO_MODELS, startSlidesApp } from './app.ts';
import { HOSTILE, PNG, report } from './fixtures.ts';
import { openPptx, packageProblems } from './pptx.ts';

const read = async (response: Response) => new Uint8Array(await response.arrayBuffer());

const DECK = {
  title: 'Tides',
  locale: 'en-US',
  slides: [
    { kind: 'title', title: 'Tides', subtitle: 'Why the sea rises' },
    {
      kind: 'bullets',
      title: 'Causes',
      bullets: [{ text: 'The **Moon** [1]' }, { text: 'The Sun' }],
      notes: 'Say it slowly. Source: [1]',
    },
    {
      kind: 'chart',
      title: 'Range',
      chart: 'bar',
      categories: ['Fundy', 'Baltic'],
      series: [{ name: 'm', values: [16, 0.2] }],
      unit: 'm',
      takeaway: 'Fundy is highest.',
    },
    {
      kind: 'references',
      title: 'Sources',
      items: [
        { text: 'Tides', url: 'https://example.org/tides' },
        { text: 'Invented', url: 'https://example.org/never-said' },
      ],
    },
    { kind: 'closing', title: 'Remember', points: ['The Moon pulls.'] },
  ],
};
const CONTENT = '# Tides\n\nThe Moon raises tides [1].\n\n1. [Tides](https://example.org/tides)\n';

describe('POST /api/ppt/generate without a model', () => {
  test('answers with a presentation built from the Markdown', async () => {
    await using app = await startSlidesApp();
    const response = await app.generate({ content: report('long-report'), locale: null });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(PPTX_MEDIA_TYPE);
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="Heat pumps in European homes costs adoption and the grid.pptx"; filename*=UTF-8\'\'Heat%20pumps%20in%20European%20homes%20costs%2C%20adoption%20and%20the%20grid.pptx',
    );
    const bytes = await read(response);
    expect(packageProblems(bytes)).toEqual([]);
    expect(openPptx(bytes).allText()).toContain('Subsidies work best when they are simple and stable.');
  });

  test('names the file of a Chinese report in both ways', async () => {
    await using app = await startSlidesApp();
    const response = await app.generate({ content: report('cjk') });
    await response.arrayBuffer();
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="presentation.pptx"; filename*=UTF-8''${encodeURIComponent('中国新能源汽车市场研究报告.pptx')}`,
    );
  });

  test.each([
    ['no body fields', {}, 422],
    ['empty content', { content: '' }, 422],
    ['blank content', { content: ' \n ' }, 422],
    ['content that is no text', { content: 7 }, 422],
    ['an unknown theme', { content: 'x', theme: 'blue' }, 422],
  ])('refuses %s', async (_, body, status) => {
    await using app = await startSlidesApp();
    const response = await app.generate(body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(((await response.json()) as { errors: object[] }).errors).not.toBeEmpty();
  });

  test('takes null and unknown fields, and a locale that is none', async () => {
    await using app = await startSlidesApp();
    const response = await app.generate({ content: 'x', locale: 'Klingon language!', theme: null, style: 'x' });
    expect(response.status).toBe(200);
    expect(packageProblems(await read(response))).toEqual([]);
  });

  test('loads images as data only: data URLs, and web addresses through the guard', async () => {
    const asked: string[] = [];
    await using app = await startSlidesApp({
      guardedFetch: async (url) => {
        asked.push(url);
        if (!url.startsWith('https://example.org/')) throw fail('url_refused', 'The address is not allowed.');
        return { url, status: 200, headers: new Headers(), bytes: PNG.slice() };
      },
    });
    const base64 = Buffer.from(PNG).toString('base64');
    const content = `# Pictures\n\n## Shown\n\n![inline](data:image/png;base64,${base64})\n\n![web](https://example.org/a.png)\n\n## Refused\n\n![passwords](/etc/passwd)\n\n![windows](C:\\\\secret.png)\n\n![file](file:///etc/hosts)\n\n![metadata](http://169.254.169.254/latest)\n\n![vector](data:image/svg+xml;base64,PHN2Zy8+)\n\n![broken](data:image/png;base64,AAAA)\n`;
    const response = await app.generate({ content });
    expect(response.status).toBe(200);
    const bytes = await read(response);
    expect(packageProblems(bytes)).toEqual([]);
    const pptx = openPptx(bytes);
    expect(Object.keys(pptx.parts).filter((path) => path.startsWith('ppt/media/'))).toHaveLength(2);
    for (const alt of ['passwords', 'windows', 'file', 'metadata', 'vector', 'broken'])
      expect(pptx.allText()).toContain(`Image: ${alt}`);
    expect(asked).toEqual(['https://example.org/a.png', 'http://169.254.169.254/latest']);
    const all = Object.keys(pptx.parts)
      .filter((path) => /\.(?:xml|rels)$/.test(path))
      .map((path) => pptx.xml(path))
      .join('');
    for (const secret of ['/etc/passwd', 'secret.png', '169.254', 'root:']) expect(all).not.toContain(secret);
    expect(app.logText()).toContain('slide image left out');
    expect(app.logText()).not.toContain('/etc/passwd');
  });

  test('refuses a private address with the real guard and shows the alternative text', async () => {
    let hits = 0;
    const count = () => {
      hits++;
      return new Response(PNG.slice());
    };
    using trap = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: count });
    await using app = await startSlidesApp();
    const response = await app.generate({ content: `# A\n\n![inner](http://127.0.0.1:${trap.port}/x.png)\n` });
    expect(openPptx(await read(response)).allText()).toContain('Image: inner');
    expect(hits).toBe(0);
  });

  test('makes a megabyte into a bounded deck that says what it left out', async () => {
    await using app = await startSlidesApp({ config: { max_slides: 40 } });
    const response = await app.generate({ content: HOSTILE['a megabyte in sections'] });
    const pptx = openPptx(await read(response));
    expect(pptx.slides.length).toBeLessThanOrEqual(40);
    expect(pptx.allText()).toContain('Left out of this deck');
  });

  test('serves two hundred requests at once, two at a time, while /health answers', async () => {
    await using app = await startSlidesApp({ config: { concurrency: 2 } });
    await (await app.generate({ content: report('tables') })).arrayBuffer();
    const before = process.memoryUsage.rss();
    const all = Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const response = await app.generate({ content: `# Deck ${index}\n\n${report('tables')}` });
        const bytes = await read(response);
        return { status: response.status, size: bytes.length };
      }),
    );
    const health = await app.fetch('/health');
    expect(health.status).toBe(200);
    const answers = await all;
    expect(answers.every(({ status, size }) => status === 200 && size > 20_000)).toBe(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024);
  }, 60_000);

  test('drops the work of a client that went away, also from the queue', async () => {
    await using app = await startSlidesApp({ config: { concurrency: 1 } });
    const going = new AbortController();
    const waiting = new AbortController();
    const first = app
      .generate({ content: HOSTILE['a megabyte of Chinese'] }, { signal: going.signal })
      .catch((error: Error) => error.name);
    const second = app
      .generate({ content: HOSTILE['a megabyte of Chinese'] }, { signal: waiting.signal })
      .catch((error: Error) => error.name);
    await Bun.sleep(40);
    waiting.abort();
    going.abort();
    expect(await Promise.all([first, second])).toEqual(['AbortError', 'AbortError']);
    const response = await app.generate({ content: '# Still here\n\nYes.' });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(app.logText()).not.toContain('"level":"error"');
  });

  test('answers 500 when a file takes too long', async () => {
    await using app = await startSlidesApp({ config: { timeout_seconds: 0.001 } });
    const response = await app.generate({ content: HOSTILE['a megabyte of Chinese'] });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: 'slides_timeout',
      detail: 'The presentation took too long to build.',
    });
  });
});

describe('POST /api/ppt/generate with a model', () => {
  const app = (...steps: Parameters<typeof scriptedModel>[0]) => {
    const model = scriptedModel(steps, { name: 'test-model' });
    return startSlidesApp({ models: scriptedModels({ basic: model }) }).then((started) =>
      Object.assign(started, { model }),
    );
  };

  test('renders the deck the model wrote, with citations that are in the content only', async () => {
    await using server = await app({
      agent: 'slides',
      text: `Here it is:\n\`\`\`json\n${JSON.stringify(DECK)}\n\`\`\``,
    });
    const response = await server.generate({ content: CONTENT, locale: 'en-GB' });
    expect(response.status).toBe(200);
    const bytes = await read(response);
    expect(packageProblems(bytes)).toEqual([]);
    const pptx = openPptx(bytes);
    expect(pptx.slides).toHaveLength(5);
    expect(pptx.xml('docProps/core.xml')).toContain('<dc:language>en-GB</dc:language>');
    expect(pptx.allText()).toContain('Fundy is highest.');
    expect(pptx.texts('ppt/notesSlides/notesSlide2.xml').join(' ')).toContain('Say it slowly.');
    const rels = pptx.slides.map((path) => pptx.xml(path.replace('slides/', 'slides/_rels/').concat('.rels'))).join('');
    expect(rels).toContain('https://example.org/tides');
    expect(rels).not.toContain('never-said');
    server.model.assertDone();
    const [request] = server.model.requests;
    expect(request!.responseFormat).toMatchObject({ name: 'presentation' });
    expect(String(request!.messages.at(-1)!.content)).toContain('The Moon raises tides [1].');
  });

  test('asks once more with what was wrong', async () => {
    await using server = await app(
      { agent: 'slides', text: 'I would rather not.' },
      {
        agent: 'slides',
        when: (request) => /could not be used/.test(String(request.messages.at(-1)!.content)),
        text: JSON.stringify(DECK),
      },
    );
    const response = await server.generate({ content: CONTENT });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    server.model.assertDone();
  });

  test('answers 500 when the second answer is unusable too', async () => {
    await using server = await app({
      agent: 'slides',
      text: '{"slides": [{"kind": "chart", "title": "no numbers"}]}',
      times: 2,
    });
    const response = await server.generate({ content: 'secret content' });
    expect(response.status).toBe(500);
    const problem = (await response.json()) as Record<string, unknown>;
    expect(problem).toMatchObject({
      code: 'upstream_rejected',
      detail: 'The model test-model gave no valid presentation.',
    });
    expect(server.logText()).not.toContain('secret content');
  });

  test('treats an answer that was cut off as unusable', async () => {
    await using server = await app(
      { agent: 'slides', text: JSON.stringify(DECK).slice(0, 400), finishReason: 'length' },
      { agent: 'slides', text: JSON.stringify(DECK) },
    );
    const response = await server.generate({ content: CONTENT });
    expect(openPptx(await read(response)).slides).toHaveLength(5);
    server.model.assertDone();
  });

  test('gives the failure of the provider back', async () => {
    await using server = await app({
      agent: 'slides',
      error: fail('upstream_unavailable', 'The model test-model is unreachable.', { retryable: true }),
    });
    const response = await server.generate({ content: CONTENT });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_unavailable' });
  });

  test('shortens content that turns out too long for the window, and says so', async () => {
    const overflow = fail('context_overflow', 'The prompt does not fit.');
    await using server = await app(
      { agent: 'slides', error: overflow },
      { agent: 'slides', text: JSON.stringify(DECK) },
    );
    const response = await server.generate({ content: 'word '.repeat(120_000) });
    expect(openPptx(await read(response)).allText()).toMatch(
      /longer than the model can read: this deck is about the first \d+ % of it/,
    );
    const sizes = server.model.requests.map((request) => String(request.messages.at(-1)!.content).length);
    expect(sizes[1]!).toBeLessThan(sizes[0]!);
  });

  test('shows images by number and keeps their data out of the prompt', async () => {
    const base64 = Buffer.from(PNG).toString('base64');
    const deck = { title: 'P', slides: [{ kind: 'image', title: 'The picture', image: 1, caption: 'Two pixels' }] };
    await using server = await app({ agent: 'slides', text: JSON.stringify(deck) });
    const response = await server.generate({ content: `# P\n\n![pixels](data:image/png;base64,${base64})\n` });
    const pptx = openPptx(await read(response));
    expect(Object.keys(pptx.parts).filter((path) => path.startsWith('ppt/media/'))).toHaveLength(1);
    expect(JSON.stringify(server.model.requests[0]!.messages)).not.toContain(base64);
    expect(JSON.stringify(server.model.requests[0]!.messages)).toContain('1: pixels');
  });

  test('aborts the model call when the client goes away', async () => {
    const door = gate();
    const reached = gate();
    await using server = await app({
      agent: 'slides',
      before: () => {
        reached.open();
        return door.wait();
      },
    });
    const controller = new AbortController();
    const request = server
      .generate({ content: CONTENT }, { signal: controller.signal })
      .catch((error: Error) => error.name);
    await reached.wait();
    controller.abort();
    expect(await request).toBe('AbortError');
    for (let waited = 0; server.model.aborted === 0 && waited < 50; waited++) await Bun.sleep(20);
    expect(server.model.aborted).toBe(1);
  });

  test('is not asked when none is configured', () => {
    expect(NO_MODELS.has('basic')).toBe(false);
  });
});
