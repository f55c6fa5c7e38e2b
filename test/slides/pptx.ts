import { unzipSync } from 'fflate';

/** The parts of a presentation, read and checked. */
export interface Pptx {
  parts: Record<string, Uint8Array>;
  /** Paths of the slides in order. */
  slides: string[];
  xml(path: string): string;
  /** Text of every run of a part. */
  texts(path: string): string[];
  /** All text of all slides. */
  allText(): string;
}

/** Opens a presentation without checking it. */
export function openPptx(bytes: Uint8Array): Pptx {
  const parts = unzipSync(bytes);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const xml = (path: string) => {
    const part = parts[path];
    if (!part) throw new Error(`no part ${path}`);
    return decoder.decode(part);
  };
  const texts = (path: string) =>
    [...xml(path).matchAll(/<a:t>([^<]*)<\/a:t>/g)].map((match) => unescapeXml(match[1]!));
  const slides = Object.keys(parts)
    .filter((path) => /^ppt\/slides\/slide\d+\.xml$/.test(path))
    .sort((a, b) => Number(/\d+/.exec(a)![0]) - Number(/\d+/.exec(b)![0]));
  return { parts, slides, xml, texts, allText: () => slides.flatMap(texts).join(' ') };
}

/** Everything that is wrong with a package, as sentences; an empty list is a clean one. */
export function packageProblems(bytes: Uint8Array): string[] {
  const problems: string[] = [...zipProblems(bytes)];
  const { parts, xml } = openPptx(bytes);
  const paths = Object.keys(parts);
  const types = xml('[Content_Types].xml');
  const overrides = [...types.matchAll(/<Override PartName="\/([^"]+)" ContentType="([^"]+)"/g)].map(
    (match) => match[1]!,
  );
  const defaults = new Set([...types.matchAll(/<Default Extension="([^"]+)"/g)].map((match) => match[1]!));
  for (const path of overrides) if (!parts[path]) problems.push(`content type of a missing part ${path}`);
  if (new Set(overrides).size !== overrides.length) problems.push('a content type is given twice');
  if (/image\/jpg/.test(types)) problems.push('image/jpg is no media type');
  for (const path of paths) {
    const extension = path.slice(path.lastIndexOf('.') + 1);
    if (path !== '[Content_Types].xml' && !defaults.has(extension)) problems.push(`no content type for ${path}`);
    if (extension === 'xml' && /^(?:ppt|docProps)\//.test(path) && !overrides.includes(path))
      problems.push(`no override for ${path}`);
    if (!/\.(?:xml|rels)$/.test(path)) continue;
    const text = xml(path);
    const broken = wellFormedProblem(text);
    if (broken) problems.push(`${path}: ${broken}`);
    if (path.endsWith('.rels')) problems.push(...relationshipProblems(path, text, parts));
    else problems.push(...partProblems(path, text, parts));
  }
  return problems;
}

function zipProblems(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const problems: string[] = [];
  const end = bytes.length - 22;
  if (view.getUint32(end, true) !== 0x06054b50) return ['no end of central directory'];
  let offset = view.getUint32(end + 16, true);
  const first = view.getUint16(end + 10, true);
  for (let index = 0; index < first; index++) {
    const nameLength = view.getUint16(offset + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(offset + 46, offset + 46 + nameLength));
    if (index === 0 && name !== '[Content_Types].xml') problems.push('the content types are not the first entry');
    if (view.getUint16(offset + 10, true) !== 8) problems.push(`${name} is not deflated`);
    if (name.endsWith('/')) problems.push(`${name} is a folder entry`);
    offset += 46 + nameLength + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true);
  }
  return problems;
}

function relationshipProblems(path: string, text: string, parts: Record<string, Uint8Array>): string[] {
  const problems: string[] = [];
  const base = path.replace(/_rels\/[^/]+$/, '');
  const ids = new Set<string>();
  for (const [element] of text.matchAll(/<Relationship\b[^>]*>/g)) {
    const id = /\bId="([^"]+)"/.exec(element)?.[1] ?? '';
    const target = /\bTarget="([^"]*)"/.exec(element)?.[1] ?? '';
    if (ids.has(id)) problems.push(`${path}: ${id} twice`);
    ids.add(id);
    if (element.includes('TargetMode="External"')) {
      if (!element.includes('/relationships/hyperlink"')) problems.push(`${path}: external ${target}`);
    } else if (!parts[new URL(target, `file:///${base}`).pathname.slice(1)])
      problems.push(`${path}: dangling ${target}`);
  }
  return problems;
}

function partProblems(path: string, text: string, parts: Record<string, Uint8Array>): string[] {
  const problems: string[] = [];
  const rels = path.replace(/([^/]+)$/, '_rels/$1.rels');
  const known = parts[rels] ? new TextDecoder().decode(parts[rels]) : '';
  for (const match of text.matchAll(/\br:(?:id|embed|link)="([^"]*)"/g))
    if (!known.includes(`Id="${match[1]}"`)) problems.push(`${path}: no relationship ${match[1]}`);
  const ids = [...text.matchAll(/<p:cNvPr id="(\d+)"/g)].map((match) => match[1]);
  if (new Set(ids).size !== ids.length) problems.push(`${path}: shape ids are not unique`);
  if (/<\/a:r>\s*<a:pPr/.test(text)) problems.push(`${path}: paragraph properties after a run`);
  if (/^ppt\/(?:slides|charts)\//.test(path))
    for (const match of text.matchAll(/\bsz="(\d+)"/g))
      if (Number(match[1]) < 1200) problems.push(`${path}: text of ${Number(match[1]) / 100} pt`);
  if (path.startsWith('ppt/slides/') && /<p:ph\b[^>]*type="(?:title|body)"(?:(?!<\/p:sp>)[\s\S])*<\/p:sp>/.test(text))
    for (const [shape] of text.matchAll(/<p:sp>(?:(?!<\/p:sp>)[\s\S])*<\/p:sp>/g))
      if (/<p:ph\b[^>]*type="(?:title|body)"/.test(shape) && !/<a:t>[^<]/.test(shape))
        problems.push(`${path}: empty placeholder`);
  return problems;
}

/** What keeps a text from being well-formed XML 1.0; undefined when nothing does. */
export function wellFormedProblem(text: string): string | undefined {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text)) return 'a character XML cannot hold';
  if (!text.isWellFormed()) return 'a lone surrogate';
  const stack: string[] = [];
  let rest = 0;
  for (const match of text.matchAll(
    /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g,
  )) {
    const between = text.slice(rest, match.index);
    if (/[<>]/.test(between) || /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/.test(between))
      return `bad text "${between.slice(0, 60)}"`;
    rest = match.index + match[0].length;
    const [, close, name, attributes = '', self] = match;
    if (name === undefined) continue;
    const names = [...attributes.matchAll(/([\w:.-]+)\s*=/g)].map((attribute) => attribute[1]);
    if (new Set(names).size !== names.length) return `attribute twice in <${name}>`;
    if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/.test(attributes)) return `bad attribute in <${name}>`;
    if (close) {
      if (stack.pop() !== name) return `</${name}> closes something else`;
    } else if (!self) stack.push(name);
  }
  if (text.slice(rest).trim() !== '') return 'text after the end';
  return stack.length > 0 ? `<${stack.at(-1)}> is not closed` : undefined;
}

function unescapeXml(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&');
}
