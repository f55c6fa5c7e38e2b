import { isRecord, parseJson } from '../../lib/json.ts';
import type { SharedFolder } from '../../mcp/model.ts';
import { comparePins, type PinnedTool } from '../../mcp/tool-pins.ts';

/** The tools of a server with all that a model would read of them. */
export function toolLines(tools: readonly PinnedTool[]): string[] {
  return tools.flatMap((tool) => [
    `  ${visible(tool.name)}${parametersOf(tool)}`,
    ...textLines('    ', tool.description),
  ]);
}

/** What became of the tools since they were pinned, both sides in full; empty when nothing did. */
export function changeLines(pinned: readonly PinnedTool[], offered: readonly PinnedTool[]): string[] {
  const { added, changed, removed } = comparePins(pinned, offered);
  const before = new Map(pinned.map((tool) => [tool.name, tool]));
  const after = new Map(offered.map((tool) => [tool.name, tool]));
  return [
    ...added.flatMap((name) => toolLines([after.get(name) as PinnedTool]).map((line) => `+ ${line}`)),
    ...changed.flatMap((name) => {
      const [old, now] = [before.get(name) as PinnedTool, after.get(name) as PinnedTool];
      const texts = old.description !== now.description;
      const schemas = old.schema !== now.schema;
      return [
        `~   ${visible(name)}${texts || schemas ? '' : ' (its title, output or hints changed)'}`,
        ...(texts ? [...textLines('-     ', old.description), ...textLines('+     ', now.description)] : []),
        ...(schemas ? [...textLines('-     ', old.schema), ...textLines('+     ', now.schema)] : []),
      ];
    }),
    ...removed.map((name) => `-   ${visible(name)}`),
  ];
}

/** "reads and writes /srv/notes, reads /srv/app". */
export function describeFolders(folders: readonly SharedFolder[]): string {
  return folders.map(({ path, writable }) => `${writable ? 'reads and writes' : 'reads'} ${visible(path)}`).join(', ');
}

/** Text of a stranger: what is invisible, steers a terminal or changes the direction is shown as its number. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function textLines(lead: string, text: string): string[] {
  if (text === '') return [];
  return text.split('\n').map((line) => `${lead}${visible(line)}`);
}

function parametersOf({ schema }: PinnedTool): string {
  const properties = (parseJson(schema) as { properties?: unknown } | undefined)?.properties;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return names.map((name) => ` ${visible(name)}`).join('');
}
