import { AppError } from '../errors.ts';
import { defineCliCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import type { Check, DoctorContext, Finding } from './doctor/check.ts';
import { checkCode } from './doctor/code.ts';
import { checkDatabase } from './doctor/database.ts';
import { checkHome } from './doctor/home.ts';
import { checkKnowledge } from './doctor/knowledge.ts';
import { checkMcp } from './doctor/mcp.ts';
import { checkModels } from './doctor/models.ts';
import { checkSearch } from './doctor/search.ts';
import { checkServer } from './doctor/server.ts';
import { checkSpeech } from './doctor/speech.ts';
import { checkWebhooks } from './doctor/webhooks.ts';

/** What `agent doctor` looks at, in the order it is printed. */
export const CHECKS: readonly Check[] = [
  checkHome,
  checkDatabase,
  checkServer,
  checkModels,
  checkSearch,
  checkKnowledge,
  checkSpeech,
  checkMcp,
  checkCode,
  checkWebhooks,
];

const LABELS = { ok: 'OK  ', warn: 'WARN', fail: 'FAIL' } as const;

/** `agent doctor`: checks the installation and says what to do. */
export const doctorCommand = defineCliCommand({
  description: 'Check home, server, database, models, search, speech, MCP and webhooks, and say what to do',
  examples: ['agent doctor', 'agent doctor --fix', 'agent doctor --json'],
  args: { fix: { type: 'boolean', description: 'Close files of the home that others could open, and say which' } },
  async run(args, context) {
    const findings = await diagnose(context, args.fix);
    if (context.json) await context.print({ findings });
    else
      for (const finding of findings) {
        await context.print(`${LABELS[finding.status]}  ${finding.area.padEnd(10)} ${finding.message}`);
        for (const line of finding.advice ?? []) await context.print(`${' '.repeat(17)}${line}`);
      }
    return findings.some((finding) => finding.status === 'fail') ? 1 : 0;
  },
});

async function diagnose(context: CommandContext, fix: boolean): Promise<Finding[]> {
  try {
    const { config, home, environment } = await context.loadConfig();
    const findings: Finding[] = [{ area: 'config', status: 'ok', message: 'Every key is known and valid.' }];
    return findings.concat(
      await runChecks(CHECKS, {
        config,
        home,
        environment,
        fetch,
        signal: context.signal,
        fix,
        timeoutMs: 3000,
        localServers: { ollama: 'http://127.0.0.1:11434', lmStudio: 'http://127.0.0.1:1234' },
      }),
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
    return (error.errors ?? []).map((problem) => ({
      area: 'config',
      status: 'fail' as const,
      message: `${problem.path} ${problem.message}`,
    }));
  }
}

/** Runs the checks at the same time; a check that breaks is itself a finding. */
export async function runChecks(checks: readonly Check[], context: DoctorContext): Promise<Finding[]> {
  const findings = await Promise.all(
    checks.map(async (check): Promise<Finding[]> => {
      try {
        return await check(context);
      } catch (error) {
        context.signal.throwIfAborted();
        const reason = error instanceof AppError ? error.message : (error as Error).name;
        return [{ area: 'doctor', status: 'fail', message: `${check.name} could not finish: ${reason}` }];
      }
    }),
  );
  return findings.flat();
}
