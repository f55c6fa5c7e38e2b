// Entry point of the binary that compiled.test.ts builds: HOME QUERY FILE… → passages as JSON.
import { createLocalKnowledge } from '../../src/knowledge/local.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';

const [home, query, ...files] = process.argv.slice(2);
const knowledge = createLocalKnowledge({
  home: home!,
  config: { provider: 'local', handbook: false, max_file_bytes: 1_000_000, path: 'knowledge.db' },
  log: createLogger({ level: 'warn', format: 'text' }),
  clock: systemClock,
});
const signal = new AbortController().signal;
for (const file of files) await knowledge.ingest({ name: file, bytes: await Bun.file(file).bytes() }, signal);
process.stdout.write(JSON.stringify(await knowledge.retrieve(query!, { limit: 10, signal })));
await knowledge.stop();
