import { AppError, fail } from '../errors.ts';
import { createId } from '../lib/id.ts';
import { invalidField } from '../lib/invalid-field.ts';
import type { Models } from '../models/model.ts';
import { estimateTokens } from '../text/tokens.ts';
import type { ProseOption, ProseRequest } from './model.ts';
import prompt from './prompts/prose.md' with { type: 'text' };
import { shorten } from './shorten.ts';

const TASKS: Record<ProseOption, string> = {
  continue:
    'Continue the text from where it ends, in one or two paragraphs; what comes later in it matters more than what comes first. Do not repeat it.',
  improve: 'Improve the text: clearer, more fluent, more precise, about the same length.',
  shorter: 'Make the text shorter: keep every important point, leave out the rest.',
  longer: 'Make the text longer: explain its points further with what it already says.',
  fix: 'Correct spelling, grammar and punctuation; change nothing else.',
  zap: 'Do what the user asks with the text.',
};

/**
 * Streams the text the model writes for the request, in pieces as they come. Without a language model only `shorter` can
 * be done: by leaving sentences out.
 */
export async function* writeProse(models: Models, request: ProseRequest, signal: AbortSignal): AsyncGenerator<string> {
  const { option } = request;
  const command = request.command?.trim() ?? '';
  const text = request.prompt.trim();
  if (text === '') throw invalidField('/prompt', 'The prompt is empty.');
  if (option === 'zap' && command === '') throw invalidField('/command', 'The option zap needs a command.');
  const model = models.get('basic');
  const fence = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  if (estimateTokens(text) > model.contextWindow * 0.6)
    throw invalidField(
      '/prompt',
      `The text is too long for the model ${model.name}; work on a part of it.`,
      'text_too_long',
    );
  const asked = option === 'zap' ? `\n\nWhat to do with the text: ${command}` : '';
  const messages = [
    { role: 'system' as const, content: prompt.replace('{{task}}', TASKS[option]).replaceAll('{{fence}}', fence) },
    { role: 'user' as const, content: `<<<DATA ${fence}\n${request.prompt}\nDATA ${fence}>>>${asked}` },
  ];
  const task = { kind: 'write' as const, what: `the prose option ${option}` };
  const events = model.stream({ agent: 'prose', messages, runId: createId('prose'), task }, signal);
  let isEmpty = true;
  try {
    for await (const event of events) {
      if (event.type !== 'text' || event.text === '') continue;
      isEmpty = false;
      yield event.text;
    }
  } catch (error) {
    const needsModel = error instanceof AppError && error.code === 'model_required';
    const shortened = needsModel && option === 'shorter' ? shorten(text) : undefined;
    if (shortened === undefined) throw error;
    return yield shortened;
  }
  if (isEmpty) throw fail('upstream_rejected', `The model ${model.name} wrote nothing.`, { retryable: true });
}
