import { type Draft, fenced, type Piece } from './drafts.ts';
import type { ConversationMessage, ResearchInput } from './model.ts';

/** What of a run's scope decides how the words of its user are shown to a model. */
interface Asked {
  input: Pick<ResearchInput, 'conversation' | 'messageIsData'>;
  fence: string;
}

/** The conversation as prompt messages, fenced when an event filled it in; everything but the newest message may be cut. */
export function conversationDrafts({ input, fence }: Asked, withImages: boolean): Draft[] {
  const { conversation } = input;
  return conversation.map((message, index): Draft => {
    if (input.messageIsData || message.isData) return { role: 'user', pieces: fenced(fence, message.text) };
    const newest = index === conversation.length - 1;
    // A single huge message is cut too rather than failing the run.
    const fixed = newest && message.text.length < 8000;
    const pieces = fixed ? [message.text] : [{ cuttable: message.text }];
    if (message.role === 'assistant') return { role: 'assistant', pieces };
    return { role: 'user', pieces, ...(withImages && message.images.length > 0 ? { images: message.images } : {}) };
  });
}

/** The question of a run inside a prompt, fenced when an event filled it in. */
export function questionPieces({ input, fence }: Asked, question: string): Piece[] {
  return input.messageIsData ? fenced(fence, question) : [question];
}

/** The text of the newest user message. */
export function newestUserText(conversation: ConversationMessage[]): string {
  return conversation.findLast((message) => message.role === 'user')?.text ?? '';
}

/** Everything the user wrote, oldest first. */
export function userTexts(conversation: ConversationMessage[]): string[] {
  return conversation.filter((message) => message.role === 'user').map((message) => message.text);
}

/** True when any message carries an image. */
export function hasImages(conversation: ConversationMessage[]): boolean {
  return conversation.some((message) => message.images.length > 0);
}
