import { readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { isValidName } from './name.ts';
import { type CompiledRoute, compileRoute, type Route, type RouteContext } from './route.ts';
import { INSECURE_NO_AUTH } from './signatures.ts';
import { parseSubscriptions, SUBSCRIPTION_FILE, type Subscriptions } from './subscription-file.ts';

const SLICE = 250;

export interface RouteTableOptions extends Omit<RouteContext, 'source'> {
  home: string;
  log: Logger;
}

/**
 * The routes: static ones from the configuration, dynamic ones from the file, which is read again when it changed. Records are
 * compiled when they are first asked for, so that 10,000 of them cost a request nothing.
 */
export class RouteTable {
  readonly #options: RouteTableOptions;
  readonly #path: string;
  readonly #static = new Map<string, Route>();
  #compiled = new Map<string, CompiledRoute>();
  #records: Subscriptions = {};
  #stamp = '';

  constructor(options: RouteTableOptions) {
    this.#options = options;
    this.#path = join(options.home, SUBSCRIPTION_FILE);
  }

  /** Reads all routes; throws when a static one may not be served at all. */
  start(): void {
    const { settings, isLoopback, log } = this.#options;
    for (const [name, record] of Object.entries(settings.routes)) {
      const compiled = this.#compileNamed(name, record, 'static');
      if (compiled.ok) {
        this.#static.set(name, compiled.route);
        this.#warn(compiled.route);
      } else if (compiled.code === 'insecure') throw insecureError(`route ${name}`);
      else log.warn(`webhook route skipped: it ${compiled.reason}`, { route: name });
    }
    if (settings.secret === INSECURE_NO_AUTH && !isLoopback) throw insecureError('the global secret');
    this.refresh();
  }

  /** Reads the file when its time, inode or size changed. A file that cannot be used leaves the last good routes. */
  refresh(): void {
    const stat = this.#stat();
    const stamp = !stat
      ? 'absent'
      : stat === 'unreadable'
        ? stat
        : `${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}:${stat.size}`;
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    const { log } = this.#options;
    if (!stat) {
      this.#replace({});
      return;
    }
    let records: Subscriptions | undefined;
    try {
      records = parseSubscriptions(readFileSync(this.#path));
    } catch (error) {
      log.error('the webhook subscriptions cannot be read; the last good ones stay', {
        code: (error as NodeJS.ErrnoException).code,
      });
      return;
    }
    if (records) this.#replace(records);
    else log.error('the webhook subscriptions are not a JSON object; the last good ones stay');
  }

  #stat(): Stats | undefined | 'unreadable' {
    try {
      return statSync(this.#path, { throwIfNoEntry: false });
    } catch {
      // The folder is not accessible: reading the file says so once.
      return 'unreadable';
    }
  }

  /** The route of a name; static ones win. */
  find(name: string): Route | undefined {
    const known = this.#static.get(name);
    if (known) return known;
    const compiled = this.#compiled.get(name) ?? this.#compile(name);
    return compiled?.ok ? compiled.route : undefined;
  }

  #compile(name: string): CompiledRoute | undefined {
    if (!Object.hasOwn(this.#records, name)) return undefined;
    const compiled = this.#compileNamed(name, this.#records[name], 'dynamic');
    this.#compiled.set(name, compiled);
    return compiled;
  }

  #compileNamed(name: string, record: unknown, source: 'static' | 'dynamic'): CompiledRoute {
    if (!isValidName(name)) return { ok: false, reason: 'has a name that is not valid' };
    return compileRoute(name, record, { ...this.#options, source });
  }

  #replace(records: Subscriptions): void {
    this.#records = records;
    this.#compiled = new Map();
    void this.#report(records);
  }

  /** Names what is wrong with the records, in slices that do not hold up requests. */
  async #report(records: Subscriptions): Promise<void> {
    const names = Object.keys(records);
    for (let index = 0; index < names.length; index++) {
      if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
      if (this.#records !== records) return;
      const name = names[index] as string;
      const compiled = this.#compileNamed(name, records[name], 'dynamic');
      if (compiled.ok) this.#warn(compiled.route);
      else this.#options.log.warn(`webhook subscription skipped: it ${compiled.reason}`, { route: name.slice(0, 80) });
    }
  }

  #warn(route: Route): void {
    const report = () => {
      for (const problem of route.filter?.problems ?? [])
        this.#options.log.warn(`webhook filter never matches: ${problem}`, { route: route.name });
    };
    const preparing = route.filter?.prepare();
    if (preparing) void preparing.then(report);
    else report();
  }
}

function insecureError(where: string): Error {
  return fail(
    'insecure_webhook',
    `Refusing to start: ${INSECURE_NO_AUTH} (${where}) is only allowed when platforms.webhook.extra.host is 127.0.0.1, localhost or ::1.`,
  );
}
