/** Something that accepts connections in this process; the API is one, the webhook gateway another. */
export interface Listener {
  readonly name: string;
  /** Address it can be reached at, once started. */
  readonly url: string;
  /** Opens the socket; rejects with one sentence when it cannot. */
  start(): Promise<void>;
  /** Stops accepting, gives open work `deadlineMs`, then closes what is left. Safe to call twice. */
  stop(deadlineMs: number): Promise<void>;
}
