import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCliGroup } from '../../src/cli/command.ts';
import { enhanceCommand } from '../../src/cli/enhance.ts';
import { evaluateCommand } from '../../src/cli/evaluate.ts';
import { podcastCommand } from '../../src/cli/podcast.ts';
import { proseCommand } from '../../src/cli/prose.ts';
import { speechCommand } from '../../src/cli/speech.ts';
import { parseWav, toSound } from '../../src/speech/wav.ts';
import { decodeMp3, readChapters } from '../helpers/decode-mp3.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { startSpeechServer, tone } from '../helpers/speech-server.ts';
import { runWords } from './run-cli.ts';

const root = defineCliGroup('test', {
  speech: { description: '', load: async () => speechCommand },
  podcast: { description: '', load: async () => podcastCommand },
  prose: { description: '', load: async () => proseCommand },
  enhance: { description: '', load: async () => enhanceCommand },
  evaluate: { description: '', load: async () => evaluateCommand },
});
const folder = mkdtempSync(join(tmpdir(), 'agent-cli-content-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let homes = 0;
const home = () => join(folder, `home-${++homes}`);
const file = (name: string, text = '') => {
  const path = join(folder, name);
  if (text) writeFileSync(path, text);
  return path;
};
const run = (words: string[], env: Record<string, string> = {}, stdin = '') =>
  runWords(root, words, { env: { AGENT_HOME: home(), ...env }, stdin });
const bytesOf = async (path: string) => new Uint8Array(await Bun.file(path).arrayBuffer());

describe.skipIf(!Bun.which('espeak-ng'))('with SPEECH_PROVIDER=command, from an empty home', () => {
  const env = { SPEECH_PROVIDER: 'command' };

  test('agent podcast makes a show of a report', async () => {
    const report = file('report.md', '# Tides\n\nThe Moon pulls.\n\n## Sun\n\nThe Sun helps.\n');
    const out = file('show.mp3');
    const result = await run(['podcast', report, '-o', out], env);
    expect(result).toMatchObject({ status: 0, stdout: '' });
    expect(result.stderr).toMatch(/show\.mp3: \d+ bytes; run run_\w+ keeps the transcript/);
    const mp3 = await bytesOf(out);
    expect(readChapters(mp3).map((chapter) => chapter.title)).toEqual(['Tides', 'Sun']);
    const { samples, sampleRate } = await decodeMp3(mp3);
    expect(samples.length / sampleRate).toBeGreaterThan(1.5);
  });

  test('agent speech speaks stdin to WAV and MP3', async () => {
    const out = file('a.wav');
    expect((await run(['speech', '-o', out, '--json'], env, 'Hello there.')).status).toBe(0);
    expect(toSound(parseWav(await bytesOf(out))!).sampleRate).toBe(22_050);
    const mp3 = file('a.mp3');
    expect((await run(['speech', '-o', mp3, '--voice', 'male'], env, 'Hello there.')).status).toBe(0);
    expect((await decodeMp3(await bytesOf(mp3))).sampleRate).toBe(22_050);
  });
});

test('agent podcast names the line that cannot be spoken, and writes nothing', async () => {
  await using provider = startSpeechServer({
    reply: (call) => (call.text === 'Two.' ? { code: 3050 } : { audio: tone() }),
  });
  const out = file('failed.mp3');
  const result = await run(
    ['podcast', '-o', out],
    { PROVIDER_TTS_APPID: 'a', PROVIDER_TTS_ACCESS_TOKEN: 'hush-hush', PROVIDER_TTS_URL: provider.url },
    'One.\n\nTwo.\n',
  );
  expect(result.status).toBe(1);
  expect(result.stderr).toContain('Line 2 of 2');
  expect(result.stderr).not.toContain('hush-hush');
  expect(await Bun.file(out).exists()).toBe(false);
});

test.each([
  [['speech', '-o', 'x.mp3'], 'PROVIDER_TTS_APPID is not set'],
  [['podcast', '-o', 'x.mp3'], 'PROVIDER_TTS_APPID is not set'],
])('%p without settings says what is missing', async (words, message) => {
  const result = await run(words, {}, 'Hello.');
  expect(result).toMatchObject({ status: 1, stdout: '' });
  expect(result.stderr).toContain(message);
});

test.each([
  [['prose', 'translate'], 'continue, improve, shorter, longer, fix, zap'],
  [['prose', 'zap'], '--command'],
  [['podcast', '--json'], '-o show.mp3'],
  [['speech', '--speed', '5', '-o', 'x'], '--speed'],
  [['evaluate'], '--query'],
  [['evaluate', '--query', 'q', '--style', 'foo'], '--style must be one of default, academic'],
  [['enhance', '--style', 'foo'], '--style must be one of academic'],
])('%p is wrong use', async (words, message) => {
  const result = await run(words, {}, 'Hello.');
  expect(result.status).toBe(2);
  expect(result.stderr).toContain(message);
});

const COMMANDS = [['speech'], ['podcast'], ['prose', 'shorter'], ['evaluate', '--query', 'q']];

test.each(COMMANDS)('%s %s says which file it cannot use, and does not speak bytes', async (...words) => {
  const refusals: [path: string, message: string][] = [
    [join(folder, 'nowhere.md'), 'nowhere.md cannot be read: it does not exist.'],
    [folder, `${folder} cannot be read: it is a folder.`],
    [file('nul.md', 'a\0b'), 'nul.md is not a text file in UTF-8.'],
    [join(folder, 'latin.md'), 'latin.md is not a text file in UTF-8.'],
  ];
  writeFileSync(join(folder, 'latin.md'), new Uint8Array([0x67, 0x72, 0xfc, 0xdf]));
  for (const [path, message] of refusals) {
    const result = await run([...words, path, '-o', join(folder, 'none.bin')]);
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/ENOENT|EISDIR/);
  }
});

test.each([...COMMANDS, ['enhance']])('%s refuses before the work an output it could not write', async (...words) => {
  const result = await run([...words, '-o', join(folder, 'missing', 'x')], {}, 'Hello.');
  expect(result.status).toBe(2);
  expect(result.stderr).toContain('missing does not exist or cannot be written.');
  expect((await run([...words, '-o', folder], {}, 'Hello.')).stderr).toContain('is a folder; name a file.');
});

test('an empty text is wrong use', async () => {
  expect(
    (await run(['speech', '-o', 'x.mp3'], { SPEECH_PROVIDER: 'command', SPEECH_COMMAND: 'cat' }, ' \n')).status,
  ).toBe(2);
  expect((await run(['enhance'], {}, '')).status).toBe(2);
});

describe('with a model', () => {
  const modelEnv = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' });

  test('agent prose streams the text to stdout', async () => {
    await using server = startModelServer({ queue: { prose: [{ text: ['One', ' two.\n', 'Three.'] }] } });
    const result = await run(['prose', 'continue'], modelEnv(server.baseUrl), 'Zero.');
    expect(result).toMatchObject({ status: 0, stdout: 'One two.\nThree.\n' });
    expect(server.of('prose')).toHaveLength(1);
  });

  test('agent enhance prints the prompt, or JSON', async () => {
    const reply = { text: '<enhanced_prompt>Better.</enhanced_prompt>' };
    await using server = startModelServer({ queue: { enhancer: [reply, reply, reply, reply] } });
    expect((await run(['enhance', 'tides'], modelEnv(server.baseUrl))).stdout).toBe('Better.\n');
    const json = await run(['enhance', '--json', '--style', 'news'], modelEnv(server.baseUrl), 'tides');
    expect(JSON.parse(json.stdout)).toEqual({ result: 'Better.' });
    await run(['enhance', file('idea.txt', 'tides of the file')], modelEnv(server.baseUrl));
    expect(JSON.stringify(server.of('enhancer')[2]?.body.messages)).toContain('tides of the file');
    const out = file('prompt.txt');
    const both = await run(['enhance', 'tides', '--json', '-o', out], modelEnv(server.baseUrl));
    expect(JSON.parse(both.stdout)).toEqual({ path: out });
    expect(await Bun.file(out).text()).toBe('Better.\n');
  });
});

test('agent evaluate counts without a model', async () => {
  const result = await run(['evaluate', '--query', 'Why?', '--json'], {}, '# T\n\n[a](https://a.example) word\n');
  expect(result.status).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({
    metrics: { citation_count: 1, has_title: true },
    llm_evaluation: null,
  });
  expect((await run(['evaluate', '--query', 'Why?'], {}, '# T\n')).stdout).toContain('Grade F');
});

test('writing without a model says what is needed', async () => {
  const result = await run(['prose', 'continue'], {}, 'Zero.');
  expect(result.status).toBe(1);
  expect(result.stderr).toContain('OPENAI_API_KEY');
});
