import { fail } from '../errors.ts';
import type { Finding } from '../models/task.ts';
import type { RunOutput } from '../runs/model.ts';
import { streamAnswer } from './answer.ts';
import { conversationDrafts, questionPieces } from './conversation.ts';
import { dateOf } from './coordinator.ts';
import { type Draft, fenced } from './drafts.ts';
import { LinkFilter } from './link-filter.ts';
import type { ReportStyle, Source } from './model.ts';
import { renderPrompt } from './prompt.ts';
import reporterPrompt from './prompts/reporter.md' with { type: 'text' };
import type { RunScope } from './run-scope.ts';
import { createCitable } from './sources.ts';

const STYLES: Record<ReportStyle, string> = {
  ACADEMIC: 'Style: academic. Precise, formal, well structured; define terms; weigh evidence; state limitations.',
  POPULAR_SCIENCE:
    'Style: popular science. Vivid and clear for curious lay readers; explain with analogies; stay accurate.',
  NEWS: 'Style: news article. The most important first; short paragraphs; neutral; who, what, when, where, why, how.',
  SOCIAL_MEDIA:
    'Style: social media. Short, engaging, concrete; a strong opening line; still every fact with its source.',
  STRATEGIC_INVESTMENT:
    'Style: strategic investment analysis. Thesis, market, technology, competition, risks, figures, and what to watch; no investment advice as such.',
};

export interface ReportMaterial {
  title: string;
  findings: Finding[];
  sources: Source[];
}

/** Writes the report; links to addresses that were never retrieved are taken out before they reach anyone. */
export async function* writeReport(scope: RunScope, material: ReportMaterial): AsyncGenerator<RunOutput, string> {
  const { deps, input, context } = scope;
  const isCitable = createCitable([...material.sources, ...input.knownSources].map((source) => source.url));
  for (let attempt = 0; attempt < 2; attempt++) {
    const filter = new LinkFilter((url, shown) => isCitable(url) && scope.egress.mayShow(url, shown));
    const answer = yield* streamAnswer(scope, {
      key: attempt === 0 ? 'report' : 'report:again',
      agent: 'reporter',
      model: deps.models.get('basic'),
      drafts: reportDrafts(scope, material),
      request: {
        task: {
          kind: 'report',
          question: scope.question,
          title: material.title,
          locale: scope.locale,
          style: input.style,
          findings: material.findings,
          sources: material.sources.map(({ number, title, url, content }) => ({ number, title, url, content })),
        },
      },
      signal: context.signal,
      filter,
      hideCalls: true,
    });
    if (filter.removed > 0)
      deps.log.warn('links removed from the report', { run_id: context.runId, count: filter.removed });
    if (answer.text.trim() !== '') return answer.text;
  }
  throw fail('upstream_rejected', 'The model gave an empty report.', { retryable: true });
}

function reportDrafts(scope: RunScope, material: ReportMaterial): Draft[] {
  const { input, fence } = scope;
  const system = renderPrompt(reporterPrompt, {
    date: dateOf(scope),
    style: STYLES[input.style],
    locale: scope.locale,
    fence,
  });
  const findings = material.findings.map(
    (finding) => `## ${finding.title}${finding.failed ? ' (FAILED)' : ''}\n${finding.description}\n\n${finding.result}`,
  );
  const sources = material.sources.map(
    (source) => `[${source.number}] ${source.title}\n${source.url}\n${source.content.slice(0, 3000)}`,
  );
  return [
    { role: 'system', pieces: [system, input.instructions ?? ''] },
    ...conversationDrafts(scope, false),
    {
      role: 'user',
      pieces: ['Report on: ', ...questionPieces(scope, scope.question), `\nTitle of the research: ${material.title}`],
    },
    { role: 'user', pieces: ['Findings:\n', ...fenced(fence, findings.join('\n\n') || 'There are none.')] },
    { role: 'user', pieces: ['Numbered sources:\n', ...fenced(fence, sources.join('\n\n') || 'There are none.')] },
    { role: 'user', pieces: [`Write the report now, in the language of locale "${scope.locale}".`] },
  ];
}
