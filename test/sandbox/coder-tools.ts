import type { Config } from '../../src/config/schema.ts';
import type { ResearchInput } from '../../src/research/model.ts';
import { createCodeToolProvider } from '../../src/sandbox/code-tools.ts';
import type { FindProgram } from '../../src/sandbox/python.ts';
import { defaultConfig } from '../helpers/test-server.ts';

export interface CoderOptions {
  sandbox?: Partial<Config['sandbox']>;
  python?: Partial<Config['python']>;
  findProgram?: FindProgram;
}

/** The coder's tools of one run after another. */
export function createCoder(options: CoderOptions = {}) {
  const config = defaultConfig();
  Object.assign(config.sandbox, options.sandbox);
  Object.assign(config.python, options.python);
  const provider = createCodeToolProvider({
    config,
    ...(options.findProgram ? { findProgram: options.findProgram } : {}),
  });
  const begin = () => {
    const set = provider.forRun({} as ResearchInput, 'run_test');
    const call = async (name: string, code: unknown, signal = new AbortController().signal) => {
      const tools = await set.toolsFor('coder', signal);
      const tool = tools.find((entry) => entry.definition.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return (await tool.run({ code }, signal)).content;
    };
    return {
      set,
      javascript: (code: unknown, signal?: AbortSignal) => call('javascript_repl_tool', code, signal),
      python: (code: unknown, signal?: AbortSignal) => call('python_repl_tool', code, signal),
    };
  };
  return { provider, begin, [Symbol.dispose]: () => provider.stop() };
}
