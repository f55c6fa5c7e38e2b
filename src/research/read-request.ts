import { fail } from '../errors.ts';
import { invalidField } from '../lib/invalid-field.ts';
import type { ThreadRow } from '../store/store.ts';
import type { ChatMessage, ChatRequest, ConversationMessage, ReportStyle, ResearchInput } from './model.ts';
import { findStyle, REPORT_STYLES, readStored } from './model.ts';

/** Messages of a conversation that agents still see. */
const MAX_MESSAGES = 60;
const DEFAULT_CLARIFICATIONS = 3;

/** The style a name means; 422 for an unknown one. */
export function readStyle(name: string | null | undefined): ReportStyle {
  const style = findStyle(name);
  if (style) return style;
  throw invalidField('/report_style', `report_style must be one of ${REPORT_STYLES.join(', ')}.`);
}

/** A message of the request as the agents see it. */
export function readMessage(message: ChatMessage): ConversationMessage {
  if (typeof message.content === 'string') return { role: message.role, text: message.content, images: [] };
  const texts: string[] = [];
  const images: string[] = [];
  for (const item of message.content) {
    if (item.type === 'text') texts.push(item.text ?? '');
    else if ((item.type === 'image' || item.type === 'image_url') && item.image_url) images.push(item.image_url);
    else throw invalidField('/messages', 'A content item must be {type: "text", text} or {type: "image", image_url}.');
  }
  for (const url of images) {
    if (!/^(https?:\/\/|data:image\/)/i.test(url))
      throw invalidField('/messages', 'An image_url must be an http(s) address or a data:image URL.');
  }
  return { role: message.role, text: texts.join('\n'), images };
}

/** How the request's messages join those of the thread: appended, or as the whole conversation when they repeat it. */
export function joinConversation(
  thread: ThreadRow | undefined,
  incoming: ConversationMessage[],
): { conversation: ConversationMessage[]; mode: 'append' | 'replace' } {
  const stored = (thread?.messages ?? []).map(readStored);
  const first = stored[0];
  const repeats = incoming.length > 1 && first && incoming[0]?.role === first.role && incoming[0].text === first.text;
  const isEvent = (text: string) => stored.some((message) => message.isData && message.text === text);
  if (repeats) {
    const conversation = incoming.map((message) => (isEvent(message.text) ? { ...message, isData: true } : message));
    return { conversation, mode: 'replace' };
  }
  return { conversation: [...stored, ...incoming], mode: 'append' };
}

/** The workflow's input for a new question. */
export function readInput(
  request: ChatRequest,
  thread: ThreadRow | undefined,
  conversation: ConversationMessage[],
): ResearchInput {
  const clarification = request.enable_clarification ?? false;
  const rounds = request.max_clarification_rounds ?? DEFAULT_CLARIFICATIONS;
  // A thread that waits for an answer to the coordinator's question remembers how many questions are left.
  const left = thread?.pending?.kind === 'clarification' ? Math.min(Number(thread.pending.key), rounds) : rounds;
  return {
    conversation: conversation.slice(-MAX_MESSAGES),
    resources: (request.resources ?? []).map((resource) => resource.uri),
    locale: request.locale || null,
    style: readStyle(request.report_style),
    maxPlanIterations: request.max_plan_iterations ?? 1,
    maxSteps: request.max_step_num ?? 3,
    maxSearchResults: request.max_search_results ?? 3,
    autoAccept: request.auto_accepted_plan ?? false,
    backgroundInvestigation: request.enable_background_investigation ?? true,
    webSearch: request.enable_web_search ?? true,
    deepThinking: request.enable_deep_thinking ?? false,
    clarification,
    clarificationsLeft: clarification ? left : 0,
    interruptBeforeTools: request.interrupt_before_tools ?? [],
    mcpSettings: request.mcp_settings ?? null,
    knownSources: thread?.sources ?? [],
  };
}

/** Refuses what the schema cannot say. */
export async function checkRequest(
  request: ChatRequest,
  checkMcpSettings: ((settings: unknown) => Promise<void>) | undefined,
): Promise<void> {
  const namesServers = Object.keys(request.mcp_settings ?? {}).length > 0;
  if (namesServers && !checkMcpSettings) {
    throw fail(
      'mcp_disabled',
      'MCP server configuration is disabled. Set ENABLE_MCP_SERVER_CONFIGURATION=true to enable it.',
    );
  }
  if (namesServers) await checkMcpSettings?.(request.mcp_settings);
  const hasFeedback = (request.interrupt_feedback ?? '').trim() !== '';
  const messages = request.messages ?? [];
  if (messages.length === 0 && !hasFeedback)
    throw invalidField('/messages', 'messages must hold at least one message.');
  if (!hasFeedback && messages.at(-1)?.role !== 'user')
    throw invalidField('/messages', 'The last message must be from the user.');
  const threadId = request.thread_id ?? '';
  if (/\p{Cc}/u.test(threadId) || !threadId.isWellFormed())
    throw invalidField('/thread_id', 'thread_id must not hold control characters or half a character.');
}
