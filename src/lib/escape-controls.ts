/**
 * Characters that steer a terminal or turn the order of what is read: C0 without tab and newline, DEL, C1, the line and
 * paragraph separators, embeddings, overrides and isolates of direction, deprecated and interlinear format characters.
 */
const STEERING = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u206f\\ufff9-\\ufffb';
const CONTROLS = new RegExp(`[${STEERING}]`, 'g');
/** Marks of direction too: right-to-left text needs them, a name or a line of ours does not. */
const CONTROLS_AND_MARKS = new RegExp(`[${STEERING}\\u061c\\u200e\\u200f]`, 'g');
const UNPRINTABLE = new RegExp(`[\\t\\n${STEERING}]+`, 'g');

/** Text from outside as part of one line: whatever steers a terminal stands as `\u001b`, a line break as `\n`. */
export function escapeLine(text: string): string {
  return escapeLines(text).replaceAll('\n', '\\n');
}

/** Like `escapeLine` for text whose line breaks are ours; on JSON text the result is the same JSON. */
export function escapeLines(text: string): string {
  return text.replace(CONTROLS_AND_MARKS, escaped);
}

/** A text of many lines from outside (a report, an answer): its line breaks, tabs and marks of direction stay. */
export function escapeText(text: string): string {
  return text.replaceAll('\r', '').replace(CONTROLS, escaped);
}

/** A title or subject for another program: one line, each run of what would break or turn it made a space. */
export function withoutControls(text: string): string {
  return text.replace(UNPRINTABLE, ' ').trim();
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
