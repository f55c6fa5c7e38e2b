import { escapeLine } from '../../lib/escape-controls.ts';
import type { EventData, WireAgent } from '../../research/events.ts';
import type { FollowedEvent } from '../../runs/follow.ts';
import type { CliOutput } from '../context.ts';

const LABELS: Record<WireAgent, string> = {
  coordinator: 'Reading the question',
  planner: 'Planning',
  researcher: 'Researching',
  analyst: 'Analysing',
  coder: 'Computing',
  reporter: 'Writing the report',
};

/** One line that says what the run is doing; tool calls stay behind as finished lines. */
export class StatusLines {
  readonly #output: CliOutput;
  readonly #enabled: boolean;
  readonly #calls = new Map<string, string>();
  #characters = 0;
  #shown = '';

  constructor(output: CliOutput, enabled: boolean) {
    this.#output = output;
    this.#enabled = enabled && output.isTerminal;
  }

  show(event: FollowedEvent): void {
    if (!this.#enabled) return;
    const { type, data } = event;
    if (type === 'tool_calls') this.#remember(data);
    if (type === 'tool_call_result') {
      const call = this.#calls.get(data.tool_call_id);
      if (call) this.#finish(`${data.content.startsWith('Error: ') ? '✗' : '✓'} ${call}`);
    }
    if (!('agent' in data)) return;
    const label = LABELS[data.agent];
    if (data.agent === 'reporter') this.#characters += data.content?.length ?? 0;
    this.#update(
      data.agent === 'reporter' && this.#characters > 0 ? `${label} (${this.#characters} characters)` : label,
    );
  }

  clear(): void {
    if (this.#shown) void this.#output.write('\r\u001b[2K');
    this.#shown = '';
  }

  #remember({ tool_calls: calls }: EventData<'tool_calls'>): void {
    for (const { id, name, args } of calls) this.#calls.set(id, `${name}  ${Object.values(args).join(' ')}`);
  }

  #update(text: string): void {
    if (text === this.#shown) return;
    this.#shown = text;
    void this.#output.write(`\r\u001b[2K… ${this.#fit(text)}`);
  }

  #finish(text: string): void {
    this.clear();
    void this.#output.write(`${this.#fit(text)}\n`);
  }

  #fit(text: string): string {
    const line = escapeLine(text.replaceAll('\n', ' '));
    const width = Math.max(20, this.#output.columns - 4);
    return line.length > width ? `${line.slice(0, width - 1)}…` : line;
  }
}
