import type { Config } from '../config/schema.ts';
import type { ToolProvider } from '../research/tool.ts';
import { createJavaScriptTool } from './javascript-tool.ts';
import type { SandboxLimits } from './model.ts';
import { type FindProgram, Python } from './python.ts';
import { createPythonTool } from './python-tool.ts';
import { QuickJsPool } from './quickjs-pool.ts';

export interface CodeToolOptions {
  config: Pick<Config, 'sandbox' | 'python'>;
  /** Looks programs up; the PATH when absent. */
  findProgram?: FindProgram;
}

/** The code tools with their life cycle. */
export interface CodeToolProvider extends ToolProvider {
  /** Ends every sandbox; idempotent. */
  stop(): void;
}

/** The tools that execute code, for the coder: `javascript_repl_tool` and `python_repl_tool`. */
export function createCodeToolProvider({ config, findProgram }: CodeToolOptions): CodeToolProvider {
  const { sandbox } = config;
  const limits: SandboxLimits = {
    timeMs: sandbox.time_limit_seconds * 1000,
    memoryBytes: sandbox.memory_limit_bytes,
    outputBytes: sandbox.output_limit_bytes,
  };
  const pool = new QuickJsPool({ limits, maxWorkers: sandbox.max_workers });
  const python = new Python(config.python, findProgram);
  return {
    name: 'code',
    stop: () => pool.stop(),
    forRun: () => {
      const session = pool.open();
      return {
        toolsFor: async (agent) => {
          if (agent !== 'coder') return [];
          // The engine loads while the model thinks.
          session.warm();
          return [createJavaScriptTool(session, limits), createPythonTool(python, config.python)];
        },
        close: async () => session.close(),
      };
    },
  };
}
