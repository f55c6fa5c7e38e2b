import { boundedJson } from './bounded-json.ts';
import { parsePath, readPath } from './json-path.ts';

const VALUE_LIMIT = 2000;
const PLACEHOLDER = /\{([^{}\n]{1,256})\}/g;

export interface TemplateInput {
  payload: unknown;
  eventType: string;
  route: string;
  /** Longest `{__raw__}`, characters. */
  rawLimit: number;
}

/**
 * Puts payload values into `{a.b.c}` in one pass, so inserted text is never expanded; a path that is not in the payload
 * stays as it is written. Lists and objects become indented JSON.
 */
export function renderTemplate(template: string, input: TemplateInput): string {
  if (!template.includes('{')) return template;
  return template.replace(PLACEHOLDER, (placeholder, path: string) => {
    if (path === '__raw__') return boundedJson(input.payload, input.rawLimit);
    if (path === 'event_type') return input.eventType;
    const value = readPath(input.payload, parsePath(path));
    if (value === undefined) return placeholder;
    if (typeof value === 'string') return value;
    return typeof value === 'object' && value !== null ? boundedJson(value, VALUE_LIMIT) : String(value);
  });
}

/**
 * The text of an event: the route's template, or a description with the payload in a fence. JSON escapes line breaks, so no line
 * of the payload can start with the backticks that would close the fence.
 */
export function renderPrompt(template: string | undefined, input: TemplateInput): string {
  if (template?.trim()) return renderTemplate(template, input);
  const json = boundedJson(input.payload, input.rawLimit);
  return `Webhook event '${input.eventType}' on route '${input.route}':\n\n\`\`\`json\n${json}\n\`\`\``;
}

/** `deliver_extra` with the templates of its text values filled in; numbers and switches become text. */
export function renderExtra(extra: Record<string, unknown>, input: TemplateInput): Record<string, string> {
  const rendered: Record<string, string> = {};
  for (const [key, value] of Object.entries(extra)) {
    if (key === '__proto__' || value === null || value === undefined) continue;
    if (typeof value === 'string') rendered[key] = renderTemplate(value, input);
    else if (typeof value !== 'object') rendered[key] = String(value);
  }
  return rendered;
}
