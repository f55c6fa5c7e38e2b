import { AppError, fail } from '../errors.ts';
import { findLinks, labelOf, targetOf } from '../lib/markdown-links.ts';
import type { Model, ModelMessage } from '../models/model.ts';
import { cutToTokens, estimateTokens } from '../text/tokens.ts';
import { Deck, type ImageReference } from './model.ts';
import type { Phrases } from './phrases.ts';
import slidesPrompt from './prompts/slides.md' with { type: 'text' };
import { readDeck } from './read-deck.ts';

export interface DeckQuestion {
  content: string;
  locale: string;
  phrases: Phrases;
  /** A title for a deck that has none. */
  title: string;
  /** Marks the content in the prompt; random, so that the content cannot contain it. */
  fence: string;
}

/** Longer descriptions and addresses are no image's; a `data:` URL may have any length. */
const MAX_ALT = 300;
const MAX_ADDRESS = 2_000;
const ANSWER_TOKENS = 8_000;
const MIN_CONTENT_TOKENS = 500;
const ATTEMPTS = 2;
const OVERFLOW_RETRIES = 3;

/**
 * Asks a language model for a deck. What it answers is repaired and checked; an unusable answer is asked for once more
 * with what was wrong, then the request fails. Throws what the model threw.
 */
export async function askForDeck(
  model: Model,
  question: DeckQuestion,
  signal: AbortSignal,
): Promise<{ deck: Deck; images: ImageReference[] }> {
  const { text, images } = takeImages(question.content);
  const { deck, share } = await askInWindow(model, question, text, images, signal);
  if (share < 1) {
    const { leftOut, contentCut } = question.phrases;
    deck.slides.push({ kind: 'bullets', title: leftOut, bullets: [{ text: contentCut(Math.floor(share * 100)) }] });
  }
  return { deck, images };
}

/** Takes image addresses out of the text: `data:` URLs would fill the window, and the model names images by number. */
function takeImages(content: string): { text: string; images: ImageReference[] } {
  const images: ImageReference[] = [];
  let text = '';
  let position = 0;
  for (const link of findLinks(content)) {
    if (!link.isImage || link.start < position) continue;
    const [alt, source] = [labelOf(content, link), targetOf(content, link)];
    const isAddress = source !== '' && (source.length <= MAX_ADDRESS || source.startsWith('data:image/'));
    if (!isAddress || alt.length > MAX_ALT || alt.includes('\n')) continue;
    images.push({ source, alt });
    text += `${content.slice(position, link.start)}![${alt}](image ${images.length})`;
    position = link.end;
  }
  return { text: text + content.slice(position), images };
}

/** Shortens the content when the model's window turns out smaller than believed. */
async function askInWindow(
  model: Model,
  question: DeckQuestion,
  text: string,
  images: ImageReference[],
  signal: AbortSignal,
) {
  for (let attempt = 0; ; attempt++) {
    const room = Math.floor(
      (model.contextWindow - Math.min(ANSWER_TOKENS, model.contextWindow / 2) - estimateTokens(slidesPrompt)) *
        0.7 ** attempt,
    );
    const cut = cutToTokens(text, Math.max(room, MIN_CONTENT_TOKENS));
    try {
      const deck = await askTwice(model, question, cut, images, signal);
      return { deck, share: Math.min(1, cut.length / Math.max(text.length, 1)) };
    } catch (error) {
      const isOverflow = error instanceof AppError && error.code === 'context_overflow';
      if (!isOverflow || attempt >= OVERFLOW_RETRIES) throw error;
    }
  }
}

async function askTwice(
  model: Model,
  question: DeckQuestion,
  text: string,
  images: ImageReference[],
  signal: AbortSignal,
): Promise<Deck> {
  const { locale, fence, phrases, title, content } = question;
  const imageList = images
    .map(({ alt }, index) => `${index + 1}: ${alt.slice(0, 200) || 'without description'}`)
    .slice(0, 40);
  const system = slidesPrompt
    .replaceAll('{{locale}}', locale)
    .replaceAll('{{fence}}', fence)
    .replaceAll('{{images}}', () =>
      imageList.length > 0 ? `Images of the report, by number: ${imageList.join('; ')}` : 'The report has no images.',
    );
  const messages: ModelMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: `<<<DATA ${fence}\n${text}\nDATA ${fence}>>>` },
  ];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await ask(model, messages, signal);
    const result = answer.isCut
      ? ({ ok: false, problem: 'The answer was cut off because it was too long; make fewer slides.' } as const)
      : readDeck(answer.text, { title, locale, phrases, imageCount: images.length, content });
    if (result.ok) return result.deck;
    messages.push(
      { role: 'assistant', content: cutToTokens(answer.text, ANSWER_TOKENS) || '(empty)' },
      {
        role: 'user',
        content: `Your answer could not be used: ${result.problem} Answer again with only the JSON object described above.`,
      },
    );
  }
  throw fail('upstream_rejected', `The model ${model.name} gave no valid presentation.`, { retryable: true });
}

async function ask(
  model: Model,
  messages: ModelMessage[],
  signal: AbortSignal,
): Promise<{ text: string; isCut: boolean }> {
  let text = '';
  let isCut = false;
  const request = {
    agent: 'slides' as const,
    messages,
    responseFormat: { name: 'presentation', schema: Deck },
    task: { kind: 'write' as const, what: 'a presentation' },
  };
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'finish') isCut = event.reason === 'length';
  }
  return { text, isCut };
}
