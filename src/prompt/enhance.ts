import { fail } from '../errors.ts';
import { createId } from '../lib/id.ts';
import { invalidField } from '../lib/invalid-field.ts';
import { complete } from '../models/complete.ts';
import type { Models } from '../models/model.ts';
import type { ReportStyle } from '../research/model.ts';
import { estimateTokens } from '../text/tokens.ts';
import { type EnhanceRequest, styleOf } from './model.ts';
import prompt from './prompts/enhancer.md' with { type: 'text' };

const READERS: Record<ReportStyle, string> = {
  ACADEMIC: 'scholars, who expect definitions, methods, evidence, open questions and formal language',
  POPULAR_SCIENCE: 'curious lay people, who expect clear explanations, examples and a story',
  NEWS: 'readers of news, who expect the latest facts first, who said what, and balance',
  SOCIAL_MEDIA: 'people on social media, who expect a few striking points in short, lively sentences',
  STRATEGIC_INVESTMENT: 'investors, who expect markets, technology, competitors, figures, risks and recommendations',
};

/** Improves a prompt. Throws when the model fails or writes nothing: the prompt is never given back as if improved. */
export async function enhancePrompt(models: Models, request: EnhanceRequest, signal: AbortSignal): Promise<string> {
  const text = request.prompt.trim();
  if (text === '') throw invalidField('/prompt', 'The prompt is empty.');
  const style = styleOf(request);
  const model = models.get('basic');
  const context = request.context?.trim() ?? '';
  if (estimateTokens(text + context) > model.contextWindow * 0.6)
    throw invalidField('/prompt', `The prompt is too long for the model ${model.name}.`, 'text_too_long');
  const fence = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const system = prompt.replace('{{style}}', READERS[style]).replaceAll('{{fence}}', fence);
  const about = context ? `\n\nWhat it is meant for: ${context}` : '';
  const answer = await complete(
    model,
    {
      agent: 'enhancer',
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: `<<<DATA ${fence}\n${text}\nDATA ${fence}>>>${about}` },
      ],
      runId: createId('enhance'),
      task: { kind: 'write', what: 'prompt enhancement' },
    },
    signal,
  );
  const result = readEnhanced(answer.text);
  if (result === '') throw fail('upstream_rejected', `The model ${answer.model} wrote no prompt.`, { retryable: true });
  return result;
}

/** A label at the beginning, in the words models use for it, with or without marks. */
const LABEL =
  /^(?:#{1,6}\s*)?(?:(?:\*\*|__)\s*)?(?:(?:sure|certainly|of course)[,!.]?\s*)?(?:(?:here(?:['’]s| is)|this is)\s+)?(?:the |your |an? )?(?:enhanced|improved|refined|optimi[sz]ed|revised|better)\s+(?:version(?: of (?:the|your) prompt)?|prompt)[^\S\n]*(?:(?:\*\*|__)[^\S\n]*)?(?:[:：]\s*(?:\*\*|__)?|\n)/i;

/** The prompt in a model's answer: what is inside the tags, else the text without a leading label. */
export function readEnhanced(text: string): string {
  const open = /<enhanced_prompt>/i.exec(text);
  if (open) {
    const inside = text.slice(open.index + open[0].length);
    const close = inside.search(/<\/enhanced_prompt>/i);
    return (close < 0 ? inside : inside.slice(0, close)).trim();
  }
  const bare = text
    .replace(/<\/enhanced_prompt>\s*$/i, '')
    .trim()
    .replace(LABEL, '')
    .trim();
  const quoted = /^(?:"([^"]+)"|“([^”]+)”|```\w*\n([\s\S]+?)\n```)$/.exec(bare);
  return (quoted?.slice(1).find((part) => part !== undefined) ?? bare).trim();
}
