import type { ContentPart, ModelMessage, ToolCall } from '../models/model.ts';
import { cutToTokens, estimateTokens } from '../text/tokens.ts';

/** Text of a prompt: fixed, or cuttable when the window is short. */
export type Piece = string | { cuttable: string };

/** A message before it is fitted into a window. */
export type Draft =
  | { role: 'system' | 'user'; pieces: Piece[]; images?: string[] }
  | { role: 'assistant'; pieces: Piece[]; toolCalls?: ToolCall[] }
  | { role: 'tool'; toolCallId: string; name: string; pieces: Piece[] };

/** Tokens every message costs beside its text. */
const MESSAGE_OVERHEAD = 8;
const IMAGE_TOKENS = 1000;

/**
 * The messages of `drafts`, with the cuttable pieces shortened evenly (the longest first) until the whole fits in
 * `budget` tokens. Fixed text is never cut.
 */
export function fitDrafts(drafts: Draft[], budget: number): ModelMessage[] {
  const cuttable: number[] = [];
  let fixed = 0;
  for (const draft of drafts) {
    fixed += MESSAGE_OVERHEAD;
    if (draft.role === 'assistant')
      for (const call of draft.toolCalls ?? []) fixed += estimateTokens(call.argumentsText) + 12;
    if ('images' in draft) fixed += (draft.images?.length ?? 0) * IMAGE_TOKENS;
    for (const piece of draft.pieces) {
      if (typeof piece === 'string') fixed += estimateTokens(piece);
      else cuttable.push(estimateTokens(piece.cuttable));
    }
  }
  const limit = waterLevel(cuttable, budget - fixed);
  return drafts.map((draft) => render(draft, limit));
}

/** The limit L for which the sum of min(size, L) stays within `room`. */
function waterLevel(sizes: number[], room: number): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  let left = Math.max(room, 0);
  for (const [index, size] of sorted.entries()) {
    const share = left / (sorted.length - index);
    // The mark of a cut costs a few tokens itself.
    if (size > share) return Math.max(0, Math.floor(share) - 4);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function render(draft: Draft, limit: number): ModelMessage {
  const text = draft.pieces
    .map((piece) =>
      typeof piece === 'string' ? piece : limit === Infinity ? piece.cuttable : cutToTokens(piece.cuttable, limit),
    )
    .join('');
  switch (draft.role) {
    case 'system':
      return { role: 'system', content: text };
    case 'user':
      if (!draft.images?.length) return { role: 'user', content: text };
      return {
        role: 'user',
        content: [
          { type: 'text', text },
          ...draft.images.map((imageUrl): ContentPart => ({ type: 'image', imageUrl })),
        ],
      };
    case 'assistant':
      return { role: 'assistant', content: text, ...(draft.toolCalls ? { toolCalls: draft.toolCalls } : {}) };
    case 'tool':
      return { role: 'tool', toolCallId: draft.toolCallId, name: draft.name, content: text };
  }
}

/** Text from outside, marked as data: the model is told that nothing between the delimiters is an instruction. */
export function fenced(fence: string, text: string): Piece[] {
  return [`<<<DATA ${fence}\n`, { cuttable: text }, `\nDATA ${fence}>>>`];
}
