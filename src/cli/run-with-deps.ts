import { ensureHome } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import { createDeps, type Deps } from '../deps.ts';
import { closeProcess } from '../lib/close-process.ts';
import type { CommandContext } from './context.ts';

interface RunWithDepsOptions {
  /** Least important entry of the log that is shown: progress and results have their own lines. `debug` shows all. */
  log: 'warn' | 'error' | 'as configured';
  /** The command keeps something in the home. */
  home?: boolean;
  /** It makes runs, in this process; implies `home`. */
  runs?: boolean;
}

/** Loads the configuration, builds everything, does `work` and releases everything. Secrets leave the environment before. */
export async function runWithDeps<T>(
  context: CommandContext,
  options: RunWithDepsOptions,
  work: (deps: Deps, loaded: LoadedConfig) => Promise<T>,
): Promise<T> {
  const loaded = await context.loadConfig();
  const { config, home } = loaded;
  await closeProcess(loaded.forgetSecrets());
  if (options.home || options.runs) await ensureHome(home);
  const showsAll = options.log === 'as configured' || config.log.level === 'debug';
  const logLevel = showsAll ? config.log.level : (options.log as 'warn' | 'error');
  await using deps = createDeps({ config, home, logLevel, worker: false });
  if (options.runs) {
    await deps.start();
    await deps.runs.start();
  }
  return await work(deps, loaded);
}
