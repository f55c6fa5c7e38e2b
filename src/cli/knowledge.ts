import type { Deps } from '../deps.ts';
import { type CliGroup, defineCliCommand, defineCliGroup } from './command.ts';
import type { CommandContext } from './context.ts';
import { addSources } from './knowledge/add.ts';
import { formatPassage } from './knowledge/format-passage.ts';
import { runWithDeps } from './run-with-deps.ts';

/** More than any list needs. */
const ALL = 1_000_000;

const add = defineCliCommand({
  description: 'Add files, directories (with everything below them) or web pages',
  examples: ['agent knowledge add notes/ handbook.pdf', 'agent knowledge add https://example.com/article'],
  args: {
    sources: { type: 'positional', required: true, multiple: true, description: 'Files, directories, addresses' },
  },
  run: (args, context) => withKnowledge(context, (deps) => addSources(deps, context, args.sources)),
});

const list = defineCliCommand({
  description: 'List the documents, newest first',
  examples: ['agent knowledge list'],
  run: (_args, context) =>
    withKnowledge(context, async ({ knowledge }) => {
      const resources = await knowledge.listResources({ limit: ALL, signal: context.signal });
      if (context.json) return context.print({ resources });
      const width = Math.max(0, ...resources.map((resource) => resource.uri.length));
      for (const { uri, title } of resources) await context.print(`${uri.padEnd(width)}  ${title}`);
    }),
});

const remove = defineCliCommand({
  description: 'Remove documents',
  examples: ['agent knowledge remove local://notes/tides.md'],
  args: { uris: { type: 'positional', required: true, multiple: true, description: 'Addresses shown by `list`' } },
  run: (args, context) =>
    withKnowledge(context, async ({ knowledge }) => {
      const removed: string[] = [];
      for (const uri of args.uris) if (await knowledge.remove?.(uri)) removed.push(uri);
      const missing = args.uris.filter((uri) => !removed.includes(uri));
      if (context.json) await context.print({ removed, missing });
      else for (const uri of removed) await context.print(`Removed ${uri}`);
      for (const uri of missing) await context.warn(`There is no document ${uri}; "agent knowledge list" shows them.`);
      return missing.length > 0 ? 1 : 0;
    }),
});

const search = defineCliCommand({
  description: 'Search the documents and show the passages, best first',
  examples: [
    'agent knowledge search "when is high tide"',
    'agent knowledge search tides -n 10 --in local://notes/tides.md',
  ],
  args: {
    query: { type: 'positional', required: true, multiple: true, description: 'Words or a question' },
    limit: { type: 'number', integer: true, min: 1, max: 100, default: 5, alias: 'n', description: 'Most passages' },
    in: { type: 'string', multiple: true, valueHint: 'uri', description: 'Search only this document' },
  },
  run: (args, context) =>
    withKnowledge(context, async ({ knowledge }) => {
      const query = args.query.join(' ');
      const passages = await knowledge.retrieve(query, {
        limit: args.limit,
        resources: args.in,
        signal: context.signal,
      });
      if (context.json) return context.print({ passages });
      if (passages.length === 0) await context.note('Nothing found.');
      const width = Math.min(context.stdout.columns, 100);
      for (const [index, passage] of passages.entries())
        await context.printLines(
          formatPassage(index + 1, passage, query, context.stdout.isTerminal ? width : undefined),
        );
    }),
});

/** `agent knowledge`: the documents that research may use. */
export const knowledgeCommand: CliGroup = defineCliGroup(
  'Manage the documents that research may use',
  {
    add: { description: 'Add files, directories or web pages', load: async () => add },
    list: { description: 'List the documents', alias: ['ls'], load: async () => list },
    remove: { description: 'Remove documents', alias: ['rm'], load: async () => remove },
    search: { description: 'Search the documents', load: async () => search },
  },
  ['agent knowledge add notes/', 'agent knowledge search "when is high tide"'],
);

function withKnowledge<T>(context: CommandContext, work: (deps: Deps) => Promise<T>): Promise<T> {
  return runWithDeps(context, { log: 'warn', home: true }, work);
}
