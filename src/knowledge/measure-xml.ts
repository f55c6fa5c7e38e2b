const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const QUOTES = new Set([0x22, 0x27]);
const COMMENT = new TextEncoder().encode('-->');
const CDATA = new TextEncoder().encode(']]>');

/** How many elements an XML text has and how deep they are nested, in one pass and without building anything. */
export function measureXml(xml: Uint8Array): { elements: number; depth: number } {
  let elements = 0;
  let depth = 0;
  let open = 0;
  for (let at = xml.indexOf(LESS); at >= 0; at = xml.indexOf(LESS, at)) {
    const kind = xml[at + 1];
    if (kind === BANG || kind === QUESTION) {
      at = endOfDeclaration(xml, at);
      continue;
    }
    at = endOfTag(xml, at);
    if (kind === SLASH) open--;
    else {
      elements++;
      depth = Math.max(depth, open + 1);
      if (xml[at - 1] !== SLASH) open++;
    }
  }
  return { elements, depth };
}

/** The `>` of a tag; one between quotes is part of an attribute. */
function endOfTag(xml: Uint8Array, start: number): number {
  let quote: number | undefined;
  for (let at = start + 1; at < xml.length; at++) {
    const byte = xml[at]!;
    if (quote !== undefined) {
      if (byte === quote) quote = undefined;
    } else if (byte === GREATER) return at;
    else if (QUOTES.has(byte)) quote = byte;
  }
  return xml.length;
}

/** The end of a comment, a CDATA section, a processing instruction or a document type. */
function endOfDeclaration(xml: Uint8Array, start: number): number {
  const third = xml[start + 2];
  const end = third === 0x2d ? COMMENT : third === 0x5b ? CDATA : undefined;
  const at = end
    ? Buffer.from(xml.buffer, xml.byteOffset, xml.byteLength).indexOf(end, start + 3)
    : endOfTag(xml, start);
  return at < 0 ? xml.length : at + 1;
}
