import { isIP } from 'node:net';
import { weaknessOf } from '../../config/api-token.ts';
import type { Config } from '../../config/schema.ts';
import { isLoopback, urlOf } from '../../http/bind.ts';
import type { Check, Finding } from './check.ts';

const area = 'server';

/** The API's door: who can reach it, whether its token keeps them out, and the names and pages it answers to. */
export const checkServer: Check = async ({ config }) => {
  const { host, port, api_token, allowed_origins, allowed_hosts } = config.server;
  const names = [...allowed_hosts, ...config.mcp.allowed_hosts];
  const findings: Finding[] = [checkToken(config.server)];
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

function checkToken({ host, api_token: token, insecure }: Config['server']): Finding {
  const weakness = token === undefined ? undefined : weaknessOf(token);
  if (weakness)
    return {
      area,
      status: 'warn',
      message: `The API token ${weakness}.`,
      advice: ['Make another one: agent token --replace'],
    };
  if (token !== undefined) return { area, status: 'ok', message: 'The API asks for its token.' };
  if (isLoopback(host)) return { area, status: 'ok', message: 'The API has no token and is for this machine only.' };
  return {
    area,
    status: insecure ? 'warn' : 'fail',
    message: insecure
      ? `Anyone who reaches ${host || 'this machine'} can use the API: it has no token (server.insecure).`
      : `The API will not start on ${host || 'all addresses'} without a token.`,
    advice: ['Make one: agent token'],
  };
}
