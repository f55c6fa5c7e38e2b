import { describe, expect, test } from 'bun:test';
import { ask } from './ask.ts';

const coordinate = (text: string, locale = 'en-US') =>
  ask({ agent: 'coordinator', task: { kind: 'coordinate', text, locale } });

describe('small talk is answered directly and names the engine', () => {
  const rows: [text: string, mark: string][] = [
    ['hello', 'Hello!'],
    ['Hi there!', 'Hello!'],
    ['Hey, how are you?', 'Hello!'],
    ['Who are you?', 'no language model is configured'],
    ['hi, what can you do?', 'no language model is configured'],
    ['Thanks a lot!', 'You are welcome'],
    ['Thank you very much for the report', 'You are welcome'],
    ['bye', 'Goodbye'],
    ['Hallo!', 'Hallo!'],
    ['Guten Morgen', 'Hallo!'],
    ['Wer bist du?', 'kein Sprachmodell'],
    ['Vielen Dank', 'Gern geschehen'],
    ['Bonjour !', 'Bonjour'],
    ['Qui êtes-vous ?', 'aucun modèle de langage'],
    ['Merci beaucoup', 'Je vous en prie'],
    ['¡Hola! ¿Qué tal?', '¡Hola!'],
    ['¿Quién eres?', 'ningún modelo de lenguaje'],
    ['你好', '你好'],
    ['你好，你是谁？', '没有配置语言模型'],
    ['谢谢！', '不客气'],
    ['こんにちは', 'こんにちは'],
    ['あなたは誰ですか？', '言語モデルは設定されておらず'],
    ['ありがとうございます', 'どういたしまして'],
  ];
  test.each(rows)('%s', async (text, mark) => {
    const { text: answer, calls, events } = await coordinate(text);
    expect(calls).toEqual([]);
    expect(answer).toContain(mark);
    if (!/bye/.test(text)) expect(answer).toMatch(/extractive/);
    expect(events.at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 0, outputTokens: 0 },
      model: 'extractive',
    });
  });

  test('a chosen locale decides the language of the answer', async () => {
    expect((await coordinate('hello', 'de-DE')).text).toContain('Hallo');
  });

  test('an empty message is answered with a request for a question', async () => {
    expect((await coordinate('  \n ')).text).toContain('Please write a question');
  });
});

describe('everything else is handed to the planner with a guessed locale', () => {
  const rows: [text: string, asked: string, locale: string][] = [
    ['How does WAL work?', 'en-US', 'en-US'],
    ['hi, how does WAL work?', 'en-US', 'en-US'],
    ['Thanks. Now compare SQLite and Postgres', 'en-US', 'en-US'],
    ['What is good morning in Japanese?', 'en-US', 'en-US'],
    ['Wie funktioniert ein Wärmetauscher?', 'en-US', 'de-DE'],
    ['Comment fonctionne un moteur à hydrogène ?', 'en-US', 'fr-FR'],
    ['¿Cómo funciona la fotosíntesis?', 'en-US', 'es-ES'],
    ['光合作用是如何进行的？', 'en-US', 'zh-CN'],
    ['光合成はどのように行われますか？', 'en-US', 'ja-JP'],
    ['광합성은 어떻게 이루어지나요?', '', 'ko-KR'],
    ['Как работает фотосинтез?', 'en-US', 'ru-RU'],
    ['Wie funktioniert das?', 'fr-FR', 'fr-FR'],
    ['quantum entanglement', 'en-US', 'en-US'],
    ['SQLite', '', 'en-US'],
    ['x'.repeat(200_000), 'en-US', 'en-US'],
  ];
  test.each(rows.map(([text, asked, locale]) => [text.slice(0, 60), text, asked, locale] as const))(
    '%s',
    async (_name, text, asked, locale) => {
      const { text: answer, calls, events } = await coordinate(text, asked);
      expect(answer).toBe('');
      expect(calls).toHaveLength(1);
      expect(calls[0]!.name).toBe('handoff_to_planner');
      expect(JSON.parse(calls[0]!.argumentsText)).toEqual({ research_topic: text, locale });
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    },
  );
});
