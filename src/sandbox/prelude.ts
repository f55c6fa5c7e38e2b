/**
 * What every sandbox has beyond the language: `console`, and the function that writes values for people. It runs inside
 * the sandbox, so whatever it calls on a value is bound by the same limits. The host calls it with its print function
 * and keeps what it returns.
 */
export const PRELUDE = `(function (print) {
  'use strict';
  const MAX_DEPTH = 6, MAX_ITEMS = 100, MAX_TEXT = 20000;
  const S = String, stringify = JSON.stringify, isArray = Array.isArray, keysOf = Object.keys;
  const protoOf = Object.getPrototypeOf, tagOf = Object.prototype.toString, Err = Error, M = Map, St = Set, D = Date, RE = RegExp, P = Promise;
  const cut = (text) => text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) + '… (' + text.length + ' characters)' : text;
  const errorText = (error) => {
    const head = S(error.name || 'Error') + ': ' + S(error.message);
    const stack = typeof error.stack === 'string' ? error.stack.split('\\n').filter((line) => line && !line.includes('(native)')).slice(0, 5) : [];
    return cut(stack.length ? head + '\\n' + stack.join('\\n') : head);
  };
  const list = (items, size, open, close) => {
    const more = size > MAX_ITEMS ? [...items, '… ' + (size - MAX_ITEMS) + ' more'] : items;
    const flat = more.join(', ');
    if (more.length === 0) return open + close;
    return flat.length <= 100 && !flat.includes('\\n')
      ? open + ' ' + flat + ' ' + close
      : open + '\\n  ' + more.join(',\\n').replaceAll('\\n', '\\n  ') + '\\n' + close;
  };
  const take = (iterable) => { const items = []; for (const item of iterable) { items.push(item); if (items.length === MAX_ITEMS) break; } return items; };
  const inspect = (value, depth, above) => {
    if (typeof value === 'string') return depth === 0 ? cut(value) : stringify(cut(value));
    if (typeof value === 'bigint') return S(value) + 'n';
    if (typeof value === 'function') return '[Function' + (value.name ? ': ' + S(value.name) : '') + ']';
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : S(value);
    if (above.includes(value)) return '[Circular]';
    if (value instanceof Err) return errorText(value);
    if (value instanceof D) return isNaN(value) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RE) return S(value);
    if (value instanceof P) return 'Promise {}';
    const inner = (item) => inspect(item, depth + 1, [...above, value]);
    const name = value.constructor && value.constructor.name;
    if (depth >= MAX_DEPTH) return isArray(value) ? '[Array]' : '[' + (name || 'Object') + ']';
    if (isArray(value)) return list(take(value).map(inner), value.length, '[', ']');
    if (ArrayBuffer.isView(value) && value.length !== undefined) return name + '(' + value.length + ') ' + list(take(value).map(inner), value.length, '[', ']');
    if (value instanceof St) return 'Set(' + value.size + ') ' + list(take(value).map(inner), value.size, '{', '}');
    if (value instanceof M) return 'Map(' + value.size + ') ' + list(take(value).map(([k, v]) => inner(k) + ' => ' + inner(v)), value.size, '{', '}');
    const keys = keysOf(value);
    const key = (text) => /^[A-Za-z_$][\\w$]*$/.test(text) ? text : stringify(text);
    const fields = keys.slice(0, MAX_ITEMS).map((field) => key(field) + ': ' + inner(value[field]));
    const proto = protoOf(value);
    const label = proto === null ? '[Object: null prototype] ' : name && name !== 'Object' ? name + ' ' : '';
    return label + list(fields, keys.length, '{', '}');
  };
  const show = (value, nested) => {
    try { return inspect(value, nested ? 1 : 0, []); }
    catch (error) { try { return tagOf.call(value); } catch { return '[object]'; } }
  };
  const log = (...values) => print(values.map((value) => show(value, typeof value !== 'string')).join(' ') + '\\n');
  const console = { log, info: log, warn: log, error: log, debug: log, dir: log, table: log, trace: log };
  console.assert = (condition, ...values) => { if (!condition) log('Assertion failed', ...values); };
  Object.defineProperty(globalThis, 'console', { value: console, writable: true, configurable: true });
  return { show: (value) => show(value, true), error: (value) => value instanceof Err ? errorText(value) : 'Uncaught ' + show(value, true) };
})`;
