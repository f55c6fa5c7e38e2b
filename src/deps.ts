import type { Config } from './config/schema.ts';
import type { Crawler } from './crawl/crawl.ts';
import type { GuardedFetch } from './crawl/guarded-fetch.ts';
import type { KnowledgeProvider } from './knowledge/model.ts';
import type { Clock } from './lib/clock.ts';
import type { Logger } from './lib/log.ts';
import type { Models } from './models/model.ts';
import type { SearchEngine } from './search/search.ts';
import type { Store } from './store/store.ts';

/** Everything a feature may use, built once per process. */
export interface Deps extends AsyncDisposable {
  config: Config;
  /** Agent home, absolute. */
  home: string;
  log: Logger;
  clock: Clock;
  fetch: typeof fetch;
  guardedFetch: GuardedFetch;
  models: Models;
  search: SearchEngine;
  crawler: Crawler;
  knowledge: KnowledgeProvider;
  store: Store;
}
