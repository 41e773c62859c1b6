/**
 * Seeded randomness for a rehearsal: the same seed gives the same cast of shoppers with the same habits.
 * What the network and the server do in between is not seeded, so a run repeats in kind, not to the millisecond.
 * Called by the cast and by each shopper, who gets a generator of their own, so that the order in which
 * answers arrive changes nobody's habits.
 */

const WORD = 0x1_0000_0000;

/** Mulberry32: one 32-bit word of state, ample for habits and pauses. Never used for a secret. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / WORD;
  }

  /** A number from `least` up to `most`. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** True with the given probability (0 to 1). */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A 32-bit word, fit as the seed of another generator. */
  word(): number {
    return Math.floor(this.next() * WORD);
  }

  /** `bytes` random bytes as lower-case hexadecimal. */
  hex(bytes: number): string {
    let text = '';
    while (text.length < bytes * 2) text += this.word().toString(16).padStart(8, '0');
    return text.slice(0, bytes * 2);
  }

  /** One of the names, in proportion to their weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }
}
