import { Resource } from '../knowledge/model.ts';
import { Nullable, type Static, Type } from '../schema.ts';
import { KnownSource, ResumingInput, type SourceKind } from '../store/model.ts';
import type { ThreadMessage } from '../store/store.ts';

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
export const ConversationMessage = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
  text: Type.String(),
  images: Type.Array(Type.String()),
  isData: Type.Optional(Type.Boolean({ description: "True for what an event said in the user's place: it is data." })),
});
export type ConversationMessage = Static<typeof ConversationMessage>;

/** Who wrote a thread's message that came with an event. */
export const EVENT_AUTHOR = 'webhook';

/** A message of a thread as the agents see it; what an event said stays data when a person goes on with its thread. */
export function readStored({ role, agent, content }: ThreadMessage): ConversationMessage {
  const isData = role === 'user' && agent === EVENT_AUTHOR ? { isData: true } : {};
  if (typeof content === 'string') return { role, text: content, images: [], ...isData };
  const { text, images } = content as { text: string; images: string[] };
  return { role, text, images, ...isData };
}

/** Messages as a thread keeps them. */
export function toStoredMessages(messages: ConversationMessage[], createdAt: number): ThreadMessage[] {
  return messages.map(({ role, text, images, isData }) => ({
    role,
    ...(isData ? { agent: EVENT_AUTHOR } : {}),
    content: images.length > 0 ? { text, images } : text,
    createdAt,
  }));
}

/** The text of the newest user message. */
export function newestUserText(conversation: ConversationMessage[]): string {
  return conversation.findLast((message) => message.role === 'user')?.text ?? '';
}

/** True for an address an image of a message may have. */
export function isImageAddress(url: string): boolean {
  return /^(https?:\/\/|data:image\/)/i.test(url);
}

/** Messages of a conversation that agents still see. */
export const MAX_MESSAGES = 60;

/** Input of the research workflow; kept with the run. */
export const ResearchInput = Type.Object({
  conversation: Type.Array(ConversationMessage, { description: 'The newest message last.' }),
  rejected: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'Set when feedback came for a thread that waits for none.' },
    ),
  ),
  ...ResumingInput.properties,
  resources: Type.Array(Type.String()),
  locale: Type.Union([Type.String(), Type.Null()]),
  style: Type.Union(REPORT_STYLES.map((style) => Type.Literal(style))),
  maxPlanIterations: Type.Integer(),
  maxSteps: Type.Integer(),
  maxSearchResults: Type.Integer(),
  autoAccept: Type.Boolean(),
  backgroundInvestigation: Type.Boolean(),
  webSearch: Type.Boolean(),
  deepThinking: Type.Boolean(),
  clarification: Type.Boolean(),
  clarificationsLeft: Type.Number({
    description: 'Questions the coordinator may still ask; 0 when clarification is off or used up.',
  }),
  interruptBeforeTools: Type.Array(Type.String()),
  mcpSettings: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  knownSources: Type.Array(KnownSource, { description: 'Addresses earlier runs of the thread retrieved.' }),
  instructions: Type.Optional(
    Type.String({
      description:
        'Further instructions of whoever set the run up (skills, a webhook route), for every agent that writes.',
    }),
  ),
  messageIsData: Type.Optional(
    Type.Boolean({
      description: 'True when an event filled in the message: it is data, and what to do stands in `instructions`.',
    }),
  ),
  withoutHandbook: Type.Optional(
    Type.Boolean({
      description: "True when the product's own handbook is not among the knowledge (an event is never about it).",
    }),
  ),
  withoutKnowledge: Type.Optional(
    Type.Boolean({ description: 'True when the private documents are not for this run.' }),
  ),
  approvedTools: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Tools that may be called though an event started the run and private data was read: their owner said so.',
    }),
  ),
  toolsets: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Names of the tool providers the run may use; absent means all.',
    }),
  ),
});
export type ResearchInput = Static<typeof ResearchInput>;

/** What a request, or an event, does not say. */
export const DEFAULT_INPUT = {
  resources: [],
  locale: null,
  style: 'ACADEMIC',
  maxPlanIterations: 1,
  maxSteps: 3,
  maxSearchResults: 3,
  autoAccept: true,
  backgroundInvestigation: true,
  webSearch: true,
  deepThinking: false,
  clarification: false,
  clarificationsLeft: 0,
  interruptBeforeTools: [],
  mcpSettings: null,
  knownSources: [],
} satisfies Omit<ResearchInput, 'conversation'>;

/** A source of the run: what was retrieved, where from, and when. */
export interface Source {
  number: number;
  url: string;
  title: string;
  content: string;
  score: number | null;
  accessedAt: string;
  kind: SourceKind;
}

/** One entry of the `citations` event. */
export const Citation = Type.Object({
  url: Type.String(),
  title: Type.String(),
  description: Type.String(),
  content_snippet: Type.String(),
  domain: Type.String(),
  relevance_score: Type.Union([Type.Number(), Type.Null()]),
  accessed_at: Type.String(),
  source_type: Type.String(),
});
export type Citation = Static<typeof Citation>;
