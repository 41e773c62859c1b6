/**
 * Whether a token was seen lately, as a bit more than a guess: one number a slot, no allocation. A stampede brings a
 * million tokens once each, and remembering those would only keep the garbage collector busy; what comes a second time is worth
 * a place in memory. A wrong "yes" costs a place, a wrong "no" a verification; neither decides anything.
 */
const SLOTS = 65_536;

export class SeenBefore {
  readonly #slots = new Uint32Array(SLOTS);

  /** Takes note of the mark; true where it was there already. */
  note(mark: number): boolean {
    const slot = mark & (SLOTS - 1);
    const seen = this.#slots[slot] === mark;
    this.#slots[slot] = mark;
    return seen;
  }
}

/** A mark of a token: its last characters, which are its signature's and so as good as random. Never 0. */
export function markOf(token: string): number {
  let mark = 0x811c9dc5;
  for (let at = Math.max(0, token.length - 12); at < token.length; at++)
    mark = Math.imul(mark ^ token.charCodeAt(at), 0x01000193);
  return (mark | 1) >>> 0;
}
