/** Whole lines by which an agent or a script says that nothing is to be sent. */
const MARKERS = new Set(['[SILENT]', 'NO_REPLY']);

/** True when the answer is, starts or ends with a line that is a silence marker. */
export function isSilent(answer: string): boolean {
  const lines = answer.trim().split(/\r\n|\r|\n/);
  return MARKERS.has(lines[0]?.trim() ?? '') || MARKERS.has(lines.at(-1)?.trim() ?? '');
}
