import type { ModelMessage, ToolDefinition } from './model.ts';

/**
 * Messages for a model without tool calling: the tools are described in the system message, and earlier calls and
 * their results are written as ordinary turns.
 */
export function describeTools(messages: ModelMessage[], tools: ToolDefinition[]): ModelMessage[] {
  const plain = mergeTurns(messages.map(asPlainTurn));
  if (tools.length === 0) return plain;
  const description = describe(tools);
  const [first, ...rest] = plain;
  if (first?.role === 'system') return [{ role: 'system', content: `${first.content}\n\n${description}` }, ...rest];
  return [{ role: 'system', content: description }, ...plain];
}

function describe(tools: ToolDefinition[]): string {
  const list = tools.map(
    (tool) => `- ${tool.name}: ${tool.description}\n  Arguments (JSON Schema): ${JSON.stringify(tool.parameters)}`,
  );
  return [
    '# Tools',
    'You can use these tools:',
    ...list,
    'To use a tool, end your answer with exactly one JSON object in a fenced block and write nothing after it:',
    '```json\n{"tool": "<name of the tool>", "arguments": {<its arguments>}}\n```',
    'The result is given to you in the next message. When you need no tool, answer in plain text without this object.',
  ].join('\n');
}

function asPlainTurn(message: ModelMessage): ModelMessage {
  if (message.role === 'tool')
    return { role: 'user', content: `Result of the tool ${message.name}:\n${message.content}` };
  if (message.role !== 'assistant' || !message.toolCalls?.length) return message;
  const calls = message.toolCalls.map(
    (call) => `\`\`\`json\n{"tool": ${JSON.stringify(call.name)}, "arguments": ${call.argumentsText || '{}'}}\n\`\`\``,
  );
  return { role: 'assistant', content: [message.content, ...calls].filter(Boolean).join('\n') };
}

/** Chat templates of models without tools often insist on turns that alternate. */
function mergeTurns(messages: ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (
      last?.role === 'user' &&
      message.role === 'user' &&
      typeof last.content === 'string' &&
      typeof message.content === 'string'
    )
      merged[merged.length - 1] = { role: 'user', content: `${last.content}\n\n${message.content}` };
    else merged.push(message);
  }
  return merged;
}
