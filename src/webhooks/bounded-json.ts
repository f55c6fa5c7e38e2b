const MARK = '\n… [cut]';

/** The first `limit` UTF-16 units of a text, with a mark when something was cut; a code point is never split. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, borderBefore(text, limit)) + MARK;
}

/**
 * Indented JSON of at most `limit` characters and a mark. Unlike `JSON.stringify(value, null, 2)` the work is bounded by the
 * limit: a payload of 10,000 nested lists would otherwise need 200 MB of indentation.
 */
export function boundedJson(value: unknown, limit: number): string {
  const writer = { text: '', limit };
  write(value, '', writer);
  return cutText(writer.text, limit);
}

/** Writes until the text is longer than the limit; each level adds characters, so the depth is bounded too. */
function write(value: unknown, indent: string, out: { text: string; limit: number }): void {
  if (out.text.length > out.limit) return;
  if (typeof value === 'string') {
    // One character beyond the limit is enough to know that it was cut.
    out.text += JSON.stringify(value.length > out.limit ? value.slice(0, borderBefore(value, out.limit + 1)) : value);
    return;
  }
  if (typeof value !== 'object' || value === null) {
    out.text += JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const count = keys ? keys.length : (value as unknown[]).length;
  if (count === 0) {
    out.text += isList ? '[]' : '{}';
    return;
  }
  const inner = `${indent}  `;
  out.text += isList ? '[\n' : '{\n';
  for (let index = 0; index < count; index++) {
    if (out.text.length > out.limit) return;
    const key = keys?.[index];
    out.text += key === undefined ? inner : `${inner}${JSON.stringify(key.slice(0, out.limit))}: `;
    write((value as Record<string | number, unknown>)[key ?? index], inner, out);
    out.text += index === count - 1 ? '\n' : ',\n';
  }
  out.text += indent + (isList ? ']' : '}');
}

function borderBefore(text: string, index: number): number {
  const code = text.charCodeAt(index - 1);
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index;
}
