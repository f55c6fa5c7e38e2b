import { describe, expect, test } from 'bun:test';
import { ask, askPlan, finding, source } from './ask.ts';

const BACKGROUND = [
  source(
    1,
    '# Logging\n\n## Checkpoints\n\nA checkpoint moves the content of the write-ahead log back into the database file.\n\n## Readers and writers\n\nReaders of the write-ahead log do not block writers, and a writer does not block readers.',
  ),
  source(2, '# Logging\n\n## Durability\n\nThe write-ahead log is synced to disk when a transaction commits.'),
];

describe('a plan', () => {
  test('has exactly the shape of the contract and searches in every step', async () => {
    const plan = await askPlan({ question: 'How does the write-ahead log work?', background: BACKGROUND });
    expect(Object.keys(plan)).toEqual(['locale', 'title', 'has_enough_context', 'thought', 'steps']);
    expect(plan.has_enough_context).toBe(false);
    expect(plan.thought).toContain('no language model');
    expect(plan.steps).toHaveLength(3);
    for (const step of plan.steps) {
      expect(Object.keys(step).sort()).toEqual(['description', 'need_search', 'step_type', 'title']);
      expect(step).toMatchObject({ need_search: true, step_type: 'research' });
    }
  });

  test('begins with the question and goes on with sections of the first sources', async () => {
    const plan = await askPlan({ question: 'How does the write-ahead log work?', background: BACKGROUND });
    const titles = plan.steps.map((step) => step.title);
    expect(titles[0]).toBe('How does the write-ahead log work?');
    expect(titles.slice(1).some((title) => /Checkpoints|Readers and writers|Durability/.test(title))).toBe(true);
  });

  test('is streamed in several events that join to one JSON object', async () => {
    const { events, text } = await ask({
      agent: 'planner',
      task: {
        kind: 'plan',
        question: 'How does the write-ahead log work?',
        locale: 'en-US',
        maxSteps: 3,
        background: BACKGROUND,
        findings: [],
      },
    });
    expect(events.filter((event) => event.type === 'text').length).toBeGreaterThan(2);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test.each([1, 2, 3, 10])('never has more than %d steps, and they are distinct', async (maxSteps) => {
    const plan = await askPlan({
      question: 'What is WAL, why is it fast, when does it checkpoint, and how does it recover?',
      maxSteps,
      background: BACKGROUND,
    });
    expect(plan.steps.length).toBeGreaterThanOrEqual(1);
    expect(plan.steps.length).toBeLessThanOrEqual(maxSteps);
    expect(new Set(plan.steps.map((step) => step.title.toLowerCase())).size).toBe(plan.steps.length);
  });

  test.each([
    ['What is WAL and how does recovery work?', ['What is WAL?', 'How does recovery work?']],
    ['Was ist ein Journal und wie wird es gelesen?', ['Was ist ein Journal?', 'Wie wird es gelesen?']],
    [
      'What are the differences between SQLite and PostgreSQL?',
      ['SQLite', 'PostgreSQL', 'Differences between SQLite and PostgreSQL'],
    ],
    ['SQLite vs PostgreSQL', ['SQLite', 'PostgreSQL', 'Differences between SQLite and PostgreSQL']],
    ['什么是日志以及如何恢复数据？', ['什么是日志？', '如何恢复数据？']],
  ])('splits %s into its parts', async (question, parts) => {
    const plan = await askPlan({ question, maxSteps: parts.length });
    expect(plan.steps.map((step) => step.title)).toEqual(parts);
  });

  test.each([
    ['de-DE', 'Die Quellen nach'],
    ['fr-FR', 'Chercher'],
    ['es-ES', 'Buscar'],
    ['zh-CN', '在来源中检索'],
    ['ja-JP', '情報源で'],
    ['en-US', 'Search the sources'],
    ['pt-BR', 'Search the sources'],
  ])('speaks %s', async (locale, begin) => {
    const plan = await askPlan({ locale });
    expect(plan.locale).toBe(locale);
    expect(plan.steps[0]!.description).toStartWith(begin);
  });

  test('of a question without a single topic word still has a step', async () => {
    for (const question of ['What is it?', '???', '"}]', 'a'])
      expect((await askPlan({ question })).steps.length).toBeGreaterThan(0);
  });
});

describe('re-planning', () => {
  test('ends when the findings hold the words of the question', async () => {
    const plan = await askPlan({ findings: [finding('WAL', 'The WAL works by appending.')] });
    expect(plan).toMatchObject({ has_enough_context: true, steps: [] });
  });

  test('asks for the words that are missing, once', async () => {
    const question = 'How do checkpoints, replication and encryption affect latency?';
    const first = await askPlan({ question, findings: [finding('Checkpoints', 'Checkpoints are fast.')] });
    expect(first.has_enough_context).toBe(false);
    expect(first.steps).toHaveLength(1);
    expect(first.steps[0]!.title).toContain('replication');
    const second = await askPlan({
      question,
      findings: [finding('Checkpoints', 'Checkpoints are fast.'), finding(first.steps[0]!.title, 'Nothing.')],
    });
    expect(second.has_enough_context).toBe(true);
  });

  test('ends when every step failed', async () => {
    const plan = await askPlan({ findings: [finding('WAL', 'The search failed.', true)] });
    expect(plan.has_enough_context).toBe(true);
  });
});

describe('an edit of the plan', () => {
  const former = {
    steps: [
      { title: 'History of bees', description: 'Search for “history of bees”.' },
      { title: 'Honey prices', description: 'Search for “honey prices”.' },
      { title: 'Varroa mites', description: 'Search for “varroa mites”.' },
    ],
  };
  const edit = (feedback: string, maxSteps = 4) =>
    askPlan({ question: 'Tell me about bees', feedback, maxSteps }, [
      { role: 'assistant', content: JSON.stringify(former) },
    ]);
  const rows: [feedback: string, titles: string[]][] = [
    ['drop step 2', ['History of bees', 'Varroa mites']],
    ['[EDIT_PLAN] Please remove steps 1 and 3', ['Honey prices']],
    ['remove the last step', ['History of bees', 'Honey prices']],
    ['skip the history', ['Honey prices', 'Varroa mites']],
    ['without honey prices', ['History of bees', 'Varroa mites']],
    ['only step 3', ['Varroa mites']],
    ['only honey prices', ['Honey prices']],
    ['only 2 steps please', ['History of bees', 'Honey prices']],
    ['add pollination', ['History of bees', 'Honey prices', 'Varroa mites', 'Pollination']],
    ['Drop step 2 and add the costs', ['History of bees', 'Varroa mites', 'Costs']],
    ['replace step 1 with queen breeding', ['Queen breeding', 'Honey prices', 'Varroa mites']],
    ['focus on varroa', ['Varroa mites', 'History of bees', 'Honey prices']],
    ['wild bees in cities', ['Wild bees in cities', 'History of bees', 'Honey prices', 'Varroa mites']],
    ['Streiche Schritt 2', ['History of bees', 'Varroa mites']],
    ['supprime l’étape 1', ['Honey prices', 'Varroa mites']],
    ['elimina el paso 3', ['History of bees', 'Honey prices']],
    ['删除第2步', ['History of bees', 'Varroa mites']],
    ['ステップ1を削除してください', ['Honey prices', 'Varroa mites']],
  ];
  test.each(rows)('%s', async (feedback, titles) => {
    const plan = await edit(feedback);
    expect(plan.steps.map((step) => step.title)).toEqual(titles);
    expect(plan.has_enough_context).toBe(false);
  });

  test('keeps what the user asked for when there are too many steps', async () => {
    expect((await edit('add pollination', 3)).steps.map((step) => step.title)).toEqual([
      'History of bees',
      'Honey prices',
      'Pollination',
    ]);
  });

  test('that drops everything leaves the question', async () => {
    expect((await edit('drop steps 1, 2 and 3')).steps).toHaveLength(1);
  });

  test('works without the former plan among the messages', async () => {
    const base = await askPlan({ question: 'Tell me about bees' });
    const edited = await askPlan({ question: 'Tell me about bees', feedback: 'drop step 2' });
    expect(edited.steps.map((step) => step.title)).toEqual([base.steps[0]!.title, base.steps[2]!.title]);
  });
});
