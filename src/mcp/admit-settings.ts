import type { MetadataDeps } from './metadata.ts';
import { validateMcpSettings } from './validate-settings.ts';

/**
 * Refuses `mcp_settings` that are bad (422), or that name a server the operator has not approved (403). Every such
 * server is noted, so that all can be allowed at once.
 */
export async function admitMcpSettings(settings: unknown, deps: Omit<MetadataDeps, 'enabled'>): Promise<void> {
  const servers = validateMcpSettings(settings, deps.policy, deps.defaultTimeoutMs);
  const answers = await Promise.allSettled(servers.map((server) => deps.connection.approvals.admit(server)));
  const refused = answers.find((answer) => answer.status === 'rejected');
  if (refused) throw refused.reason;
}
