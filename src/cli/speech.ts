import { defineCliCommand } from './command.ts';
import { checkBinaryOutput, readText, writeResult } from './content/files.ts';
import { runWithDeps } from './run-with-deps.ts';

const ratio = (description: string) =>
  ({ type: 'number', min: 0.1, max: 3, default: 1, valueHint: 'ratio', description }) as const;

/** `agent speech`: a text in, audio out. */
export const speechCommand = defineCliCommand({
  description: 'Speak a text to an MP3 or WAV file',
  examples: [
    'agent speech letter.txt -o letter.mp3',
    'echo "Good morning." | agent speech -o morning.wav --voice female',
    'agent speech brief.txt -o brief.mp3 --language de-DE --speed 1.2',
  ],
  args: {
    text: { type: 'positional', default: '-', description: 'Text file; stdin when it is left out or `-`' },
    out: {
      type: 'string',
      alias: 'o',
      valueHint: 'file',
      description: 'Write the audio to this file (`-` for stdout)',
    },
    format: { type: 'enum', options: ['mp3', 'wav'], description: 'Format (default: as the file is named, else mp3)' },
    voice: { type: 'string', valueHint: 'name', description: 'Voice as the speech engine names it; or male, female' },
    language: { type: 'string', valueHint: 'tag', description: 'Language of the text, for example de-DE' },
    speed: ratio('Speed, 0.1 to 3'),
    volume: ratio('Volume, 0.1 to 3'),
    pitch: ratio('Pitch, 0.1 to 3'),
    ssml: { type: 'boolean', description: 'The text is SSML' },
  },
  async run(args, context) {
    await checkBinaryOutput(context, args.out, 'speech.mp3');
    const text = await readText(context, args.text, 'text');
    const format = args.format ?? (/\.wav$/i.test(args.out ?? '') ? 'wav' : 'mp3');
    const audio = await runWithDeps(context, { log: 'error' }, async ({ speech }) => {
      speech.checkReady();
      if (context.stderr.isTerminal) await context.note(`Speaking ${text.trim().length} characters …`);
      return speech.speak(
        {
          text,
          format,
          ...(args.voice ? { voice: args.voice } : {}),
          ...(args.language ? { language: args.language } : {}),
          speed: args.speed,
          volume: args.volume,
          pitch: args.pitch,
          textType: args.ssml ? 'ssml' : 'plain',
        },
        context.signal,
      );
    });
    await writeResult(context, args.out, audio);
    if (context.json) await context.print({ path: args.out, format, bytes: audio.length });
    else if (args.out !== undefined && args.out !== '-') await context.done(`${args.out}: ${audio.length} bytes`);
  },
});
