import { withoutLastWord } from '../lib/trim.ts';
import type { Chapter, MixedLine } from '../speech/speech.ts';
import type { Script } from './model.ts';

/** Lines of a chapter when the script names none. */
const LINES_PER_CHAPTER = 12;
const MAX_TITLE = 60;

/** The chapters of a podcast: those the script names, else one every few lines, named by its first words. */
export function chaptersOf(script: Script, mixed: readonly MixedLine[]): Chapter[] {
  const isNamed = script.lines.some((line) => line.chapter);
  const chapters = script.lines.flatMap((line, index): Chapter[] => {
    const title = isNamed
      ? (line.chapter ?? (index === 0 ? script.title : ''))
      : index === 0
        ? script.title
        : index % LINES_PER_CHAPTER === 0
          ? firstWords(line.paragraph)
          : '';
    return title ? [{ title, startMs: mixed[index]?.startMs ?? 0 }] : [];
  });
  return chapters.map((chapter, index) => (index === 0 ? { ...chapter, startMs: 0 } : chapter));
}

function firstWords(text: string): string {
  if (text.length <= MAX_TITLE) return text;
  return `${withoutLastWord(text.slice(0, MAX_TITLE).toWellFormed())}…`;
}
