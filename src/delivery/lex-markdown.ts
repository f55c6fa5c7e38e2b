import type { Lexer, Token } from 'marked';
import { hasTameBlocks, isTameInline } from '../lib/tame-markdown.ts';

/**
 * The tokens of a text by `lexer`, a new one, on the event loop: a paragraph that would keep the parser busy stays one
 * piece of text. Undefined for a text that it cannot take as a whole, because it would take too long or nests too deep.
 */
export function lexMarkdown(lexer: Lexer, markdown: string): Token[] | undefined {
  if (!hasTameBlocks(markdown)) return undefined;
  try {
    const tokens = lexer.blockTokens(markdown.replace(/\r\n?/g, '\n'), []);
    for (const { src, tokens: inline } of lexer.inlineQueue) {
      if (isTameInline(src)) lexer.inlineTokens(src, inline);
      else inline.push({ type: 'text', raw: src, text: src, escaped: false });
    }
    return tokens;
  } catch (error) {
    // Text nested some thousand levels deep is more than the parser's stack holds.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
