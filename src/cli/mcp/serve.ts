import { ensureHome } from '../../config/home.ts';
import { createDeps } from '../../deps.ts';
import { closeProcess } from '../../lib/close-process.ts';
import { serveOverStreams } from '../../mcp/server/stdio.ts';
import { defineCliCommand } from '../command.ts';

/** `agent mcp serve`: the agent as an MCP server for the program that started it. */
export const mcpServeCommand = defineCliCommand({
  description: 'Be an MCP server on standard input and output, for programs that start one (editors, desktop clients)',
  async run(_args, context) {
    const { config, home, forgetSecrets } = await context.loadConfig();
    await closeProcess(forgetSecrets());
    await ensureHome(home);
    // The log goes to stderr; stdout carries nothing but the protocol.
    await using deps = createDeps({ config, home, logLevel: config.log.level, worker: false });
    await deps.start();
    await deps.runs.start();
    await serveOverStreams({
      ports: deps.agentPorts,
      log: deps.log,
      input: process.stdin,
      output: process.stdout,
      signal: context.signal,
    });
  },
});
