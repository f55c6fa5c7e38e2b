/** A heading or name as part of an address: letters and digits of any script, joined by hyphens. */
export function slugify(text: string, maxLength = 60): string {
  const slug = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return Array.from(slug).slice(0, maxLength).join('').replace(/-$/, '');
}
