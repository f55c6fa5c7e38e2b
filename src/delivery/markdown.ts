import type { MarkedToken, Token, Tokens } from 'marked';
import { decodeEntities } from '../text/html-entities.ts';
import type { Dialect } from './dialects.ts';
import { lexMarkdown } from './lex-markdown.ts';

/** Renders Markdown for a platform with a markup of its own; raw HTML stays visible text. */
export async function createMarkdownRenderer(dialect: Dialect): Promise<(markdown: string) => string> {
  const { Lexer } = await import('marked');
  return (markdown) => {
    const tokens = lexMarkdown(new Lexer(), markdown);
    const rendered = tokens && orUndefined(() => blocks(tokens, dialect, new Set()).trim());
    return rendered ?? dialect.text(markdown);
  };
}

/** Renders Markdown as HTML without raw HTML and without addresses other than http, https and mailto. */
export async function createHtmlRenderer(): Promise<(markdown: string) => string> {
  const { Lexer, Marked } = await import('marked');
  const marked = new Marked({
    gfm: true,
    breaks: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        return isSafeLink(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label;
      },
      image: ({ href, text }) =>
        isSafeLink(href) ? `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>` : escapeHtml(text),
    },
  });
  return (markdown) => {
    const tokens = lexMarkdown(new Lexer(marked.defaults), markdown);
    const rendered = tokens && orUndefined(() => marked.parser(tokens).trim());
    return rendered ?? `<pre>${escapeHtml(markdown)}</pre>`;
  };
}

/** Text nested some thousand levels deep is more than the stack holds; it is shown as it is. */
function orUndefined(render: () => string): string | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Active = ReadonlySet<string>;

function blocks(tokens: Token[], dialect: Dialect, active: Active): string {
  return tokens
    .filter((token) => token.type !== 'space')
    .map((token) => block(token as MarkedToken, dialect, active))
    .filter((text) => text !== '')
    .join('\n\n');
}

function block(token: MarkedToken, dialect: Dialect, active: Active): string {
  switch (token.type) {
    case 'code':
      return dialect.block(token.text, token.lang ?? '');
    case 'heading':
      return wrapped('strong', token.tokens, dialect, active);
    case 'paragraph':
      return inline(token.tokens, dialect, active);
    case 'text':
      return token.tokens ? inline(token.tokens, dialect, active) : dialect.text(decodeEntities(token.text));
    case 'blockquote':
      return quote(token, dialect, active);
    case 'list':
      return list(token, dialect, active);
    case 'table':
      return dialect.block(table(token), '');
    case 'hr':
      return dialect.text('———');
    default:
      return dialect.text(token.raw.trim());
  }
}

function quote(token: Tokens.Blockquote, dialect: Dialect, active: Active): string {
  // No platform nests quotes.
  if (active.has('quote')) return blocks(token.tokens, dialect, active);
  const inside = blocks(token.tokens, dialect, new Set([...active, 'quote']));
  return inside
    .split('\n')
    .map((line) => `${dialect.quote}${line}`)
    .join('\n');
}

function list(token: Tokens.List, dialect: Dialect, active: Active): string {
  // A quotation must begin its line; in an item it stands behind the mark.
  const inside = new Set([...active, 'quote']);
  const first = typeof token.start === 'number' ? token.start : 1;
  const items = token.items.map((item, index) => {
    const mark = item.task ? (item.checked ? '☑' : '☐') : token.ordered ? dialect.text(`${first + index}.`) : '•';
    const body = item.tokens
      .filter((child) => child.type !== 'space' && child.type !== 'checkbox')
      .map((child) => block(child as MarkedToken, dialect, inside))
      .join('\n');
    return `${mark} ${body.replaceAll('\n', '\n  ')}`;
  });
  return items.join(token.loose ? '\n\n' : '\n');
}

function table(token: Tokens.Table): string {
  const rows = [token.header, ...token.rows].map((row) => row.map((cell) => plain(cell.tokens)));
  const widths = token.header.map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell))))
      .join(' | ')
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('-+-'), ...lines.slice(1)].join('\n');
}

function plain(tokens: Token[]): string {
  return tokens
    .map((token) => {
      const children = 'tokens' in token ? token.tokens : undefined;
      if (children && children.length > 0) return plain(children);
      return token.type === 'br' ? ' ' : decodeEntities('text' in token ? String(token.text) : token.raw);
    })
    .join('');
}

function inline(tokens: Token[], dialect: Dialect, active: Active): string {
  return tokens.map((token) => inlineToken(token as MarkedToken, dialect, active)).join('');
}

function inlineToken(token: MarkedToken, dialect: Dialect, active: Active): string {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return wrapped(token.type, token.tokens, dialect, active);
    case 'codespan':
      return dialect.code(token.text);
    case 'br':
      return '\n';
    case 'link': {
      const label = inline(token.tokens, dialect, new Set([...active, 'link']));
      if (active.has('link') || !isSafeLink(token.href)) return label;
      return dialect.link(label, token.href, token.text === token.href || token.href === `mailto:${token.text}`);
    }
    case 'image':
      return isSafeLink(token.href) && !active.has('link')
        ? dialect.link(dialect.text(token.text || token.href), token.href, !token.text)
        : dialect.text(token.text);
    case 'escape':
    case 'text':
      return 'tokens' in token && token.tokens
        ? inline(token.tokens, dialect, active)
        : dialect.text(decodeEntities(token.text));
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? '\n' : dialect.text(token.raw);
    default:
      return dialect.text(token.raw);
  }
}

/** Emphasis inside the same emphasis would end it, so it is written once. */
function wrapped(kind: 'strong' | 'em' | 'del', tokens: Token[], dialect: Dialect, active: Active): string {
  const body = inline(tokens, dialect, new Set([...active, kind]));
  const mark = dialect[kind];
  return active.has(kind) || body.trim() === '' ? body : `${mark}${body}${mark}`;
}

function isSafeLink(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(href);
}

function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}
