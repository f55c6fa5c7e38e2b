-- Every delivery that was looked at: the log for people, the memory of seen ids and the queue of accepted events in one table,
-- so that accepting an event is one insert.
CREATE TABLE IF NOT EXISTS webhook_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  route TEXT NOT NULL,
  event TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  -- Digest of route, delivery id (where it counts) and body; indexed in webhook_keys.
  dedupe_key TEXT,
  dedupe_until INTEGER,
  status TEXT NOT NULL,
  reason TEXT,
  -- What comes next: 'script', 'run' or 'deliver'.
  stage TEXT NOT NULL,
  body BLOB,
  -- JSON of the payload after the script.
  payload TEXT,
  origin TEXT,
  snapshot INTEGER,
  run_id TEXT,
  answer TEXT,
  -- Parts of the answer that have arrived at the target.
  progress INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  owner TEXT,
  lease_until INTEGER,
  replay_of TEXT
);
CREATE INDEX IF NOT EXISTS webhook_events_route ON webhook_events (route);
CREATE INDEX IF NOT EXISTS webhook_events_work ON webhook_events (status, next_at) WHERE status IN ('queued', 'running', 'claimed');

-- Which event took a delivery's key. Filled in sorted batches: events above webhook_keys_merged.seq may be missing.
CREATE TABLE IF NOT EXISTS webhook_keys (
  key TEXT PRIMARY KEY,
  seq INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS webhook_keys_merged (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL
);

-- What was signed beside a timestamp but without an id. By time, so that rows come in order and leave in order.
CREATE TABLE IF NOT EXISTS webhook_signed (
  time INTEGER NOT NULL,
  digest TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (time, digest)
) WITHOUT ROWID;

-- Which schemes brought events to a route that accepts every one.
CREATE TABLE IF NOT EXISTS webhook_schemes (
  route TEXT NOT NULL,
  scheme TEXT NOT NULL,
  noted_at INTEGER NOT NULL,
  PRIMARY KEY (route, scheme)
) WITHOUT ROWID;

-- The route as it was when the event came in; one row per version, shared by its events.
CREATE TABLE IF NOT EXISTS webhook_snapshots (
  id INTEGER PRIMARY KEY,
  json TEXT NOT NULL UNIQUE
);
