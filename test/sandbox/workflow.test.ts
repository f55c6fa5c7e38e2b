import { expect, test } from 'bun:test';
import { scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { startOpenAiApp } from '../openai-api/openai-app.ts';
import { HANDOFF, planText } from '../research/script.ts';
import { createCoder } from './coder-tools.ts';

test('a processing step computes in the sandbox, and its result reaches the report', async () => {
  using coder = createCoder();
  const steps = [{ need_search: false, title: 'Add up', description: 'Add up', step_type: 'processing' }];
  const basic = scriptedModel([
    HANDOFF,
    { agent: 'planner', text: planText(0, { steps }) },
    { agent: 'coder', toolCalls: [{ name: 'javascript_repl_tool', args: { code: 'const a = 20; a * 2 + 2' } }] },
    { agent: 'coder', toolCalls: [{ name: 'python_repl_tool', args: { code: 'print(1)' } }] },
    {
      agent: 'coder',
      text: ({ messages }) => `Seen: ${messages.filter(({ role }) => role === 'tool').map(({ content }) => content)}`,
    },
    {
      agent: 'reporter',
      text: ({ messages }) => `# Sum\n\n${JSON.stringify(messages).includes('=> 42') ? 'It is 42.' : 'Unknown.'}`,
    },
  ]);
  await using api = await startOpenAiApp(scriptedModels({ basic }), { deps: { toolProviders: [coder.provider] } });
  const completion = await api.client.chat.completions.create({
    model: 'agent-research',
    messages: [{ role: 'user', content: 'Add up' }],
  });
  expect(completion.choices[0]?.message.content).toBe('# Sum\n\nIt is 42.');
  const { reasoning_content: reasoning } = completion.choices[0]!.message as { reasoning_content?: string };
  expect(reasoning).toContain('- javascript_repl_tool {"code":"const a = 20; a * 2 + 2"}');
  expect(reasoning).toContain('Error: Python is disabled on this server (ENABLE_PYTHON_REPL).');
  basic.assertDone();
});
