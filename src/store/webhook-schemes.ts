import type { Database } from 'bun:sqlite';

/** Remembers which scheme brought an event to a route. */
export function noteScheme(db: Database, route: string, scheme: string, now: number): void {
  db.query('INSERT OR IGNORE INTO webhook_schemes (route, scheme, noted_at) VALUES (?, ?, ?)').run(route, scheme, now);
}

/** The schemes noted for each route, the one noted first before the others. */
export function schemesByRoute(db: Database): Map<string, string[]> {
  const rows = db
    .query<{ route: string; scheme: string }, []>('SELECT route, scheme FROM webhook_schemes ORDER BY noted_at, scheme')
    .all();
  const found = new Map<string, string[]>();
  for (const { route, scheme } of rows) found.set(route, [...(found.get(route) ?? []), scheme]);
  return found;
}

/** Forgets the schemes of a route. */
export function forgetSchemes(db: Database, route: string): void {
  db.query('DELETE FROM webhook_schemes WHERE route = ?').run(route);
}
