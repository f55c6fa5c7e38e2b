import { fail, storedError } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import type { EventData, RunEvent, WireAgent } from '../../research/events.ts';
import { type ChatRequest, REPORT_STYLES } from '../../research/model.ts';
import { OneOf, type Static, Type } from '../../schema.ts';
import type { AgentTool, CallContext } from './tool.ts';

const STYLES = REPORT_STYLES.map((style) => style.toLowerCase());

const ResearchArguments = Type.Object(
  {
    question: Type.String({ minLength: 1, maxLength: 50_000, description: 'What to find out.' }),
    style: Type.Optional(OneOf(STYLES, { description: 'Style of the report (default academic).' })),
    locale: Type.Optional(
      Type.String({ maxLength: 35, description: 'Language of the report, for example en-US or de-DE.' }),
    ),
    max_steps: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'Most steps of the plan (default 3).' }),
    ),
    max_search_results: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'Results per search (default 3).' }),
    ),
    web_search: Type.Optional(Type.Boolean({ description: 'Search the web (default true).' })),
    resources: Type.Optional(
      Type.Array(Type.String(), { maxItems: 100, description: 'Only these documents, by address (search_knowledge).' }),
    ),
    thread_id: Type.Optional(
      Type.String({ maxLength: 200, description: 'Goes on with an earlier conversation; a new one when absent.' }),
    ),
  },
  { additionalProperties: false },
);

const ResearchResult = Type.Object({
  report: Type.String({ description: 'The report in Markdown, with links to its sources.' }),
  citations: Type.Array(
    Type.Object(
      { url: Type.String(), title: Type.String(), description: Type.Optional(Type.String()) },
      { additionalProperties: true },
    ),
    { description: 'The sources, cited ones first.' },
  ),
  run_id: Type.String(),
  thread_id: Type.String({ description: 'Send it again to go on with this conversation.' }),
});

/** `research`: one question, one cited report. */
export const researchTool: AgentTool = {
  name: 'research',
  title: 'Research a question',
  description:
    'Plans and carries out research on a question with web search, page reading and the knowledge base, and returns a report in Markdown with its sources. Takes from seconds to several minutes; progress is reported.',
  input: ResearchArguments,
  output: ResearchResult,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run(raw, context) {
    const { research } = context.ports;
    const run = await research.begin(toRequest(raw as Static<typeof ResearchArguments>));
    let ended = false;
    const cancel = () => void research.cancel(run.id);
    context.signal.addEventListener('abort', cancel, { once: true });
    try {
      if (context.signal.aborted) cancel();
      const spoken = await watch(research.follow(run.id, context.signal), context);
      ended = true;
      const { report, citations } = await research.result(run.threadId);
      // Small talk has no report: what was said is the answer.
      const text = spoken.reported && report ? report : spoken.text;
      return {
        structured: {
          report: text,
          citations: spoken.reported ? citations : [],
          run_id: run.id,
          thread_id: run.threadId,
        },
        content: [{ type: 'text', text }],
      };
    } finally {
      context.signal.removeEventListener('abort', cancel);
      if (!ended) cancel();
    }
  },
};

function toRequest(args: Static<typeof ResearchArguments>): ChatRequest {
  return {
    messages: [{ role: 'user', content: args.question }],
    auto_accepted_plan: true,
    enable_clarification: false,
    ...(args.style ? { report_style: args.style } : {}),
    ...(args.locale ? { locale: args.locale } : {}),
    ...(args.max_steps ? { max_step_num: args.max_steps } : {}),
    ...(args.max_search_results ? { max_search_results: args.max_search_results } : {}),
    ...(args.web_search === undefined ? {} : { enable_web_search: args.web_search }),
    ...(args.thread_id ? { thread_id: args.thread_id } : {}),
    resources: (args.resources ?? []).map((uri) => ({ uri, title: uri })),
  };
}

/** Follows a run to its end, telling its progress; throws what it failed with. */
async function watch(
  events: AsyncIterable<RunEvent>,
  { progress, signal }: CallContext,
): Promise<{ text: string; reported: boolean }> {
  const texts: Partial<Record<WireAgent, string>> = {};
  let writing = '';
  for await (const { type, data } of events) {
    if (type === 'error') throw storedError(data.code, data.error);
    if (type === 'interrupt') throw fail('approval_impossible', 'The run waits for a person.');
    if (type === 'tool_calls') progress(describeCalls(data));
    if (type !== 'message_chunk') continue;
    const { agent } = data;
    texts[agent] = (texts[agent] ?? '') + (data.content ?? '');
    if (agent !== writing) {
      writing = agent;
      progress(ACTIVITIES[agent]);
    }
    if (agent === 'planner' && data.finish_reason === 'stop') {
      progress(describePlan(texts[agent] ?? ''));
      texts[agent] = '';
    }
  }
  signal.throwIfAborted();
  const { reporter, coordinator } = texts;
  return { text: reporter ?? coordinator ?? '', reported: reporter !== undefined };
}

const ACTIVITIES: Record<WireAgent, string> = {
  coordinator: 'Reading the question',
  planner: 'Planning',
  researcher: 'Researching',
  analyst: 'Analysing the findings',
  coder: 'Calculating',
  reporter: 'Writing the report',
};

function describeCalls({ agent, tool_calls: calls }: EventData<'tool_calls'>): string {
  const names = calls.map(({ name, args }) => {
    const subject = args['query'] ?? args['keywords'] ?? args['url'];
    return typeof subject === 'string' ? `${name}: ${subject.slice(0, 120)}` : name;
  });
  return agent === 'coordinator' ? 'Starting the research' : names.join('; ');
}

function describePlan(text: string): string {
  const plan = parseJson(text);
  if (!isRecord(plan)) return 'The plan is made';
  const count = Array.isArray(plan['steps']) ? plan['steps'].length : 0;
  return `Plan: ${String(plan['title'] ?? '')} (${count} ${count === 1 ? 'step' : 'steps'})`;
}
