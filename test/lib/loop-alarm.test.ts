import { afterEach, expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { LoopAlarm } from '../../src/lib/loop-alarm.ts';

let alarm: LoopAlarm | undefined;
afterEach(() => alarm?.stop());

function open(thresholdMs: number): string[] {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  alarm = new LoopAlarm({ log, thresholdMs, clock: systemClock });
  alarm.start();
  return lines;
}

function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

async function until(condition: () => boolean): Promise<void> {
  for (let look = 0; look < 200 && !condition(); look++) await Bun.sleep(10);
}

test('says for how long the event loop was held, and by what it may have been', async () => {
  const lines = open(300);
  const endRun = alarm?.begin('run research');
  alarm?.begin('POST /api/rag/upload');
  const end = alarm?.begin('POST /api/rag/upload');
  hold(900);
  await until(() => lines.length > 0);
  endRun?.();
  end?.();
  const told = JSON.parse(lines[0] ?? '{}');
  expect(told).toMatchObject({
    message: 'the event loop was held',
    under_way: 'run research, POST /api/rag/upload ×2',
  });
  expect(told.held_ms).toBeGreaterThan(300);
});

test('tells of a loop that is held again and again once', async () => {
  const lines = open(200);
  hold(600);
  await until(() => lines.length > 0);
  hold(600);
  await Bun.sleep(30);
  hold(300);
  await Bun.sleep(30);
  expect(lines).toHaveLength(1);
});

test('is quiet while nothing holds the loop', async () => {
  const lines = open(60_000);
  for (let turn = 0; turn < 12; turn++) await Bun.sleep(45);
  expect(lines).toEqual([]);
});
