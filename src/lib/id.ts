/** A time-ordered unique id: `<prefix>_<uuid v7 without dashes>`. */
export function createId(prefix: string): string {
  return `${prefix}_${Bun.randomUUIDv7().replaceAll('-', '')}`;
}
