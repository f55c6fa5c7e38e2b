/** The settings that decide whether a listener may be opened. */
export interface BindSettings {
  host: string;
  api_token?: string;
  insecure: boolean;
}

/** True for an address only this machine can reach. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (plain === 'localhost' || plain.endsWith('.localhost') || plain === '::1') return true;
  const v4 = plain.startsWith('::ffff:') ? plain.slice(7) : plain;
  return /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(v4);
}

/** Refuses to open the API to a network without a token; the sentence names both ways out. */
export function checkBind(settings: BindSettings): { ok: true } | { ok: false; code: 'bind_refused'; message: string } {
  if (isLoopback(settings.host) || settings.api_token !== undefined || settings.insecure) return { ok: true };
  return {
    ok: false,
    code: 'bind_refused',
    message:
      `Refusing to listen on ${settings.host || 'all addresses'} without a token: anyone on the network could use this server. ` +
      'Set AGENT_API_TOKEN (agent token makes one), or start with --insecure if the network is trusted.',
  };
}

/** The address to show for a listener, with brackets for IPv6. */
export function urlOf(host: string, port: number): string {
  const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}
