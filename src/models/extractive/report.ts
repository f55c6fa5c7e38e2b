import type { AgentTask, Finding, NumberedSource } from '../task.ts';
import type { Breathe } from './breathe.ts';
import { citable, citeQuote, link, readQuotes } from './cite.ts';
import { buildCorpus, type Corpus } from './corpus.ts';
import { shorten, withoutAspect } from './decompose.ts';
import { sectionName } from './facets.ts';
import { spokenLanguage } from './language.ts';
import type { Quote } from './passage.ts';
import type { Headings, Phrases } from './phrases/model.ts';
import { phrasesOf } from './phrases/phrases.ts';
import { uncoveredWords } from './plan.ts';
import { buildQuery, selectQuotes } from './rank.ts';
import { hasCjk } from './terms.ts';

type ReportTask = Extract<AgentTask, { kind: 'report' }>;

interface Section {
  title: string;
  quotes: Quote[];
  lead: string;
}

const KEY_POINTS = 4;
const SECTION_QUOTES = 4;
/** Longest quote in a section; key points are single sentences. */
const PASSAGE = 480;

/** Writes the report piece by piece: key points, overview, one section per finding, what is missing, sources. */
export async function* writeReport(task: ReportTask, breathe: Breathe): AsyncGenerator<string> {
  const phrases = phrasesOf(spokenLanguage(task.locale));
  const style = task.style.toLowerCase();
  const headings: Headings = { ...phrases.report.headings, ...phrases.report.styles[style] };
  const sources = citable(task.sources);
  yield `# ${heading(task.title || task.question)}\n\n`;
  const corpus = await buildCorpus(sources, breathe);
  const used = new Set<string>();
  const limit = style === 'social_media' ? 3 : KEY_POINTS;
  const keyPoints = await selectQuotes(corpus, buildQuery([task.question, 1], [task.title, 0.5]), {
    limit,
    used,
    breathe,
  });
  const sections: Section[] = [];
  for (const finding of task.findings) sections.push(await writeSection(finding, task, corpus, used, phrases, breathe));
  const quotes = [...keyPoints, ...sections.flatMap((section) => section.quotes)];
  const missing = missingParts(task, sections, quotes, phrases);
  const parts: Record<keyof Headings, string> = {
    keyPoints:
      keyPoints.length > 0
        ? paragraphs(phrases.report.keyPoints, ...keyPoints.map(citeQuote))
        : phrases.report.nothing(asSentence(task.question)),
    overview: quotes.length > 0 ? overview(task, quotes, sections, phrases) : '',
    details: quotes.length > 0 && sections.length > 0 ? detailsOf(sections, phrases) : '',
    missing,
    method: phrases.report.notice,
    sources: sourceList(quotes, phrases),
  };
  for (const part of orderOf(style)) {
    await breathe();
    if (parts[part] !== '') yield `## ${headings[part]}\n\n${parts[part]}\n\n`;
  }
}

function orderOf(style: string): (keyof Headings)[] {
  if (style === 'strategic_investment') return ['keyPoints', 'overview', 'missing', 'details', 'method', 'sources'];
  if (style === 'news') return ['keyPoints', 'details', 'overview', 'missing', 'method', 'sources'];
  return ['keyPoints', 'overview', 'details', 'missing', 'method', 'sources'];
}

async function writeSection(
  finding: Finding,
  task: ReportTask,
  corpus: Corpus,
  used: Set<string>,
  phrases: Phrases,
  breathe: Breathe,
): Promise<Section> {
  const title = heading(finding.title);
  if (finding.failed)
    return { title, quotes: [], lead: phrases.report.failedStep(emphasize(finding.title), oneLine(finding.result)) };
  // The step's own quotes weigh in through their words: what it found there is what its section is about.
  const found = readQuotes(finding.result)
    .map(({ text }) => text)
    .join(' ');
  const query = buildQuery([withoutAspect(finding.title, phrases), 0.7], [task.question, 0.7], [found, 0.12]);
  // A passage belongs to the part that is named like the section it stands in.
  const others = new Set(task.findings.map((other) => other.title));
  const favour = (place: { title: string; heading: string }) => {
    const name = sectionName(place);
    return name === finding.title ? 1.6 : others.has(name) ? 0.5 : 1;
  };
  const quotes = await selectQuotes(corpus, query, {
    limit: SECTION_QUOTES,
    used,
    breathe,
    floor: 0.3,
    favour,
    passageLength: PASSAGE,
  });
  if (quotes.length > 0) {
    const cited = [...new Map(quotes.map((quote) => [quote.url, link(quote)])).values()];
    return { title, quotes, lead: phrases.report.section(quotes.length, cited) };
  }
  return { title, quotes, lead: found === '' ? phrases.report.unsupported : phrases.report.covered };
}

function detailsOf(sections: Section[], phrases: Phrases): string {
  return paragraphs(
    phrases.report.details,
    ...sections.map((section) => paragraphs(`### ${section.title}`, section.lead, ...section.quotes.map(citeQuote))),
  );
}

function overview(task: ReportTask, quotes: Quote[], sections: Section[], phrases: Phrases): string {
  const count = new Set(quotes.map((quote) => quote.url)).size;
  const titles = sections.map((section) => section.title);
  return paragraphs(
    phrases.report.overview(asSentence(task.question), quotes.length, count),
    titles.length > 1 ? phrases.report.parts(titles) : '',
  );
}

function missingParts(task: ReportTask, sections: Section[], quotes: Quote[], phrases: Phrases): string {
  const items: string[] = [];
  for (const [index, finding] of task.findings.entries()) {
    if (finding.failed) items.push(phrases.report.failedStep(emphasize(finding.title), oneLine(finding.result)));
    else if (sections[index]?.lead === phrases.report.unsupported)
      items.push(phrases.report.emptyStep(emphasize(finding.title)));
  }
  const untouched =
    quotes.length > 0
      ? uncoveredWords(
          task.question,
          quotes.map((quote) => ({ result: quote.text })),
        )
      : [];
  if (untouched.length > 0) items.push(phrases.report.untouched(untouched));
  if (items.length === 0)
    return quotes.length > 0 ? phrases.report.nothingMissing : phrases.report.nothing(asSentence(task.question));
  return paragraphs(phrases.report.missingLead, items.map((item) => `- ${item}`).join('\n'));
}

function sourceList(quotes: Quote[], phrases: Phrases): string {
  const cited = new Map<string, Pick<NumberedSource, 'title' | 'url'>>();
  for (const { title, url } of quotes) if (!cited.has(url)) cited.set(url, { title, url });
  if (cited.size === 0) return phrases.report.noSources;
  return paragraphs(phrases.report.sourcesLead, [...cited.values()].map((source) => `- ${link(source)}`).join('\n'));
}

function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** Text of users in a heading: one line, no markup that could break out of it. */
function heading(text: string): string {
  return shorten(
    oneLine(text)
      .replace(/[#*_`[\]<>|]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    160,
  );
}

function emphasize(text: string): string {
  return `*${heading(text)}*`;
}

/** The question in italics, closed by an end mark so that a sentence can follow. */
function asSentence(text: string): string {
  const mark = /[.!?。！？…]$/.test(heading(text)) ? '' : hasCjk(text) ? '。' : '.';
  return `${emphasize(text)}${mark}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
}
