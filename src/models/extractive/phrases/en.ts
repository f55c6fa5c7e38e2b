import type { Phrases } from './model.ts';

const quoted = (text: string) => `“${text}”`;
const list = (items: string[]) =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
const passages = (count: number) => (count === 1 ? 'One passage' : `${count} passages`);
const sourceCount = (count: number) => (count === 1 ? 'one source' : `${count} sources`);

/** English. */
export const en: Phrases = {
  quoted,
  list,
  greeting:
    'Hello! I am a research agent, answered by the embedded extractive engine: I search your documents and the web and quote what I find. Ask me a question to start a research.',
  thanks:
    'You are welcome. Ask another question whenever you like; the embedded extractive engine searches and quotes the sources for you.',
  farewell: 'Goodbye! This conversation stays on its thread, so you can come back to it.',
  identity:
    'I am a research agent running on the embedded extractive engine: no language model is configured. I plan searches, read documents and web pages, and write reports made of verbatim quotes with their citations. Configure a model (for example with OPENAI_API_KEY) to have text written freely.',
  empty: 'Please write a question, and I will search the sources for it.',
  plan: {
    thought: (steps) =>
      steps === 1
        ? 'The question is answered by one search. The embedded extractive engine made this plan from the terms of the question; no language model wrote it.'
        : `The question is split into ${steps} searches. The embedded extractive engine made this plan from the terms of the question and of the first sources; no language model wrote it.`,
    enough: 'The findings cover the terms of the question, so the report can be written.',
    nothingMore:
      'Further searches of the same kind would find nothing new, so the report is written from what is known.',
    describe: (query) =>
      `Search the sources for ${quoted(query)} and collect the passages that answer it, with their citations.`,
    definition: (topic) => `Definition and background: ${topic}`,
    practice: (topic) => `Examples and practice: ${topic}`,
    limits: (topic) => `Limits and open questions: ${topic}`,
    comparison: (a, b) => `Differences between ${a} and ${b}`,
    missing: (topic) => `Still uncovered: ${topic}`,
  },
  step: {
    found: (count, sources) =>
      `${passages(count)} from ${list(sources)} ${count === 1 ? 'answers' : 'answer'} this most closely.`,
    gathered: (count) =>
      `The extractive engine cannot reason or compute; it gathers ${count === 1 ? 'the passage' : `the ${count} passages`} of the earlier findings that ${count === 1 ? 'bears' : 'bear'} on this step.`,
    nothing: (query) => `Nothing was found for ${quoted(query)}: no retrieved passage shares its terms.`,
    failed: (reason) => `The search failed: ${reason}`,
    noTools: 'No search tool was available for this step, and the earlier findings hold nothing on it.',
  },
  report: {
    headings: {
      keyPoints: 'Key Points',
      overview: 'Overview',
      details: 'Detailed Analysis',
      missing: 'Limitations',
      method: 'About This Report',
      sources: 'Key Citations',
    },
    styles: {
      popular_science: {
        keyPoints: 'In Short',
        overview: 'What This Is About',
        details: 'A Closer Look',
        missing: 'What We Do Not Know Yet',
      },
      news: {
        keyPoints: 'The Facts',
        overview: 'Background',
        details: 'In Detail',
        missing: 'Open Questions',
        sources: 'Sources',
      },
      social_media: { keyPoints: 'Takeaways', overview: 'What Was Asked', details: 'The Thread', sources: 'Sources' },
      strategic_investment: {
        keyPoints: 'Executive Summary',
        overview: 'Scope',
        details: 'Evidence',
        missing: 'Risks and Gaps in the Evidence',
      },
    },
    notice:
      'No language model wrote this report. The embedded extractive engine selected the passages; every quote stands word for word in the source that is linked after it.',
    overview: (question, count, sources) =>
      `The question was: ${question} This report quotes ${count === 1 ? 'one passage' : `${count} passages`} from ${sourceCount(sources)}.`,
    parts: (titles) => `The research covered: ${titles.join('; ')}.`,
    keyPoints: 'The passages that answer the question most directly:',
    details: 'Each part below belongs to one step of the research.',
    section: (count, sources) =>
      `${count === 1 ? 'One further passage comes' : `${count} further passages come`} from ${list(sources)}.`,
    covered: 'The best passages for this part already stand above; nothing else in the sources adds to them.',
    unsupported: 'No retrieved source holds a passage for this part.',
    missingLead: 'What this report does not hold:',
    nothingMissing:
      'Every step of the research found passages. The quotes are not weighed against each other, and sources that were not retrieved are not considered.',
    failedStep: (title, reason) => `The step ${title} failed: ${reason}`,
    emptyStep: (title) => `The step ${title} found no passage.`,
    untouched: (terms) => `No quoted passage mentions: ${terms.join(', ')}.`,
    sourcesLead: 'The sources quoted above:',
    nothing: (question) =>
      `No retrieved source holds a passage that answers this question: ${question} Try other words, add documents with \`agent knowledge add\`, or enable web search.`,
    noSources: 'No source is cited.',
  },
};
