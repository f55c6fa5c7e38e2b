import { describe, expect, test } from 'bun:test';
import { checkBind } from '../../src/http/bind.ts';

describe('checkBind', () => {
  const rows: [host: string, token: string | undefined, insecure: boolean, allowed: boolean][] = [
    ['127.0.0.1', undefined, false, true],
    ['127.8.9.1', undefined, false, true],
    ['localhost', undefined, false, true],
    ['::1', undefined, false, true],
    ['[::1]', undefined, false, true],
    ['0.0.0.0', undefined, false, false],
    ['::', undefined, false, false],
    ['', undefined, false, false],
    ['192.168.1.2', undefined, false, false],
    ['127.0.0.1.example.test', undefined, false, false],
    ['localhost.example.test', undefined, false, false],
    ['0.0.0.0', 'token', false, true],
    ['0.0.0.0', undefined, true, true],
  ];
  test.each(rows)('host %p, token %p, insecure %p: allowed is %p', (host, token, insecure, allowed) => {
    const verdict = checkBind({ host, insecure, ...(token ? { api_token: token } : {}) });
    expect(verdict.ok).toBe(allowed);
    if (!verdict.ok) {
      expect(verdict.message).toContain('AGENT_API_TOKEN');
      expect(verdict.message).toContain('--insecure');
    }
  });
});
