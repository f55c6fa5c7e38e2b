import type { Config } from '../config/schema.ts';
import { validateUrl } from '../crawl/validate-url.ts';
import type { McpPolicy } from './check-server.ts';
import type { McpServerSpec } from './model.ts';
import { refuseScript } from './script-dirs.ts';

/** What requests may name, by the configuration. */
export function createMcpPolicy(config: Pick<Config, 'mcp' | 'crawl'>): McpPolicy {
  return {
    allowedCommands: config.mcp.allowed_commands,
    allowedEnv: config.mcp.allowed_env,
    refuseScript: (path) => refuseScript(path, config.mcp.script_dirs),
    isInstalled: (program) => Bun.which(program, { PATH: config.mcp.path }) !== null,
    refuseUrl(url) {
      const check = validateUrl(url, { allowPrivateNetwork: config.crawl.allow_private_network });
      return check.ok ? undefined : check.message;
    },
  };
}

/** The servers of the configuration; trusted as written. */
export function configuredServers(mcp: Config['mcp']): McpServerSpec[] {
  return Object.entries(mcp.servers).map(([name, server]) => {
    const transport = server.transport ?? (server.command ? 'stdio' : 'streamable_http');
    return {
      name,
      target:
        transport === 'stdio'
          ? {
              transport,
              command: server.command ?? '',
              args: server.args ?? [],
              env: server.env ?? {},
              cwd: server.cwd,
              trusted: true,
              sandbox: {
                enabled: server.sandbox ?? true,
                network: server.network,
                folders: (server.folders ?? []).map((path) => ({ path, writable: true })),
              },
            }
          : { transport, url: server.url ?? '', headers: server.headers ?? {}, trusted: true },
      timeoutMs: (server.timeout_seconds ?? mcp.default_timeout_seconds) * 1000,
      enabledTools: server.enabled_tools,
      agents: server.add_to_agents ?? ['researcher'],
      pinTools: server.pin_tools ?? true,
    };
  });
}
