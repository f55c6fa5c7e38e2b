import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ERRORS_PAGE, errorsPage } from '../scripts/errors-page.ts';
import { ERROR_GROUPS, ERRORS, errorKind, fail, storedError } from '../src/errors.ts';

const SOURCE = join(import.meta.dir, '../src');

/** Codes of other protocols and of answers that the code itself reads, which nobody is shown. */
const NOT_OURS = new Set(['insecure', 'mismatch', 'missing', 'outside', 'table']);

describe('the table of errors', () => {
  test('is the page of the handbook: run scripts/errors-page.ts after a change', async () => {
    expect(await Bun.file(ERRORS_PAGE).text()).toBe(errorsPage());
  });

  test('has a group, a status, and a sentence of help for every code', () => {
    const grouped = Object.values(ERROR_GROUPS).flatMap((rows) => Object.keys(rows));
    expect(grouped.sort()).toEqual(Object.keys(ERRORS).sort());
    for (const [code, { status, help }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeWithin(400, 600);
      expect(help).toMatch(/^[A-Z`].*[.?]$/);
    }
  });

  test('holds every code that is written out anywhere in the source', async () => {
    const unknown: string[] = [];
    for (const path of new Bun.Glob('**/*.ts').scanSync(SOURCE)) {
      const text = await Bun.file(join(SOURCE, path)).text();
      for (const [, code] of text.matchAll(/\bcode: '([a-z]+(?:_[a-z]+)*)'/g))
        if (!Object.hasOwn(ERRORS, code!) && !NOT_OURS.has(code!)) unknown.push(`${path}: ${code}`);
    }
    expect(unknown).toEqual([]);
  });

  test('decides status, fault and retryability where the place that fails says nothing else', () => {
    expect(fail('upstream_timeout', 'Late.')).toMatchObject({ status: 500, category: 'upstream', retryable: true });
    expect(fail('upstream_timeout', 'Late.', { retryable: false }).retryable).toBe(false);
  });

  test('keeps a code of another version and treats it as a defect', () => {
    expect(storedError('code_of_tomorrow', 'New.')).toMatchObject({ code: 'code_of_tomorrow', status: 500 });
    expect(errorKind('toString')).toBe(ERRORS.internal_error);
  });
});
