import { expect, test } from 'bun:test';
import { EVENT_PAGES, withEventTable } from '../../scripts/event-tables.ts';
import { EVENT_DATA, PODCAST_EVENTS, RESEARCH_EVENTS, readEvent } from '../../src/research/events.ts';
import { messageChunk, toolCalls } from '../../src/research/wire.ts';

const identity = { threadId: 't', agent: 'researcher', id: 'msg_1' } as const;

test.each(EVENT_PAGES)(
  'the table of events in %s is what the schemas say (bun scripts/event-tables.ts)',
  async (file, events) => {
    const page = await Bun.file(file).text();
    expect(page).toBe(withEventTable(page, events));
  },
);

test('every event is one of research or one of a podcast, and says what it carries', () => {
  expect({ ...RESEARCH_EVENTS, ...PODCAST_EVENTS }).toEqual(EVENT_DATA);
  for (const schema of Object.values(EVENT_DATA)) expect(schema.description).toBeTruthy();
});

test('the last text of an answer with calls stands before the reason of its end, as clients compare it', () => {
  const call = { id: 'call_1', name: 'web_search', argumentsText: '{"query":"[tides]"}' };
  const event = toolCalls(identity, [call], { content: 'I look it up.', reasoning: 'Why not.' });
  expect(JSON.stringify(event.data)).toBe(
    '{"thread_id":"t","agent":"researcher","id":"msg_1","role":"assistant","content":"I look it up.","reasoning_content":"Why not.","finish_reason":"tool_calls","tool_calls":[{"name":"web_search","args":{"query":"[tides]"},"id":"call_1","type":"tool_call"}],"tool_call_chunks":[{"name":"web_search","args":"&#123;\\"query\\":\\"&#91;tides&#93;\\"&#125;","id":"call_1","index":0,"type":"tool_call_chunk"}]}',
  );
  expect(readEvent({ type: event.type, data: JSON.stringify(event.data) })).toEqual(event);
});

test.each([
  ['an unknown type', 'unheard_of', '{}'],
  ['a name every object has', 'constructor', '{}'],
  ['no JSON', 'message_chunk', '{"thread_id":'],
  ['a list', 'message_chunk', '[]'],
  ['a field that is missing', 'message_chunk', '{"thread_id":"t","agent":"planner","role":"assistant"}'],
  ['an unknown agent', 'message_chunk', JSON.stringify({ ...messageChunk(identity, {}).data, agent: 'nobody' })],
])('an event with %s is refused as damaged', (_what, type, data) => {
  expect(() => readEvent({ type, data })).toThrow(expect.objectContaining({ code: 'stored_damaged' }));
});
