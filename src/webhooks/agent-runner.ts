/** A skill as it is given to an agent run. */
export interface SkillText {
  name: string;
  /** The Markdown after the front matter. */
  body: string;
}

/** What an event asks the agent to do. */
export interface AgentRunInput {
  /** The rendered template, or the event itself without one; the payload in it is untrusted. */
  prompt: string;
  /** The template as the owner of the route wrote it: the part of the task that may be trusted. */
  template?: string;
  /** One paragraph for the system prompt that says so. */
  notice: string;
  skills: SkillText[];
  /** One agent with tools, or the whole research workflow. */
  mode: 'quick' | 'research';
  /** Tools beyond search, crawl and knowledge; only static routes may list them. */
  toolsets?: string[];
  /** Closed to private documents. */
  withoutKnowledge?: boolean;
  /** Tools that may be called although the run has read private data; only static routes may list them. */
  approvedTools?: string[];
  threadId: string;
  runId: string;
  /** Name of the route, for the log. */
  route: string;
}

/** How an agent run ended. */
export type AgentRunResult =
  | { status: 'completed'; text: string }
  | { status: 'failed'; code: string; message: string; retryable: boolean };

/** Runs the agent; idempotent by `runId`: a second call with the same id continues the run or gives its answer. */
export interface AgentRunner {
  start(input: AgentRunInput, signal: AbortSignal): Promise<AgentRunResult>;
}
