/**
 * A bounded memory of what was found out lately: two maps, and when the younger is full it becomes the elder and
 * the elder is dropped. Costs one or two look-ups and never a sweep. What it forgets is merely found out again.
 */
export class TwoGenerations<K, V> {
  readonly #entriesMax: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** Holds between `entriesMax` and twice as many. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#entriesMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
