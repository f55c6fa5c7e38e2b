import { fail } from '../errors.ts';
import { parseJson } from '../lib/json.ts';
import { type Static, Type } from '../schema.ts';
import { checkStored } from '../store/model.ts';
import { Citation } from './model.ts';

const oneOf = <Word extends string>(...words: Word[]) => Type.Union(words.map((word) => Type.Literal(word)));

const thread_id = Type.String({ description: 'The conversation.' });
const FinishReason = oneOf('stop', 'tool_calls', 'length', 'content_filter');

/** Agents as clients know them. */
export const WireAgent = oneOf('coordinator', 'planner', 'researcher', 'analyst', 'coder', 'reporter');
export type WireAgent = Static<typeof WireAgent>;

/** What every event of an agent's message carries. */
const message = {
  thread_id,
  agent: WireAgent,
  id: Type.String({ description: 'The same for all events of one answer.' }),
  role: Type.Literal('assistant'),
  content: Type.Optional(Type.String()),
  reasoning_content: Type.Optional(Type.String({ description: 'The reasoning, when the model gave it.' })),
  finish_reason: Type.Optional(FinishReason),
};

/**
 * The payload of every event of a run, by its type: the frames of the streams, the log in the database, the table of
 * the handbook and the schema of the API document are all this. A description is the words of the handbook's table.
 */
export const EVENT_DATA = {
  message_chunk: Type.Object(message, { description: 'A piece of text' }),
  tool_calls: Type.Object(
    {
      ...message,
      tool_calls: Type.Array(
        Type.Object({
          name: Type.String(),
          args: Type.Record(Type.String(), Type.Unknown()),
          id: Type.String(),
          type: Type.Literal('tool_call'),
        }),
      ),
      tool_call_chunks: Type.Array(
        Type.Object({
          name: Type.String(),
          args: Type.String({ description: 'JSON; brackets and braces are written as HTML entities.' }),
          id: Type.String(),
          index: Type.Integer(),
          type: Type.Literal('tool_call_chunk'),
        }),
      ),
    },
    { description: '`tool_calls` and `tool_call_chunks` with all calls of one answer' },
  ),
  tool_call_result: Type.Object(
    { ...message, content: Type.String(), tool_call_id: Type.String() },
    { description: '`tool_call_id` and `content`, the result of the tool' },
  ),
  interrupt: Type.Object(
    {
      thread_id,
      id: Type.String(),
      role: Type.Literal('assistant'),
      content: Type.String({ description: 'The question.' }),
      finish_reason: Type.Literal('interrupt'),
      options: Type.Array(Type.Object({ text: Type.String(), value: Type.String() })),
    },
    { description: 'Options to choose from; the last event of its stream' },
  ),
  citations: Type.Object(
    { thread_id, citations: Type.Array(Citation) },
    { description: 'The sources of a completed run; the last event of the run' },
  ),
  podcast_script: Type.Object(
    {
      thread_id,
      title: Type.String(),
      locale: Type.String(),
      first_line: Type.Integer({ description: '1-based.' }),
      total: Type.Integer(),
      lines: Type.Array(
        Type.Object({
          speaker: oneOf('male', 'female'),
          paragraph: Type.String(),
          chapter: Type.Optional(Type.String({ description: 'Title of the chapter that begins with this line.' })),
        }),
      ),
    },
    { description: '`title`, `locale`, `first_line`, `total` and up to 50 `lines` of `{speaker, paragraph, chapter}`' },
  ),
  podcast_progress: Type.Object(
    { thread_id, spoken: Type.Integer(), total: Type.Integer() },
    { description: '`spoken` and `total` lines' },
  ),
  podcast_audio: Type.Object(
    {
      thread_id,
      duration_ms: Type.Number(),
      bytes: Type.Integer(),
      chapters: Type.Array(Type.Object({ title: Type.String(), start_ms: Type.Number() })),
    },
    { description: '`duration_ms`, `bytes` and `chapters`' },
  ),
  error: Type.Object(
    {
      thread_id,
      error: Type.String({ description: 'One sentence.' }),
      code: Type.String(),
      reason: Type.Optional(Type.Literal('cancelled')),
    },
    { description: '`error` (a sentence), `code`, and `reason` after a cancel; the stream ends after it' },
  ),
} as const;

const { podcast_script, podcast_progress, podcast_audio, ...research } = EVENT_DATA;

/** The part of {@link EVENT_DATA} that a chat stream has. */
export const RESEARCH_EVENTS = research;
/** The part of {@link EVENT_DATA} that only a podcast has. */
export const PODCAST_EVENTS = { podcast_script, podcast_progress, podcast_audio };

/** Name of an event. */
type EventType = keyof typeof EVENT_DATA;

/** The payload of an event. */
export type EventData<Name extends EventType> = Static<(typeof EVENT_DATA)[Name]>;

/** An event of the given types. */
export type EventOf<Name extends EventType> = { [One in Name]: { type: One; data: EventData<One> } }[Name];

/** Any event of a run, before it has a number; `data` is the payload of the SSE frame. */
export type RunEvent = EventOf<EventType>;

/** Events of a podcast; the others are those of research. */
export type PodcastEvent = EventOf<keyof typeof PODCAST_EVENTS>;

/** An event as it was stored; refuses what is none with `stored_damaged`. */
export function readEvent({ type, data }: { type: string; data: string }): RunEvent {
  if (!Object.hasOwn(EVENT_DATA, type)) throw fail('stored_damaged', 'An event of the run is of no known type.');
  return { type, data: checkStored(EVENT_DATA[type as EventType], parseJson(data), 'event') } as RunEvent;
}
