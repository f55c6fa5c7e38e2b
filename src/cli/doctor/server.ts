import { weaknessOf } from '../../config/api-token.ts';
import { isLoopback } from '../../http/bind.ts';
import type { Check } from './check.ts';

const area = 'server';

/** The API's door: who can reach it, and whether its token keeps them out. */
export const checkServerSettings: Check = async ({ config }) => {
  const { host, port, api_token: token, insecure } = config.server;
  const isLocal = isLoopback(host);
  const weakness = token === undefined ? undefined : weaknessOf(token);
  if (weakness)
    return [
      {
        area,
        status: 'warn',
        message: `The API token ${weakness}.`,
        advice: ['Make another one: agent token --replace'],
      },
    ];
  if (token !== undefined || isLocal)
    return [
      {
        area,
        status: 'ok',
        message: `The API listens on ${host}:${port}${token === undefined ? ' without a token, for this machine only' : ' with a token'}.`,
      },
    ];
  return [
    {
      area,
      status: insecure ? 'warn' : 'fail',
      message: insecure
        ? `Anyone who reaches ${host || 'this machine'} can use the API: it has no token (server.insecure).`
        : `The API will not start on ${host || 'all addresses'} without a token.`,
      advice: ['Make one: agent token'],
    },
  ];
};
