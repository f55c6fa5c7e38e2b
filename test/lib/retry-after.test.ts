import { describe, expect, test } from 'bun:test';
import { readRetryAfter } from '../../src/lib/retry-after.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('the wait that an answer asks for', () => {
  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': ' 0 ' }, 0],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
    [{ 'retry-after': '2026-01-01T00:00:02Z' }, 2000],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '20.2', 'retry-after': '9' }, 21],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
  ])('is read of %j', (headers, wait) => {
    expect(readRetryAfter(new Headers(headers), now)).toBe(wait);
  });

  test.each([{}, { 'retry-after': '' }, { 'retry-after': 'soon' }, { 'retry-after': '-5' }, { 'retry-after': '1,5' }])(
    'is unknown with %j',
    (headers) => {
      expect(readRetryAfter(new Headers(headers as Record<string, string>), now)).toBeUndefined();
    },
  );
});
