import { AppError, type ErrorCode, fail } from '../errors.ts';
import {
  type ConversationMessage,
  DEFAULT_INPUT,
  findStyle,
  isImageAddress,
  MAX_MESSAGES,
  REPORT_STYLES,
  type ReportStyle,
  type ResearchInput,
} from '../research/model.ts';
import { type CompletionMessage, type CompletionRequest, SERVED_MODELS, type ServedModel } from './model.ts';

const MAX_THREAD_ID = 200;

/** A request as the agent understands it. */
export interface ReadCompletion {
  model: ServedModel;
  conversation: ConversationMessage[];
  /** Given by the client to go on with a thread. */
  threadId: string | undefined;
  input: Omit<ResearchInput, 'conversation' | 'knownSources'>;
}

/** The model of an id. Throws `model_not_found` (404) with the ids there are. */
export function findModel(id: string): ServedModel {
  const model = SERVED_MODELS.find((entry) => entry.id === id);
  if (model) return model;
  const known = SERVED_MODELS.map((entry) => entry.id).join(', ');
  throw fail('model_not_found', `The model "${id.slice(0, 100)}" does not exist; this server has ${known}.`);
}

/** Checks what the schema cannot say and translates the request. */
export function readCompletion(request: CompletionRequest): ReadCompletion {
  const model = findModel(request.model);
  if (typeof request.n === 'number' && request.n !== 1)
    throw invalid('/n', 'unsupported_value', 'This model gives one answer per request: n must be 1.');
  if (demandsTool(request.tool_choice)) {
    const message = 'This model runs its own tools and cannot be made to call those of the client; leave tool_choice.';
    throw invalid('/tool_choice', 'unsupported_value', message);
  }
  const texts = request.messages.map((message, index) => ({ role: message.role, ...readContent(message, index) }));
  const conversation = texts.flatMap(({ role, text, images }): ConversationMessage[] => {
    if (role !== 'user' && role !== 'assistant') return [];
    return text.trim() === '' && images.length === 0 ? [] : [{ role, text, images }];
  });
  if (!conversation.some(({ role }) => role === 'user'))
    throw invalid(
      '/messages',
      'invalid_value',
      'messages must hold at least one message of the user that is not empty.',
    );
  const instructions = texts
    .filter(({ role, text }) => (role === 'system' || role === 'developer') && text.trim() !== '')
    .map(({ text }) => text)
    .join('\n\n');
  return {
    model,
    conversation: conversation.slice(-MAX_MESSAGES),
    threadId: readThreadId(request.metadata?.['thread_id']),
    input: {
      ...DEFAULT_INPUT,
      resources: (request.resources ?? []).map((resource) => resource.uri),
      locale: request.locale || null,
      style: readStyle(request.report_style),
      maxPlanIterations: request.max_plan_iterations ?? model.maxPlanIterations,
      maxSteps: request.max_step_num ?? model.maxSteps,
      maxSearchResults: request.max_search_results ?? DEFAULT_INPUT.maxSearchResults,
      deepThinking: model.deepThinking,
      webSearch: request.enable_web_search ?? true,
      ...(instructions ? { instructions: `Instructions for this conversation:\n${instructions}` } : {}),
    },
  };
}

/** `required`, or a certain function; `auto` and `none` are harmless. */
function demandsTool(choice: unknown): boolean {
  return choice === 'required' || (typeof choice === 'object' && choice !== null);
}

function readContent({ content }: CompletionMessage, index: number): { text: string; images: string[] } {
  if (typeof content === 'string') return { text: content, images: [] };
  const texts: string[] = [];
  const images: string[] = [];
  for (const [position, part] of (content ?? []).entries()) {
    const path = `/messages/${index}/content/${position}`;
    if (part.type === 'text' || part.type === 'refusal') texts.push(part.text ?? '');
    else if (part.type === 'image_url') {
      const url = typeof part.image_url === 'string' ? part.image_url : part.image_url?.url;
      if (!url || !isImageAddress(url))
        throw invalid(path, 'invalid_image_url', 'image_url must be an http(s) address or a data:image URL.');
      images.push(url);
    } else throw invalid(path, 'unsupported_value', 'This model reads content parts of the types text and image_url.');
  }
  return { text: texts.join('\n'), images };
}

function readThreadId(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.length <= MAX_THREAD_ID && !/\p{Cc}/u.test(value)) return value;
  const message = `metadata.thread_id must be text of at most ${MAX_THREAD_ID} characters without control characters.`;
  throw invalid('/metadata/thread_id', 'invalid_value', message);
}

function readStyle(name: string | null | undefined): ReportStyle {
  const style = findStyle(name);
  if (style) return style;
  throw invalid('/report_style', 'invalid_value', `report_style must be one of ${REPORT_STYLES.join(', ')}.`);
}

function invalid(path: string, code: ErrorCode, message: string): AppError {
  return new AppError(message, { code, category: 'user', status: 400, errors: [{ path, message }] });
}
