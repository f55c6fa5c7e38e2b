import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillText } from './agent-runner.ts';

const SKILL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAX_BYTES = 256 * 1024;

/** Reads the skills of a route from `<home>/skills/<name>/SKILL.md`; names that do not exist come back as unknown. */
export async function loadSkills(
  home: string,
  names: readonly string[],
): Promise<{ skills: SkillText[]; unknown: string[] }> {
  const skills: SkillText[] = [];
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const text = SKILL_NAME.test(name) ? await readSkill(join(home, 'skills', name, 'SKILL.md')) : undefined;
    if (text === undefined) unknown.push(name);
    else skills.push({ name, body: withoutFrontMatter(text) });
  }
  return { skills, unknown };
}

async function readSkill(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).slice(0, MAX_BYTES);
  } catch {
    return undefined;
  }
}

/** Agent Skills format: YAML between two `---` lines, then Markdown; the description stays as the first line. */
function withoutFrontMatter(text: string): string {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (!match) return text.trim();
  const description = /^description:\s*(.+)$/m
    .exec(match[1] ?? '')?.[1]
    ?.trim()
    .replace(/^["']|["']$/g, '');
  const body = (match[2] ?? '').trim();
  return description ? `${description}\n\n${body}` : body;
}
