const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * The wait that an answer asks for, in milliseconds from `now`: `retry-after-ms` of OpenAI and Azure, or `Retry-After` in
 * seconds or as an HTTP date (RFC 9110, 10.2.3). Fractions of a second are outside the standard, and sent. Undefined when
 * absent or malformed.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = headers.get('retry-after-ms')?.trim() ?? '';
  if (DECIMAL.test(milliseconds)) return Math.ceil(Number(milliseconds));
  const value = headers.get('retry-after')?.trim() ?? '';
  if (DECIMAL.test(value)) return Math.ceil(Number(value) * 1000);
  // A bare number that is no wait would be read as a year.
  const date = /^[A-Za-z]|^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
