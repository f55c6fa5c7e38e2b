import { isIP } from 'node:net';
import { isLoopback, urlOf } from '../../http/bind.ts';
import type { Check, Finding } from './check.ts';

const area = 'server';

/** Who can reach the API: its address, the names it answers to, and the pages that may call it. */
export const checkServer: Check = async ({ config }) => {
  const { host, port, api_token, allowed_origins, allowed_hosts } = config.server;
  const names = [...allowed_hosts, ...config.mcp.allowed_hosts];
  const findings: Finding[] = [];
  if (!isLoopback(host) && names.length === 0 && (host === '' || isIP(host.replace(/^\[|\]$/g, '')) !== 0))
    findings.push({
      area,
      status: 'warn',
      message: `The API listens on ${host || 'all addresses'} and answers to IP addresses and localhost only; under a host name it answers 421.`,
      advice: ['Name it, with commas between several: AGENT_ALLOWED_HOSTS=agent.example.com'],
    });
  else
    findings.push({
      area,
      status: 'ok',
      message: `The API listens on ${urlOf(host, port)}${names.length > 0 ? ` and is known as ${names.join(', ')}` : ''}.`,
    });
  if (allowed_origins.includes('*') && api_token === undefined)
    findings.push({
      area,
      status: 'warn',
      message:
        'Every web page that somebody opens may read and write everything here: server.allowed_origins has * and there is no token.',
      advice: ['Name the origins of your web client in ALLOWED_ORIGINS, or set AGENT_API_TOKEN.'],
    });
  return findings;
};
