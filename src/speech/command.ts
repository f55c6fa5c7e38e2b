import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { fail } from '../errors.ts';
import { invalidField } from '../lib/invalid-field.ts';
import { programEnvironment } from '../lib/program-environment.ts';
import { readCapped } from '../lib/read-capped.ts';
import { guessLocale } from '../text/locale.ts';
import type { SpeechEngine, SpeechRequest } from './speech.ts';

export interface CommandSpeechOptions {
  /** Name on the PATH, or an absolute path. */
  program: string;
  /** Arguments; `{voice}`, `{language}` and the numbers of {@link placeholders} are filled in. */
  args: readonly string[];
  /** Further arguments that make the program read SSML; none means it cannot. */
  ssmlArgs: readonly string[];
  voices: { male: string; female: string };
  timeoutMs: number;
  maxTextBytes?: number;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SAFE_VOICE = /^[A-Za-z0-9][\w.+-]{0,63}$/;
/** What espeak-ng calls languages, or reads them as: it fails for a language that it does not have. */
const ESPEAK_LANGUAGES: Record<string, string> = {
  zh: 'cmn',
  no: 'nb',
  ckb: 'ku',
  ps: 'fa',
  bo: 'en',
  km: 'en',
  lo: 'en',
  tl: 'en',
};
const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/;

/**
 * A program on this machine that reads text from stdin and writes WAV to stdout. It is started without a shell, with a
 * clean environment, in a process group of its own that is killed on abort, after the time limit, and with too much output.
 */
export function createCommandSpeech(options: CommandSpeechOptions): SpeechEngine {
  const find = () => {
    const path = Bun.which(options.program);
    if (!path)
      throw fail(
        'speech_not_configured',
        `The speech program ${options.program} is not installed (speech.command.program)`,
      );
    return path;
  };
  return {
    name: `The speech program ${options.program.split(/[/\\]/).at(-1)}`,
    maxTextBytes: options.maxTextBytes ?? 16_384,
    voices: options.voices,
    checkReady: () => void find(),
    async speak(request, signal) {
      const isSsml = request.textType === 'ssml';
      if (isSsml && options.ssmlArgs.length === 0)
        throw invalidField(
          '/text_type',
          'The speech program does not take SSML (speech.command.ssml_args is empty); send plain text.',
          'ssml_unsupported',
        );
      const args = [...options.args, ...(isSsml ? options.ssmlArgs : [])];
      const values = placeholders(request, options);
      const command = [find(), ...args.map((arg) => fill(arg, values))];
      return runProgram(this.name, command, request.text, options.timeoutMs, signal);
    },
  };
}

/** What arguments may ask for: ratios as the request has them, and in the units of espeak-ng and piper. */
function placeholders(request: SpeechRequest, { program, voices }: CommandSpeechOptions): Record<string, string> {
  const { speed = 1, pitch = 1, volume = 1 } = request;
  const { language } = request;
  // A request over HTTP names no language: read as English, every other script would be spelled out.
  const locale = language && LANGUAGE.test(language) ? language : guessLocale(request.text);
  const short = locale.toLowerCase().split('-')[0]!;
  const name = (/^espeak/.test(basename(program)) && ESPEAK_LANGUAGES[short]) || short;
  return {
    voice: fill(voiceOf(request.voice, voices), { language: name }),
    language: name,
    speed: String(speed),
    length_scale: (1 / speed).toFixed(3),
    words_per_minute: String(Math.round(175 * speed)),
    pitch_percent: String(Math.min(99, Math.round(50 * pitch))),
    volume_percent: String(Math.min(200, Math.round(100 * volume))),
  };
}

function voiceOf(voice: string | undefined, voices: { male: string; female: string }): string {
  if (voice === 'male' || voice === 'female') return voices[voice];
  // Volcengine's voice names, which its clients send by default, mean nothing here.
  if (voice === undefined || /^BV\d/.test(voice)) return voices.female;
  if (!SAFE_VOICE.test(voice))
    throw invalidField('/voice_type', 'The voice_type may hold letters, digits and ".+-_" only.');
  return voice;
}

function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

async function runProgram(
  name: string,
  command: string[],
  text: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  let child: Bun.Subprocess<Blob, 'pipe', 'ignore'>;
  try {
    child = Bun.spawn(command, {
      cwd: tmpdir(),
      env: programEnvironment(command[0]!),
      // The line end tells programs that read line by line that the text is complete.
      stdin: new Blob([`${text}\n`]),
      stdout: 'pipe',
      stderr: 'ignore',
      detached: true,
    } as never);
  } catch (error) {
    throw fail('upstream_unavailable', `${name} could not be started.`, { retryable: false, cause: error });
  }
  let stopped: 'timeout' | 'size' | undefined;
  const kill = () => killGroup(child.pid);
  const timer = setTimeout(() => {
    stopped = 'timeout';
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const { bytes, isCut } = await readCapped(child.stdout, MAX_OUTPUT_BYTES);
    if (isCut) stopped = 'size';
    if (stopped) kill();
    const exitCode = await child.exited;
    signal.throwIfAborted();
    if (stopped === 'timeout') throw fail('upstream_timeout', `${name} took too long.`);
    if (stopped === 'size') throw fail('upstream_rejected', `${name} wrote too much audio.`);
    if (exitCode !== 0) throw fail('upstream_unavailable', `${name} failed (exit status ${exitCode}).`);
    if (bytes.length === 0) throw fail('upstream_rejected', `${name} wrote no audio.`, { retryable: true });
    return bytes;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    // Children it left behind go with it.
    kill();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
