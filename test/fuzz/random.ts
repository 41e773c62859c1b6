/**
 * The one source of chance of the bad-input test: the same seed gives the same requests in the same order. Never
 * uses Math.random, so that a failure can be had again with DOORBUSTER_SEED.
 */

/** splitmix32: small, fast, and every seed is a good one. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 <= x < 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.integer(0, list.length - 1)] as T;
  }

  /** Picks by weight: `[weight, value]` rows. */
  weighted<T>(rows: readonly (readonly [number, T])[]): T {
    const sum = rows.reduce((total, [weight]) => total + weight, 0);
    let left = this.next() * sum;
    for (const [weight, value] of rows) {
      left -= weight;
      if (left < 0) return value;
    }
    return (rows.at(-1) as readonly [number, T])[1];
  }

  bytes(length: number): Buffer {
    const buffer = Buffer.alloc(length);
    for (let at = 0; at < length; at++) buffer[at] = this.integer(0, 255);
    return buffer;
  }
}
