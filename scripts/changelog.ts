/** `## [1.2.3] - 2026-01-31` */
const HEADING = /^## \[([^\]]+)\].*$/gm;

/** What stands below the heading of a version, or of `Unreleased`; undefined when there is no such heading. */
export function readSection(changelog: string, version: string): string | undefined {
  const headings = [...changelog.matchAll(HEADING)];
  const index = headings.findIndex((heading) => heading[1] === version);
  const heading = headings[index];
  if (!heading) return undefined;
  return changelog.slice(heading.index + heading[0].length, headings[index + 1]?.index).trim();
}

/** The changelog with what was unreleased under `version`, and nothing unreleased any more. */
export function closeSection(changelog: string, version: string, date: string): string {
  const closed = changelog.replace('## [Unreleased]', () => `## [Unreleased]\n\n## [${version}] - ${date}`);
  if (closed === changelog) throw new Error('CHANGELOG.md has no heading [Unreleased].');
  return closed;
}
