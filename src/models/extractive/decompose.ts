import { trimEnd } from '../../lib/trim.ts';
import { sentencesOf } from '../../text/sentences.ts';
import type { Phrases } from './phrases/model.ts';
import { CJK_STOP } from './stop-words.ts';
import { hasCjk, termsOf, tokenize } from './terms.ts';

/** One thing to search for: how the plan names it, and the words to search with. */
export interface SubQuestion {
  title: string;
  query: string;
}

const ASKING =
  'how|why|what|which|when|where|who|wie|warum|was|welche[rsnm]?|wann|wo|wer|comment|pourquoi|quel(?:le)?s?|qui|quand|où|cómo|por qué|qué|cuál(?:es)?|cuándo|dónde|quién(?:es)?';
const JOINED = new RegExp(
  ` ?[,;]? (?:and|und|sowie|et|ainsi que|y) (?=(?:also )?(?:${ASKING})(?![\\p{L}]))|[，、；]?(?:以及|并且|还有|和)(?=如何|怎么|怎样|为什么|什么|哪)`,
  'iu',
);
/** How a comparison is asked for: the words before the first thing, between the two, and behind the second. */
interface ComparisonWords {
  before: RegExp;
  between: RegExp;
  behind?: RegExp;
}

const COMPARISONS: ComparisonWords[] = [
  {
    before: /(?:compare|comparison (?:of|between)|differences? between|difference of) /i,
    between: / (?:and|with|to|versus|vs\.?) /i,
  },
  { before: /(?:vergleiche?|vergleich (?:von|zwischen)|unterschiede? zwischen) /i, between: / (?:und|mit) /i },
  { before: /(?:compare[rz]?|comparaison (?:de|entre)|différences? entre) /i, between: / (?:et|avec|à) /i },
  { before: /(?:comparar?|comparación (?:de|entre)|diferencias? entre) /i, between: / (?:y|con) /i },
  { before: /^/, between: / (?:vs\.?|versus) /i },
  { before: /^(?:比较|对比)?/, between: /[和与跟]/, behind: /的?(?:区别|差异|不同|比较|对比)/ },
  { before: /^/, between: /と/, behind: /の(?:違い|比較|差)/ },
];
const PRONOUN =
  /(?:^|\s)(?:it|its|they|them|their|this|that|er|sie|es|il|elle|ils|elles|ello|él|ella|它|他们|这|それ)(?=\s|$|[?？])/iu;
const MAX_QUESTION = 1500;
const MAX_TITLE = 110;

/** Splits a question into what can be searched on its own; at least one, in the order asked. */
export function decompose(question: string, phrases: Phrases): SubQuestion[] {
  const text = question.replace(/\s+/g, ' ').trim().slice(0, MAX_QUESTION);
  const parts = askedParts(text);
  const topic = topicOf(text);
  const subs: SubQuestion[] = [];
  for (const part of parts) {
    const compared = readComparison(part);
    if (compared) {
      const [a, b] = compared;
      subs.push({ title: capitalize(a), query: a }, { title: capitalize(b), query: b });
      subs.push({ title: shorten(phrases.plan.comparison(a, b)), query: stripMarks(part) });
      continue;
    }
    const leans = parts.length > 1 && (PRONOUN.test(part) || termsOf(part).length < 2);
    const query = leans ? `${stripMarks(part)} ${topic}` : stripMarks(part);
    subs.push({ title: capitalize(shorten(part)), query });
  }
  return subs.length > 0 ? subs : [{ title: capitalize(shorten(text)), query: text }];
}

/** The topic words of a text as written, in order, without repeats. */
export function topicOf(text: string, limit = 7): string {
  if (hasCjk(text)) {
    const plain = text
      .replace(CJK_STOP, ' ')
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    return [...plain].slice(0, 30).join('').trim();
  }
  const seen = new Set<string>();
  const words: string[] = [];
  for (const token of tokenize(text)) {
    if (!token.term || seen.has(token.term) || words.length >= limit) continue;
    seen.add(token.term);
    words.push(token.surface);
  }
  return words.join(' ');
}

/** Cuts a title at a word border. */
export function shorten(text: string, limit = MAX_TITLE): string {
  const characters = [...text];
  if (characters.length <= limit) return text;
  const cut = characters.slice(0, limit - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > limit / 2 ? cut.slice(0, space) : cut}…`;
}

/** First letter in upper case; identifiers like `on_disconnect` stay as they are. */
export function capitalize(text: string): string {
  return /^\p{Ll}+[_A-Z\d]/u.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What a step is about, without the engine's own words ("Definition and background: …"), which would match anything. */
export function withoutAspect(text: string, phrases: Phrases): string {
  const { definition, practice, limits, missing } = phrases.plan;
  for (const aspect of [definition, practice, limits, missing]) {
    const words = trimEnd(aspect(''), /[\s:：]/);
    if (text.startsWith(words)) return text.slice(words.length).replace(/^[\s:：]+/, '');
  }
  return text;
}

function askedParts(text: string): string[] {
  const sentences = sentencesOf(text);
  const questions = sentences.filter((sentence) => /[?？]$/.test(sentence));
  // Instructions around questions ("Be brief.") are no topic of their own.
  const asked = questions.length > 0 ? questions : sentences.slice(0, 3);
  return asked.flatMap(splitJoined).filter((part) => termsOf(part).length > 0);
}

/** "What is A, and how does B work?" are two questions; each keeps its mark. */
function splitJoined(sentence: string): string[] {
  const parts = sentence.split(JOINED).map((part) => trimEnd(part, /[\s,;，；]/));
  const mark = /[?？]$/.exec(sentence)?.[0] ?? '';
  return parts.map((part, index) => (index < parts.length - 1 ? `${part}${mark}` : part));
}

function readComparison(part: string): [string, string] | undefined {
  for (const words of COMPARISONS) {
    const [a, b] = comparedBy(words, stripMarks(part)).map(tidy);
    if (a && b && a.length <= 80 && b.length <= 80) return [a, b];
  }
  return undefined;
}

/** The two things as they stand in the text. Each word is looked for once: an expression for all of them tries every pair of places. */
function comparedBy({ before, between, behind }: ComparisonWords, text: string): string[] {
  const lead = before.exec(text);
  if (!lead) return [];
  const rest = text.slice(lead.index + lead[0].length);
  const joint = between.exec(rest);
  if (!joint) return [];
  const second = rest.slice(joint.index + joint[0].length);
  const end = behind ? behind.exec(second)?.index : second.length;
  return end === undefined ? [] : [rest.slice(0, joint.index), second.slice(0, end)];
}

function tidy(text: string): string {
  const bare = text
    .trim()
    .replace(/^(?:what (?:is|are) (?:the )?|the |der |die |das |le |la |les |el |los |las |l')/i, '');
  return trimEnd(bare, /[\s?？.!。]/).trim();
}

function stripMarks(text: string): string {
  return trimEnd(text, /[?？!！。.…\s]/)
    .replace(/^[¿¡\s]+/, '')
    .replace(/[“”„«»「」]/g, '');
}
