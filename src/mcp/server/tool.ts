import type { TSchema } from '../../schema.ts';
import type { AgentPorts } from './ports.ts';

/** What a call of one of our tools may use. */
export interface CallContext {
  ports: AgentPorts;
  /** Aborted when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Tells the client what is being done now. */
  progress(message: string): void;
}

/** Something to show, besides the structured result. */
type ContentItem =
  | { type: 'text'; text: string }
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } };

export interface AgentToolResult {
  /** For clients that read data; matches the output schema. */
  structured: Record<string, unknown>;
  /** For models and people; the structured result as JSON when absent. */
  content?: ContentItem[];
}

/** A tool of ours. `run` throws an AppError for what the client should hear. */
export interface AgentTool {
  name: string;
  title: string;
  description: string;
  input: TSchema;
  output: TSchema;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint: boolean };
  /** False when this installation lacks what the tool needs. */
  isOffered?(ports: AgentPorts): boolean;
  run(args: Record<string, unknown>, context: CallContext): Promise<AgentToolResult>;
}
