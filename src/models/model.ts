import type { AgentTask } from './task.ts';

/** The roles a deployment can give a model to. */
export const MODEL_ROLES = ['basic', 'reasoning', 'vision', 'code'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];

/** Value of the `x-agent-role` header: which agent makes the call. */
export type AgentRole =
  | 'coordinator'
  | 'planner'
  | 'researcher'
  | 'analyst'
  | 'coder'
  | 'reporter'
  | 'podcast'
  | 'slides'
  | 'prose'
  | 'enhancer'
  | 'evaluator'
  | 'webhook';

export type ContentPart = { type: 'text'; text: string } | { type: 'image'; imageUrl: string };

/** What some providers want back with a tool call. */
export interface ToolCallExtra {
  /** Gemini's thought signatures. */
  extra_content?: Record<string, unknown>;
  /** DeepSeek's reasoning before the calls of an answer, on the first of them. */
  reasoning_content?: string;
}

/** A complete tool call as the model wrote it. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments exactly as written; may be invalid JSON. */
  argumentsText: string;
  /** The provider's own data of the call; keep it with the call, because the provider wants it back. */
  extra?: ToolCallExtra;
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ContentPart[] }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[] }
  | { role: 'tool'; toolCallId: string; name: string; content: string };

/** A tool the model may call; `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ModelRequest {
  agent: AgentRole;
  messages: ModelMessage[];
  tools?: ToolDefinition[];
  /** `json` asks for one JSON object (JSON mode); a schema asks for structured output where the provider has it. */
  responseFormat?: 'text' | 'json' | { name: string; schema: Record<string, unknown> };
  maxTokens?: number;
  temperature?: number;
  /** Goes out as `x-run-id`. */
  runId?: string;
  /**
   * What the messages ask for, typed. Adapters that send text to a language model read `messages` and ignore this;
   * the embedded extractive engine reads this and the tool messages, and answers without a language model.
   */
  task?: AgentTask;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** Tokens of one answer. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** What an answer is made of; exactly one `finish` ends it. */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'finish'; reason: FinishReason; usage?: Usage; model: string };

/** One configured model with its retries and fallback chain inside. */
export interface Model {
  /** Name as configured, for example `gpt-4o-mini` or `extractive`. */
  readonly name: string;
  /** Tokens that fit in one call, known or learnt; it may shrink after a provider's error. */
  readonly contextWindow: number;
  /**
   * Streams one answer. Throws an AppError (`upstream_*`, or `context_overflow` when the prompt does not fit the
   * window); rejects with the signal's reason on abort.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** The configured models by role. */
export interface Models {
  /** The model of a role; `reasoning` and `code` fall back to `basic`; `vision` is undefined when not configured. */
  get(role: 'basic' | 'reasoning' | 'code'): Model;
  get(role: ModelRole): Model | undefined;
  /** True when the role itself is configured. */
  has(role: ModelRole): boolean;
  /** Configured roles with the names of their models, for `/api/config`. */
  names(): Partial<Record<ModelRole, string[]>>;
}

/** Turns texts into vectors; present when `models.embedding` is configured. */
export interface Embedder {
  readonly name: string;
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>;
}
