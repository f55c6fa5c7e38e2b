import { AppError } from '../errors.ts';
import { type Completion, completeJson, withFittingText } from '../models/complete.ts';
import type { Models } from '../models/model.ts';
import { guessLocale } from '../text/locale.ts';
import type { PodcastInput, Script } from './model.ts';
import prompt from './prompts/podcast.md' with { type: 'text' };
import { readAloud } from './read-aloud.ts';
import { readScript } from './script.ts';

export interface WriteScriptNeeds {
  models: Models;
  maxLines: number;
  maxCharacters: number;
}

/** The script of a podcast: a dialogue by the model, or the text itself in turns when there is no language model. */
export async function writeScript(
  needs: WriteScriptNeeds,
  input: PodcastInput,
  options: { runId: string; onAnswer(answer: Completion): void },
  signal: AbortSignal,
): Promise<Script> {
  const model = needs.models.get('basic');
  const locale = input.locale ?? guessLocale(input.content);
  const fence = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const language = input.locale ?? 'the language of the material';
  const system = prompt
    .replace('{{locale}}', () => locale)
    .replace('{{language}}', () => language)
    .replaceAll('{{fence}}', fence);
  const read = (value: unknown) =>
    readScript(value, { locale, title: titleOf(input.content), maxLines: needs.maxLines });
  try {
    return await withFittingText(
      model,
      input.content,
      (text) => [
        { role: 'system', content: system },
        { role: 'user', content: `<<<DATA ${fence}\n${text}\nDATA ${fence}>>>` },
      ],
      (messages) =>
        completeJson(
          model,
          { agent: 'podcast', messages, runId: options.runId, task: { kind: 'write', what: 'a podcast dialogue' } },
          { read, what: 'a podcast script', onAnswer: options.onAnswer },
          signal,
        ),
    );
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'model_required')) throw error;
    return readAloud(input.content, { locale: input.locale, maxCharacters: needs.maxCharacters });
  }
}

/** The first heading, else the first words. */
function titleOf(content: string): string {
  const heading = /^#{1,6}[ \t]+(\S.{0,190})/m.exec(content)?.[1];
  return (heading ?? content.trim().slice(0, 80).split('\n')[0] ?? '').replaceAll(/[*_`#]/g, '').trim() || 'Podcast';
}
