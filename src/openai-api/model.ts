import { ChatRequest } from '../research/model.ts';
import { Nullable, OneOf, type Static, Type } from '../schema.ts';

/** A part of a message; only `text` and `image_url` are understood. */
const ContentPart = Type.Object({
  type: Type.String({ description: '`text` or `image_url`.' }),
  text: Nullable(Type.String()),
  image_url: Nullable(
    Type.Union([
      Type.Object({ url: Type.String({ description: 'http(s) address or data:image URL.' }) }),
      Type.String(),
    ]),
  ),
});

const Message = Type.Object({
  role: OneOf(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
    description: 'Sender. `tool` and `function` messages are left out.',
  }),
  content: Nullable(Type.Union([Type.String(), Type.Array(ContentPart)]), { description: 'Text, or parts.' }),
});
export type CompletionMessage = Static<typeof Message>;

const { locale, report_style, resources, enable_web_search } = ChatRequest.properties;
const { max_step_num, max_plan_iterations, max_search_results } = ChatRequest.properties;

/** Body of `POST /v1/chat/completions`; what is not listed is ignored. */
export const CompletionRequest = Type.Object(
  {
    model: Type.String({ description: 'One of `GET /v1/models`.' }),
    messages: Type.Array(Message, { minItems: 1, description: 'The conversation; system messages are instructions.' }),
    stream: Nullable(Type.Boolean({ default: false })),
    stream_options: Nullable(Type.Object({ include_usage: Nullable(Type.Boolean()) })),
    n: Nullable(Type.Integer({ description: 'Only 1.' })),
    tool_choice: Nullable(Type.Unknown(), {
      description: 'Tools of the client are ignored; a choice that demands one is refused.',
    }),
    metadata: Nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: '`thread_id` goes on with a thread of this server.',
    }),
    // What the agent knows beyond OpenAI's API, as in /api/chat/stream.
    locale,
    report_style,
    resources,
    enable_web_search,
    max_step_num,
    max_plan_iterations,
    max_search_results,
  },
  { description: 'A chat completion request as OpenAI defines it, with some settings of the research agent.' },
);
export type CompletionRequest = Static<typeof CompletionRequest>;

/** A model of `/v1/models` and the run it stands for. */
export interface ServedModel {
  id: string;
  /** Run kind. */
  kind: 'research' | 'quick';
  deepThinking: boolean;
  maxPlanIterations: number;
  maxSteps: number;
  description: string;
}

/** What clients can choose as `model`. */
export const SERVED_MODELS: readonly ServedModel[] = [
  {
    id: 'agent-research',
    kind: 'research',
    deepThinking: false,
    maxPlanIterations: 1,
    maxSteps: 3,
    description: 'Plans, researches in knowledge and the web, and writes a cited report.',
  },
  {
    id: 'agent-deep-research',
    kind: 'research',
    deepThinking: true,
    maxPlanIterations: 2,
    maxSteps: 5,
    description: 'The same with the reasoning model, more steps and a second look at what is missing.',
  },
  {
    id: 'agent-quick',
    kind: 'quick',
    deepThinking: false,
    maxPlanIterations: 1,
    maxSteps: 1,
    description: 'One agent with the search tools: a short answer, no plan and no report.',
  },
];

/** A stretch of the answer that rests on a source; indices are UTF-16 units, the end is exclusive. */
export interface UrlCitation {
  type: 'url_citation';
  url_citation: { url: string; title: string; start_index: number; end_index: number };
}

/** Tokens as OpenAI counts them. */
export interface CompletionUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** What a completion is made of, in order; `finish` is the last. */
export type Delta =
  | { type: 'content'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'finish'; reason: 'stop' | 'length' | 'content_filter'; annotations: UrlCitation[] };
