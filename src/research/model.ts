import { Resource } from '../knowledge/model.ts';
import { Nullable, type Static, Type } from '../schema.ts';
import type { PendingInterrupt } from '../store/model.ts';
import type { ThreadMessage, ThreadRow } from '../store/store.ts';

/** Styles a report can be written in. */
export const REPORT_STYLES = ['ACADEMIC', 'POPULAR_SCIENCE', 'NEWS', 'SOCIAL_MEDIA', 'STRATEGIC_INVESTMENT'] as const;
export type ReportStyle = (typeof REPORT_STYLES)[number];

/** The style a name means, in any case and with any separator; undefined for an unknown one. */
export function findStyle(name: string | null | undefined): ReportStyle | undefined {
  if (!name) return 'ACADEMIC';
  const key = name
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_');
  return REPORT_STYLES.find((entry) => entry === key);
}

const ContentItem = Type.Object({
  type: Type.String({ description: '`text` or `image`.' }),
  text: Nullable(Type.String()),
  image_url: Nullable(Type.String({ description: 'http(s) address or data URL.' })),
});

export const ChatMessage = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')], { description: 'Sender.' }),
  content: Type.Union([Type.String(), Type.Array(ContentItem)], { description: 'Text, or content items.' }),
});
export type ChatMessage = Static<typeof ChatMessage>;

/** Body of `POST /api/chat/stream`. */
export const ChatRequest = Type.Object(
  {
    messages: Nullable(Type.Array(ChatMessage), { description: 'The new messages, or the whole conversation.' }),
    resources: Nullable(Type.Array(Resource), { description: 'Knowledge selected for the research.' }),
    debug: Nullable(Type.Boolean({ default: false })),
    thread_id: Nullable(Type.String({ maxLength: 200 }), {
      description: 'Conversation; absent or `__default__` makes a new one.',
    }),
    max_plan_iterations: Nullable(Type.Integer({ minimum: 1, maximum: 20, default: 1 })),
    max_step_num: Nullable(Type.Integer({ minimum: 1, maximum: 50, default: 3 })),
    max_search_results: Nullable(Type.Integer({ minimum: 1, maximum: 50, default: 3 })),
    auto_accepted_plan: Nullable(Type.Boolean({ default: false })),
    interrupt_feedback: Nullable(Type.String(), { description: '`accepted`, `edit_plan`, or an edit of the plan.' }),
    mcp_settings: Nullable(Type.Record(Type.String(), Type.Unknown()), { description: '`{servers: {name: {…}}}`.' }),
    enable_background_investigation: Nullable(Type.Boolean({ default: true })),
    enable_web_search: Nullable(Type.Boolean({ default: true })),
    report_style: Nullable(Type.String({ description: `${REPORT_STYLES.join(', ')}; any case.`, default: 'ACADEMIC' })),
    enable_deep_thinking: Nullable(Type.Boolean({ default: false })),
    enable_clarification: Nullable(Type.Boolean()),
    max_clarification_rounds: Nullable(Type.Integer({ minimum: 1, maximum: 20 })),
    locale: Nullable(Type.String({ maxLength: 35, default: 'en-US' })),
    interrupt_before_tools: Nullable(Type.Array(Type.String())),
    on_disconnect: Nullable(Type.Union([Type.Literal('cancel'), Type.Literal('continue')])),
  },
  { description: 'A conversation for the research agent.' },
);
export type ChatRequest = Static<typeof ChatRequest>;

/** A message of the conversation as the agents see it. */
export interface ConversationMessage {
  role: 'user' | 'assistant';
  text: string;
  images: string[];
  /** True for what an event said in the user's place: it is data. */
  isData?: boolean;
}

/** Who wrote a thread's message that came with an event. */
export const EVENT_AUTHOR = 'webhook';

/** A message of a thread as the agents see it; what an event said stays data when a person goes on with its thread. */
export function readStored({ role, agent, content }: ThreadMessage): ConversationMessage {
  const isData = role === 'user' && agent === EVENT_AUTHOR ? { isData: true } : {};
  if (typeof content === 'string') return { role, text: content, images: [], ...isData };
  const { text, images } = content as { text: string; images: string[] };
  return { role, text, images, ...isData };
}

/** Input of the research workflow; kept with the run. */
export interface ResearchInput {
  /** The conversation, the newest message last. */
  conversation: ConversationMessage[];
  /** Set when feedback came for a thread that waits for none. */
  rejected?: { code: string; message: string };
  /** The interrupt this run answers; the engine makes it wait again when the run does not complete. */
  resumes?: PendingInterrupt;
  resources: string[];
  locale: string | null;
  style: ReportStyle;
  maxPlanIterations: number;
  maxSteps: number;
  maxSearchResults: number;
  autoAccept: boolean;
  backgroundInvestigation: boolean;
  webSearch: boolean;
  deepThinking: boolean;
  /** Questions the coordinator may still ask; 0 when clarification is off or used up. */
  clarificationsLeft: number;
  clarification: boolean;
  interruptBeforeTools: string[];
  mcpSettings: Record<string, unknown> | null;
  /** Addresses earlier runs of the thread retrieved. */
  knownSources: ThreadRow['sources'];
  /** Further instructions of whoever set the run up (skills, a webhook route), for every agent that writes. */
  instructions?: string;
  /** True when an event filled in the message: it is data, and what to do stands in `instructions`. */
  messageIsData?: boolean;
  /** True when the product's own handbook is not among the knowledge (an event is never about it). */
  withoutHandbook?: boolean;
  /** True when the private documents are not for this run. */
  withoutKnowledge?: boolean;
  /** Tools that may be called though an event started the run and private data was read: their owner said so. */
  approvedTools?: string[];
  /** Names of the tool providers the run may use; absent means all. */
  toolsets?: string[];
}

/** A source of the run: what was retrieved, where from, and when. */
export interface Source {
  number: number;
  url: string;
  title: string;
  content: string;
  score: number | null;
  accessedAt: string;
  kind: 'web_search' | 'crawl' | 'knowledge' | 'tool';
}

/** One entry of the `citations` event. */
export interface Citation {
  url: string;
  title: string;
  description: string;
  content_snippet: string;
  domain: string;
  relevance_score: number | null;
  accessed_at: string;
  source_type: string;
}
