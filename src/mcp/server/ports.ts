import type { KnowledgeProvider } from '../../knowledge/model.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChatRequest, Citation } from '../../research/model.ts';
import { type FollowedEvent, followRun } from '../../runs/follow.ts';
import type { RunService } from '../../runs/service.ts';
import type { Store } from '../../store/store.ts';

/** A research run as our MCP server needs it. */
export interface ResearchPort {
  begin(request: ChatRequest): Promise<{ id: string; threadId: string }>;
  /** The events from the first one to the end of the run. */
  follow(runId: string, signal: AbortSignal): AsyncIterable<FollowedEvent>;
  cancel(runId: string): Promise<unknown>;
  /** What a completed run left behind. */
  result(threadId: string): Promise<{ report: string | null; citations: Citation[] }>;
}

/** A file that was made. */
export interface GeneratedFile {
  bytes: Uint8Array;
  fileName: string;
  mediaType: string;
}

export interface ContentInput {
  content: string;
  locale?: string | undefined;
}

/** What the agent can do for an MCP client; an absent port is a tool that is not offered. */
export interface AgentPorts {
  research: ResearchPort;
  knowledge: KnowledgeProvider;
  generateSlides?(input: ContentInput, signal: AbortSignal): Promise<GeneratedFile>;
  generatePodcast?(input: ContentInput, signal: AbortSignal): Promise<GeneratedFile>;
  enhancePrompt?(
    input: { prompt: string; context?: string | undefined; report_style?: string | undefined },
    signal: AbortSignal,
  ): Promise<string>;
}

/** The research port over the run service; `begin` is `startChat`. */
export function createResearchPort(deps: {
  store: Store;
  runs: RunService;
  clock: Clock;
  begin(request: ChatRequest): Promise<{ id: string; threadId: string }>;
}): ResearchPort {
  const { store, runs } = deps;
  return {
    begin: deps.begin,
    follow: (runId, signal) => followRun(deps, runId, 0, signal),
    cancel: (runId) => runs.cancel(runId),
    async result(threadId) {
      const thread = await store.threads.get(threadId);
      return { report: thread?.report ?? null, citations: (thread?.citations ?? []) as Citation[] };
    },
  };
}
