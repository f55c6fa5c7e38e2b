const MAX_HEADERS = 50;
const MAX_VALUE_LENGTH = 16_384;
/** Headers of the connection itself; a second one would let a request smuggle another. */
const RESERVED = new Set(
  `host connection content-length content-type content-encoding transfer-encoding upgrade te trailer expect keep-alive
  proxy-connection mcp-session-id mcp-protocol-version`.split(/\s+/),
);

/** What is wrong with the headers a request sets; undefined when they may be sent. */
export function checkHeaders(headers: Record<string, string>): { name: string; message: string } | undefined {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) return { name: '', message: `There may be at most ${MAX_HEADERS} headers.` };
  for (const name of names) {
    const message = checkHeader(name, headers[name] as string);
    if (message) return { name, message };
  }
  return undefined;
}

function checkHeader(name: string, value: string): string | undefined {
  // RFC 9110, section 5.6.2: a token.
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) return 'The name of a header is not valid.';
  if (RESERVED.has(name.toLowerCase())) return `The header ${name} belongs to the connection and must not be set.`;
  if (/[\r\n]/.test(value)) return `The header ${name} must not hold a line break.`;
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return `The header ${name} holds characters a header cannot have.`;
  return value.length > MAX_VALUE_LENGTH
    ? `The header ${name} may have at most ${MAX_VALUE_LENGTH} characters.`
    : undefined;
}
