import type { ToolDefinition } from '../models/model.ts';
import { type Static, Type } from '../schema.ts';
import { SourceKind } from '../store/model.ts';
import type { WireAgent } from './events.ts';
import type { ResearchInput } from './model.ts';

/** Something a tool retrieved that a report may cite. */
export const RetrievedSource = Type.Object({
  url: Type.String(),
  title: Type.String(),
  content: Type.String(),
  score: Type.Union([Type.Number(), Type.Null()]),
  kind: SourceKind,
  accessedAt: Type.String(),
});
export type RetrievedSource = Static<typeof RetrievedSource>;

/** What a call gave. */
export const ToolOutcome = Type.Object({
  content: Type.String({ description: 'What the model and the client see.' }),
  sources: Type.Optional(Type.Array(RetrievedSource)),
});
export type ToolOutcome = Static<typeof ToolOutcome>;

/** A tool an agent may call. `run` throws an AppError for failures the model should hear of. */
export interface Tool {
  definition: ToolDefinition;
  /** Further names under which a request may ask for approval: the tool's own, when it had to be renamed. */
  aliases?: string[];
  /** Where words of a call go: to the search engine, or anywhere outside. Absent: nowhere, or the tool checks by itself. */
  reach?: 'search' | 'outside';
  run(args: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>;
}

/** The tools of one run, from one origin. */
export interface ToolSet {
  /** Tools for an agent; opens connections at the first call. */
  toolsFor(agent: WireAgent, signal: AbortSignal): Promise<Tool[]>;
  /** What is missing and why, one sentence each; agents are told. */
  notices?(): string[];
  /** Closes what was opened; called once at the end of the run. */
  close(): Promise<void>;
}

/** An origin of further tools (code, MCP servers). */
export interface ToolProvider {
  /** Name of the tool set, for runs that may use only some. */
  readonly name: string;
  forRun(input: ResearchInput, runId: string): ToolSet;
}
