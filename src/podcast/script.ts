import { isRecord } from '../lib/json.ts';
import type { Reading } from '../models/complete.ts';
import { splitText } from '../text/split-text.ts';
import type { Script, ScriptLine, Speaker } from './model.ts';
import { isSayable, speakable } from './speakable.ts';

export interface ReadScriptOptions {
  /** Used when the script names none. */
  locale: string;
  title: string;
  maxLines: number;
}

const MALE = /^(?:m|male|man|host ?a|speaker ?[a1]|host ?1|男.*)$/i;
const FEMALE = /^(?:f|w|female|woman|host ?b|speaker ?[b2]|host ?2|女.*)$/i;
const LOCALE = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*$/;
const MAX_TITLE = 200;
/** A monologue is spoken in parts, so that one failure does not cost all of it. */
const MAX_LINE_BYTES = 4000;

/**
 * Reads a script as weak models write it: a bare list of lines, other names for the fields, other names for the two
 * speakers. Lines without a word are left out.
 */
export function readScript(value: unknown, options: ReadScriptOptions): Reading<Script> {
  const root = Array.isArray(value) ? { lines: value } : value;
  if (!isRecord(root)) return { ok: false, problem: 'The answer must be a JSON object with "lines"' };
  const rows = root['lines'] ?? root['script'] ?? root['dialogue'];
  if (!Array.isArray(rows)) return { ok: false, problem: '"lines" must be a list' };
  const speakers = new Map<string, Speaker>();
  const lines: ScriptLine[] = [];
  let chapter = '';
  for (const row of rows) {
    if (!isRecord(row)) return { ok: false, problem: 'Every line must be an object with "speaker" and "paragraph"' };
    const text = row['paragraph'] ?? row['text'] ?? row['content'] ?? row['line'];
    if (typeof text !== 'string') return { ok: false, problem: 'A line has no "paragraph"' };
    chapter = textOf(row['chapter']) || chapter;
    const paragraph = speakable(text);
    if (!isSayable(paragraph)) continue;
    const speaker = speakerOf(row['speaker'], speakers, lines.at(-1)?.speaker);
    for (const part of splitText(paragraph, MAX_LINE_BYTES)) {
      lines.push({ speaker, paragraph: part, ...(chapter ? { chapter } : {}) });
      chapter = '';
    }
  }
  if (lines.length === 0) return { ok: false, problem: 'The script has no lines' };
  if (lines.length > options.maxLines)
    return { ok: false, problem: `The script has ${lines.length} lines; at most ${options.maxLines} are allowed` };
  const locale = typeof root['locale'] === 'string' && LOCALE.test(root['locale']) ? root['locale'] : options.locale;
  return { ok: true, value: { locale, title: textOf(root['title']) || options.title, lines } };
}

/** Other names are given to the two voices in the order they come; without a name the speakers take turns. */
function speakerOf(name: unknown, known: Map<string, Speaker>, last: Speaker | undefined): Speaker {
  const key = typeof name === 'string' ? name.trim().toLowerCase() : '';
  if (MALE.test(key)) return 'male';
  if (FEMALE.test(key)) return 'female';
  if (key === '') return last === 'male' ? 'female' : 'male';
  const speaker = known.get(key) ?? (known.size % 2 === 0 ? 'male' : 'female');
  known.set(key, speaker);
  return speaker;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? speakable(value).slice(0, MAX_TITLE).toWellFormed() : '';
}
