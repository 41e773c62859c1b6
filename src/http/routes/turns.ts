/** One after the other by key: what reads, thinks and writes must not overlap with another of its kind. */
export class Turns<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  /** Runs `work` when those before it under this key have ended, well or badly. */
  take<T>(key: K, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const leave = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(leave, leave);
    return mine;
  }
}
