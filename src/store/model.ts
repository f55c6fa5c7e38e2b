import { fail } from '../errors.ts';
import { type Static, type TSchema, Type, TypeCompiler } from '../schema.ts';

/** Where a run is in its life. */
export const RunStatus = Type.Union(
  [
    Type.Literal('queued'),
    Type.Literal('running'),
    Type.Literal('interrupted'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ],
  { description: 'Where the run is in its life.' },
);
export type RunStatus = Static<typeof RunStatus>;

/** Tokens by `agent` and by `model`, added up over the run. */
export const RunUsage = Type.Object({
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  by_model: Type.Record(Type.String(), Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
  by_agent: Type.Record(Type.String(), Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
});
export type RunUsage = Static<typeof RunUsage>;

/** What happens to a run when the client that streams it goes away. */
export type OnDisconnect = 'cancel' | 'continue';

/** An entry of the event log. */
export interface StoredEvent {
  /** 1-based, without gaps. */
  seq: number;
  type: string;
  /** One-line JSON, exactly as framed. */
  data: string;
}

/** A finished piece of paid work, written with the event that completes it and never repeated. */
export interface JournalEntry {
  key: string;
  value: unknown;
}

/** What a thread waits for: the run to resume, and the journal key its answer goes under. */
export const PendingInterrupt = Type.Object({
  runId: Type.String(),
  kind: Type.Union([Type.Literal('plan'), Type.Literal('tool'), Type.Literal('clarification')]),
  key: Type.String(),
});
export type PendingInterrupt = Static<typeof PendingInterrupt>;

/**
 * The part of a workflow's input that the engine knows: the interrupt that the run answers. It waits again when the run
 * fails or is stopped, so that no answer is lost.
 */
export const ResumingInput = Type.Object({
  resumes: Type.Optional(PendingInterrupt),
});

/** How an address was retrieved. */
export const SourceKind = Type.Union(
  (['web_search', 'crawl', 'knowledge', 'tool'] as const).map((kind) => Type.Literal(kind)),
);
export type SourceKind = Static<typeof SourceKind>;

/** An address that was retrieved in a thread; `kind` is missing in threads of the first release. */
export const KnownSource = Type.Object({
  url: Type.String(),
  title: Type.String(),
  kind: Type.Optional(SourceKind),
});
export type KnownSource = Static<typeof KnownSource>;

/**
 * Format of the inputs, journal entries and events that this release writes; each row says its own. Rows of the first
 * release, which wrote no version, are 0 and read the same.
 */
export const STORED_VERSION = 1;

/** Refuses a row of a format that only a newer release knows. */
export function checkVersion(version: unknown): void {
  if (Number(version) > STORED_VERSION)
    throw fail('stored_newer', `The run was written by a newer version of agent (format ${Number(version)}).`);
}

const checks = new WeakMap<TSchema, (value: unknown) => boolean>();

/** `value` as `schema` says, or `stored_damaged`. The check is compiled at its first use. */
export function checkStored<Schema extends TSchema>(schema: Schema, value: unknown, what: string): Static<Schema> {
  let check = checks.get(schema);
  if (!check) {
    const compiled = TypeCompiler.Compile(schema);
    check = (candidate) => compiled.Check(candidate);
    checks.set(schema, check);
  }
  if (check(value)) return value as Static<Schema>;
  throw fail('stored_damaged', `The stored ${what} of the run cannot be read.`);
}
