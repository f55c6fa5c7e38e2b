// Entry point of the binary that compiled.test.ts builds: HOME QUERY FILE… → passages as JSON.
import { serveAsWorker } from '../../src/cli/serve-as-worker.ts';
import { createLocalKnowledge } from '../../src/knowledge/local.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { defaultConfig } from '../helpers/test-server.ts';

if (await serveAsWorker(process.argv.slice(2))) process.exit(0);

const [home, query, ...files] = process.argv.slice(2);
const knowledge = createLocalKnowledge({
  home: home!,
  config: { ...defaultConfig().knowledge, handbook: false },
  log: createLogger({ level: 'warn', format: 'text' }),
  clock: systemClock,
});
const signal = new AbortController().signal;
for (const file of files) await knowledge.ingest({ name: file, bytes: await Bun.file(file).bytes() }, signal);
process.stdout.write(JSON.stringify(await knowledge.retrieve(query!, { limit: 10, signal })));
await knowledge.stop();
