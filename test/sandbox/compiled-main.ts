// Entry point of the binary that compiled.test.ts builds: code → what the tool answers, three times in one run.
import type { ResearchInput } from '../../src/research/model.ts';
import { createCodeToolProvider } from '../../src/sandbox/code-tools.ts';
import { defaultConfig } from '../helpers/test-server.ts';

const provider = createCodeToolProvider({ config: defaultConfig() });
const set = provider.forRun({} as ResearchInput, 'run_1');
const signal = new AbortController().signal;
const [javascript] = await set.toolsFor('coder', signal);
const answers: string[] = [];
for (const code of process.argv.slice(2)) answers.push((await javascript!.run({ code }, signal)).content);
await set.close();
provider.stop();
process.stdout.write(JSON.stringify(answers));
