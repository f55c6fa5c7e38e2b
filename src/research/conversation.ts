import type { Draft } from './drafts.ts';
import type { ConversationMessage } from './model.ts';

/** The conversation as prompt messages; everything but the newest message may be cut. */
export function conversationDrafts(conversation: ConversationMessage[], withImages: boolean): Draft[] {
  return conversation.map((message, index): Draft => {
    const newest = index === conversation.length - 1;
    // A single huge message is cut too rather than failing the run.
    const fixed = newest && message.text.length < 8000;
    const pieces = fixed ? [message.text] : [{ cuttable: message.text }];
    if (message.role === 'assistant') return { role: 'assistant', pieces };
    return { role: 'user', pieces, ...(withImages && message.images.length > 0 ? { images: message.images } : {}) };
  });
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
