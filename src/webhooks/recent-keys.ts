/** Remembers between `size` and twice `size` of the latest keys, at constant cost. */
export class RecentKeys {
  #newer = new Set<string>();
  #older = new Set<string>();

  constructor(private readonly size: number) {}

  has(key: string): boolean {
    return this.#newer.has(key) || this.#older.has(key);
  }

  add(key: string): void {
    // Evicting one key at a time would walk over the places of all that were evicted before.
    if (this.#newer.size >= this.size) {
      this.#older = this.#newer;
      this.#newer = new Set();
    }
    this.#newer.add(key);
  }
}
