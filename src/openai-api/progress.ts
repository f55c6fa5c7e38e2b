/**
 * Turns the messages of agents that work side by side into one text: a message is told as it comes, the others wait
 * until it has ended.
 */
export class Progress {
  #speaker: string | undefined;
  #any = false;
  readonly #waiting = new Map<string, { heading: string; text: string; ended: boolean }>();

  /** Text of a message; returns what can be told now. */
  push(id: string, heading: string, text: string, ended: boolean): string {
    if (this.#speaker !== undefined && this.#speaker !== id) {
      const known = this.#waiting.get(id) ?? { heading, text: '', ended: false };
      this.#waiting.set(id, { heading, text: known.text + text, ended: known.ended || ended });
      return '';
    }
    let told = text;
    if (this.#speaker === undefined && text !== '') {
      told = this.#open(heading) + text;
      this.#speaker = id;
    }
    return ended ? told + this.#next() : told;
  }

  /** Everything that still waits, for the end. */
  flush(): string {
    this.#speaker = undefined;
    let told = '';
    for (const { heading, text } of this.#waiting.values()) if (text !== '') told += this.#open(heading) + text;
    this.#waiting.clear();
    return told;
  }

  #next(): string {
    this.#speaker = undefined;
    let told = '';
    for (const [id, message] of this.#waiting) {
      this.#waiting.delete(id);
      if (message.text !== '') told += this.#open(message.heading) + message.text;
      if (message.ended) continue;
      if (message.text !== '') this.#speaker = id;
      break;
    }
    return told;
  }

  #open(heading: string): string {
    const gap = this.#any ? '\n\n' : '';
    this.#any = true;
    return `${gap}**${heading}**\n\n`;
  }
}
