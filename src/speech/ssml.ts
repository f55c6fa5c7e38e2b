import { invalidField } from '../lib/invalid-field.ts';
import { byteLength, splitText } from '../text/split-text.ts';

/** A part of the document directly below its root: text, or an element with all that is in it. */
interface Piece {
  kind: 'text' | 'element';
  source: string;
}

interface Document {
  /** `<speak …>` as written. */
  open: string;
  close: string;
  pieces: Piece[];
}

/**
 * Checks SSML and cuts it into documents of at most `maxBytes` UTF-8 bytes each, between the elements and sentences
 * directly below `<speak>`; an element is never cut. Throws `invalid_ssml` or `ssml_too_long` (422).
 */
export async function splitSsml(text: string, maxBytes: number): Promise<string[]> {
  const document = await readSsml(text.trim());
  if (byteLength(text.trim()) <= maxBytes) return [text.trim()];
  const room = maxBytes - byteLength(document.open) - byteLength(document.close);
  const units = document.pieces.flatMap((piece) => (piece.kind === 'text' ? sentences(piece.source) : [piece.source]));
  const bodies: string[] = [];
  let body = '';
  for (const unit of units) {
    if (byteLength(unit) > room)
      throw invalidField(
        '/text',
        `An element of the SSML is longer than the ${maxBytes} bytes the speech engine takes at once; divide it into shorter elements below <speak>.`,
        'ssml_too_long',
      );
    if (byteLength(body) + byteLength(unit) > room) {
      bodies.push(body);
      body = '';
    }
    body += unit;
  }
  bodies.push(body);
  return bodies.filter((part) => part.trim() !== '').map((part) => `${document.open}${part}${document.close}`);
}

/** Text between elements in pieces that never cut an entity: sentences, as they are written. */
function sentences(source: string): string[] {
  return source.includes('&') ? [source] : splitText(source, 512).map((sentence) => `${sentence} `);
}

async function readSsml(text: string): Promise<Document> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser({ position: true });
  const pieces: Piece[] = [];
  let depth = 0;
  let rootName = '';
  let bodyStart = 0;
  let pieceStart = 0;
  let bodyEnd = 0;
  const take = (kind: Piece['kind'], end: number) => {
    if (end > pieceStart) pieces.push({ kind, source: text.slice(pieceStart, end) });
    pieceStart = end;
  };
  parser.on('error', (error) => {
    // Its first line names the place; only what is wrong is said, not the text.
    throw invalidField(
      '/text',
      `The SSML is not well-formed XML: ${error.message.split('\n')[0]?.replace(/\.$/, '')}.`,
      'invalid_ssml',
    );
  });
  parser.on('doctype', () => {
    throw invalidField('/text', 'The SSML must not have a document type declaration.', 'invalid_ssml');
  });
  parser.on('opentagstart', (tag) => {
    if (depth === 0) rootName = tag.name;
    // The position is behind the name.
    if (depth === 1) take('text', text.lastIndexOf('<', parser.position - 1));
  });
  parser.on('opentag', () => {
    if (depth === 0) {
      bodyStart = parser.position;
      pieceStart = bodyStart;
    }
    depth++;
  });
  parser.on('closetag', () => {
    depth--;
    if (depth === 1) take('element', parser.position);
    if (depth === 0) {
      bodyEnd = Math.max(bodyStart, text.lastIndexOf('</', parser.position - 1));
      take('text', bodyEnd);
    }
  });
  parser.write(text).close();
  if (rootName !== 'speak')
    throw invalidField('/text', 'The SSML must have <speak> as its root element.', 'invalid_ssml');
  return { open: text.slice(0, bodyStart), close: text.slice(bodyEnd), pieces };
}
