import { escapeLine } from '../../lib/escape-controls.ts';
import { isRecord } from '../../lib/json.ts';
import type { FollowedEvent } from '../../runs/follow.ts';
import type { CliOutput } from '../context.ts';

const LABELS: Record<string, string> = {
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
    const data: unknown = JSON.parse(event.data);
    if (!isRecord(data)) return;
    const label = LABELS[String(data['agent'])];
    if (event.type === 'tool_calls') this.#remember(data);
    if (event.type === 'tool_call_result') {
      const call = this.#calls.get(String(data['tool_call_id']));
      const failed = String(data['content']).startsWith('Error: ');
      if (call) this.#finish(`${failed ? '✗' : '✓'} ${call}`);
    }
    if (!label) return;
    if (data['agent'] === 'reporter' && typeof data['content'] === 'string') this.#characters += data['content'].length;
    this.#update(
      data['agent'] === 'reporter' && this.#characters > 0 ? `${label} (${this.#characters} characters)` : label,
    );
  }

  clear(): void {
    if (this.#shown) void this.#output.write('\r\u001b[2K');
    this.#shown = '';
  }

  #remember(data: Record<string, unknown>): void {
    for (const call of Array.isArray(data['tool_calls']) ? data['tool_calls'] : []) {
      if (!isRecord(call)) continue;
      const args = isRecord(call['args']) ? Object.values(call['args']).join(' ') : '';
      this.#calls.set(String(call['id']), `${call['name']}  ${args}`);
    }
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
