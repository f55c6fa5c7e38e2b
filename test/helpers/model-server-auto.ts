import type { ChatBody, Reply } from './model-server-wire.ts';

/** How the automatic model plays a research run. */
export interface AutoOptions {
  /** Words in the report, default 120. */
  tokens?: number;
  /** Research steps in a plan, default 1. */
  steps?: number;
  /** Tool calls of a researcher before it writes its finding, default 1. */
  toolRounds?: number;
}

/** A call as the automatic model sees it. */
export interface AutoCall {
  agent: string;
  runId: string;
  body: ChatBody;
}

/**
 * Plays every agent of a run well enough for end-to-end tests and benches: hands off, plans, calls the first tool it
 * is offered, writes findings and a report that cites the addresses it was given.
 */
export function autoReply(call: AutoCall, options: AutoOptions = {}): Reply {
  const { agent, body } = call;
  const topic = lastUserText(body);
  const tools = body.tools ?? [];
  if (agent === 'coordinator') {
    const handoff = tools.find((tool) => tool.function.name === 'handoff_to_planner');
    if (handoff && !/^\s*(hi|hello|hey|thanks|thank you)\b/i.test(topic))
      return { toolCalls: [callOf(handoff.function, topic)] };
    return { text: 'Hello! I am a scripted model. Ask me to research something.' };
  }
  if (agent === 'planner') return { text: JSON.stringify(planFor(topic, options.steps ?? 1)) };
  if (agent === 'podcast' && wantsJson(body)) return { text: JSON.stringify(podcastFor(topic)) };
  const schema = body.response_format?.json_schema?.schema;
  if (schema) return { text: JSON.stringify(sample(schema, topic)) };
  if (wantsJson(body)) return { text: JSON.stringify({ answer: topic.slice(0, 80) }) };
  if (tools.length && answeredRounds(body) < (options.toolRounds ?? 1)) {
    const tool = preferred(tools, agent);
    return { text: 'Looking it up. ', toolCalls: [callOf(tool.function, topic)] };
  }
  if (agent === 'reporter') return { text: reportFor(topic, body, options.tokens ?? 120) };
  const links = urlsIn(body).slice(0, 3);
  return {
    text: `The ${agent} found this about ${topic.slice(0, 60)}. ${links.map((url) => `See ${url} .`).join(' ')}`,
  };
}

function planFor(topic: string, steps: number): object {
  return {
    locale: 'en-US',
    has_enough_context: false,
    thought: `The user wants to know about ${topic.slice(0, 80)}.`,
    title: `About ${topic.slice(0, 60)}`,
    steps: Array.from({ length: steps }, (_, index) => ({
      need_search: true,
      title: `Part ${index + 1}`,
      description: `Find out part ${index + 1} of ${topic.slice(0, 80)}.`,
      step_type: 'research',
    })),
  };
}

function podcastFor(topic: string): object {
  return {
    locale: 'en',
    lines: [
      { speaker: 'male', paragraph: `Today we talk about ${topic.slice(0, 60)}.` },
      { speaker: 'female', paragraph: 'Let us begin.' },
    ],
  };
}

function reportFor(topic: string, body: ChatBody, tokens: number): string {
  const links = urlsIn(body).slice(0, 10);
  const filler = Array.from({ length: tokens }, (_, index) => `word${index % 97}`).join(' ');
  const cited = links.map((url, index) => `- [Source ${index + 1}](${url})`).join('\n');
  return `# ${topic.slice(0, 60)}\n\n## Key points\n\n${links.length ? `- Stated in [${links[0]}](${links[0]}).\n` : ''}\n${filler}\n\n## Key citations\n\n${cited}\n`;
}

function wantsJson(body: ChatBody): boolean {
  return body.response_format !== undefined && body.response_format.type !== 'text';
}

function answeredRounds(body: ChatBody): number {
  return body.messages.filter((message) => message.role === 'assistant' && message.tool_calls?.length).length;
}

function preferred(tools: NonNullable<ChatBody['tools']>, agent: string) {
  const order = agent === 'coder' ? ['python_repl_tool'] : ['local_search_tool', 'web_search'];
  return order.flatMap((name) => tools.filter((tool) => tool.function.name === name))[0] ?? tools[0]!;
}

function callOf(tool: { name: string; parameters: Record<string, unknown> }, topic: string) {
  const text = tool.name === 'python_repl_tool' ? 'print(6 * 7)' : topic.slice(0, 200);
  return { name: tool.name, arguments: sample(tool.parameters, text) };
}

/** A value that fits a JSON schema, with `text` in its free strings. */
function sample(schema: Record<string, unknown>, text: string, key = ''): unknown {
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) return sample(variants[0], text, key);
  const low = typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
  switch (schema['type']) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
      const required = (schema['required'] as string[] | undefined) ?? Object.keys(properties);
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, text, name)]));
    }
    case 'array':
      return [sample((schema['items'] ?? {}) as Record<string, unknown>, text, key)];
    case 'integer':
    case 'number':
      return low;
    case 'boolean':
      return true;
    default:
      return key === 'locale' ? 'en-US' : text;
  }
}

function lastUserText(body: ChatBody): string {
  const message = body.messages.findLast((candidate) => candidate.role === 'user');
  return contentText(message?.content);
}

function urlsIn(body: ChatBody): string[] {
  const text = body.messages.map((message) => contentText(message.content)).join('\n');
  return [...new Set(text.match(/(?:https?|handbook|rag):\/\/[^\s"'<>()\\\]]+/g) ?? [])];
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
