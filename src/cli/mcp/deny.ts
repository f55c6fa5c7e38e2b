import { defineCliCommand } from '../command.ts';
import { findKnown, openNeeds } from './known-servers.ts';

/** `agent mcp deny SERVER`: nothing may use the server until it is allowed again. */
export const mcpDenyCommand = defineCliCommand({
  description: 'Deny an MCP server, also one that was allowed',
  examples: ['agent mcp deny files'],
  args: {
    server: { type: 'positional', required: true, description: 'Name in mcp.servers, or id of a server of a request' },
  },
  async run(args, context) {
    const loaded = await context.loadConfig();
    const { approvals } = openNeeds(loaded);
    const { known } = await findKnown(loaded.config.mcp, approvals, args.server);
    await approvals.deny(known);
    const key = known.name ?? known.id;
    await context.print(
      context.json
        ? { id: known.id, name: known.name, state: 'denied' }
        : `Denied: ${key}. Requests and runs go on without it.`,
    );
  },
});
