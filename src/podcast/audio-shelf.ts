/**
 * Where a run leaves its audio for the request that waits for it: audio is too large for the event log. What nobody
 * waits for is not kept.
 */
export class AudioShelf {
  readonly #places = new Map<string, Uint8Array | undefined>();

  /** Makes room for the audio of a run that is about to begin. */
  expect(runId: string): void {
    this.#places.set(runId, undefined);
  }

  put(runId: string, audio: Uint8Array): void {
    if (this.#places.has(runId)) this.#places.set(runId, audio);
  }

  /** The audio, once; undefined when the run left none. */
  take(runId: string): Uint8Array | undefined {
    const audio = this.#places.get(runId);
    this.#places.delete(runId);
    return audio;
  }
}
