import { invalidField } from '../lib/invalid-field.ts';
import type { OnDisconnect } from '../store/model.ts';
import type { InterruptAnswer } from './journal.ts';
import {
  type ChatMessage,
  type ChatRequest,
  type ConversationMessage,
  DEFAULT_INPUT,
  findStyle,
  isImageAddress,
  newestUserText,
  REPORT_STYLES,
  type ResearchInput,
} from './model.ts';

const DEFAULT_THREAD = '__default__';
const DEFAULT_CLARIFICATIONS = 3;

/** A chat request as the agent understands it. */
export interface ReadChat {
  /** The thread to go on with; absent for a new one. */
  threadId: string | undefined;
  /** The new messages, or the whole conversation. */
  messages: ConversationMessage[];
  /** Set when the request answers an interrupt instead of asking. */
  answer: InterruptAnswer | undefined;
  settings: Omit<ResearchInput, 'conversation' | 'knownSources'>;
  onDisconnect: OnDisconnect;
}

/** Checks what the schema of a chat request cannot say (422), and translates it. */
export function readChat(request: ChatRequest): ReadChat {
  const messages = request.messages ?? [];
  const feedback = request.interrupt_feedback?.trim();
  if (messages.length === 0 && !feedback) throw invalidField('/messages', 'messages must hold at least one message.');
  if (!feedback && messages.at(-1)?.role !== 'user')
    throw invalidField('/messages', 'The last message must be from the user.');
  const threadId = request.thread_id ?? '';
  if (/\p{Cc}/u.test(threadId) || !threadId.isWellFormed())
    throw invalidField('/thread_id', 'thread_id must not hold control characters or half a character.');
  const read = messages.map(readMessage);
  return {
    threadId: threadId === DEFAULT_THREAD ? undefined : threadId || undefined,
    messages: read,
    answer: feedback ? { feedback, message: newestUserText(read) } : undefined,
    settings: readSettings(request),
    onDisconnect: request.on_disconnect ?? 'cancel',
  };
}

function readSettings(request: ChatRequest): ReadChat['settings'] {
  const style = findStyle(request.report_style);
  if (!style) throw invalidField('/report_style', `report_style must be one of ${REPORT_STYLES.join(', ')}.`);
  const clarification = request.enable_clarification ?? false;
  return {
    resources: (request.resources ?? []).map((resource) => resource.uri),
    locale: request.locale || null,
    style,
    maxPlanIterations: request.max_plan_iterations ?? DEFAULT_INPUT.maxPlanIterations,
    maxSteps: request.max_step_num ?? DEFAULT_INPUT.maxSteps,
    maxSearchResults: request.max_search_results ?? DEFAULT_INPUT.maxSearchResults,
    autoAccept: request.auto_accepted_plan ?? false,
    backgroundInvestigation: request.enable_background_investigation ?? true,
    webSearch: request.enable_web_search ?? true,
    deepThinking: request.enable_deep_thinking ?? false,
    clarification,
    clarificationsLeft: clarification ? (request.max_clarification_rounds ?? DEFAULT_CLARIFICATIONS) : 0,
    interruptBeforeTools: request.interrupt_before_tools ?? [],
    mcpSettings: request.mcp_settings ?? null,
  };
}

function readMessage({ role, content }: ChatMessage): ConversationMessage {
  if (typeof content === 'string') return { role, text: content, images: [] };
  const texts: string[] = [];
  const images: string[] = [];
  for (const item of content) {
    if (item.type === 'text') texts.push(item.text ?? '');
    else if ((item.type === 'image' || item.type === 'image_url') && item.image_url) images.push(item.image_url);
    else throw invalidField('/messages', 'A content item must be {type: "text", text} or {type: "image", image_url}.');
  }
  if (!images.every(isImageAddress))
    throw invalidField('/messages', 'An image_url must be an http(s) address or a data:image URL.');
  return { role, text: texts.join('\n'), images };
}
