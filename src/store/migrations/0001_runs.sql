CREATE TABLE threads (
  id TEXT PRIMARY KEY,
  created_at DOUBLE PRECISION NOT NULL,
  updated_at DOUBLE PRECISION NOT NULL,
  plan TEXT,
  report TEXT,
  citations TEXT NOT NULL DEFAULT '[]',
  sources TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE thread_messages (
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  agent TEXT,
  content TEXT NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (thread_id, position)
);
CREATE TABLE pending_interrupts (
  thread_id TEXT PRIMARY KEY REFERENCES threads(id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL
);
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  input TEXT NOT NULL,
  on_disconnect TEXT NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  updated_at DOUBLE PRECISION NOT NULL,
  usage TEXT NOT NULL,
  error_code TEXT,
  error_message TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  finish_requested INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease_until DOUBLE PRECISION,
  attempts INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_thread ON runs (thread_id, created_at);
CREATE INDEX runs_by_time ON runs (created_at);
CREATE INDEX runs_open ON runs (status) WHERE status IN ('queued', 'running');
CREATE TABLE run_events (
  run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
);
CREATE TABLE run_journal (
  run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run_id, key)
);
