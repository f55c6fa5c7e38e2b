import type { ThreadRow } from '../store/store.ts';
import { type Draft, fenced, type Piece } from './drafts.ts';
import { type ConversationMessage, type ResearchInput, readStored } from './model.ts';

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

/** How the request's messages join those of the thread: behind them, or as the whole conversation when they repeat it. */
export function joinConversation(
  thread: ThreadRow | undefined,
  incoming: ConversationMessage[],
): { conversation: ConversationMessage[]; isWhole: boolean } {
  const stored = (thread?.messages ?? []).map(readStored);
  const [first] = stored;
  const repeats = incoming.length > 1 && first && incoming[0]?.role === first.role && incoming[0].text === first.text;
  if (!repeats) return { conversation: [...stored, ...incoming], isWhole: false };
  const isEvent = (text: string) => stored.some((message) => message.isData && message.text === text);
  const conversation = incoming.map((message) => (isEvent(message.text) ? { ...message, isData: true } : message));
  return { conversation, isWhole: true };
}

/** Everything the user wrote, oldest first. */
export function userTexts(conversation: ConversationMessage[]): string[] {
  return conversation.filter((message) => message.role === 'user').map((message) => message.text);
}

/** True when any message carries an image. */
export function hasImages(conversation: ConversationMessage[]): boolean {
  return conversation.some((message) => message.images.length > 0);
}
