const CHARACTERS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' };

/**
 * The text with the entities that escaping programs write made characters again, a hard space being a space. No other
 * number: `&#64;everyone` must not become a mention behind the checks.
 */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (whole, name: string) => CHARACTERS[name] ?? whole);
}
