import { serveOverStreams } from '../../mcp/server/stdio.ts';
import { defineCliCommand } from '../command.ts';
import { runWithDeps } from '../run-with-deps.ts';

/** `agent mcp serve`: the agent as an MCP server for the program that started it. */
export const mcpServeCommand = defineCliCommand({
  description: 'Be an MCP server on standard input and output, for programs that start one (editors, desktop clients)',
  examples: ['agent mcp serve'],
  // The log goes to stderr; stdout carries nothing but the protocol.
  run: (_args, context) =>
    runWithDeps(context, { log: 'as configured', runs: true }, (deps) =>
      serveOverStreams({
        ports: deps.agentPorts,
        log: deps.log,
        input: process.stdin,
        output: process.stdout,
        signal: context.signal,
      }),
    ),
});
