/** Files of an installed family; none where fontconfig is missing. */
export function fontFiles(family: string): string[] {
  if (!Bun.which('fc-list')) return [];
  const list = Bun.spawnSync(['fc-list', `:family=${family}`, 'file']).stdout.toString();
  return list.split('\n').flatMap((line) => line.replace(/:\s*$/, '') || []);
}
