/**
 * The one attempt to buy that a buyer has in a sale, kept beyond the page: its idempotency key outlives reloads, lost
 * answers and closed tabs, and a second tab finds it and asks with the same one, so that all of them make one order.
 *
 *   none      → pending  by Buy                         (a fresh key)
 *   pending   → pending  by Buy in another tab, a reload, a lost answer, a wait (the same key)
 *   pending   → done     an order came back             (kept a while, for the tab that pressed a moment later)
 *   pending   → none     a final refusal took nothing
 *   done      → pending  by Buy, once the moment or the order is over (a fresh key)
 */

export interface Attempt {
  readonly key: string;
  readonly sku: string;
  readonly quantity: number;
  /** When the server may be asked again, by its clock; 0 when at once. */
  readonly notBeforeMs: number;
  /** The order that it made, and the device's clock then: only ever compared with the same clock in another tab. */
  readonly orderId: string | null;
  readonly doneAtMs: number;
}

/** As Storage has them; a browser may refuse to keep anything, then this page remembers alone. */
export interface Kept {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

export interface Wanted {
  readonly sku: string;
  readonly quantity: number;
  /** The device's clock at the press. */
  readonly pressedAtMs: number;
  /** Presses closer together than this are one. */
  readonly everyMs: number;
}

/** What to do with a press: ask with this attempt's key, or show the order that another tab has just made. */
export type Claim =
  | { readonly kind: 'ask'; readonly attempt: Attempt }
  | { readonly kind: 'show'; readonly orderId: string };

export class Attempts {
  readonly #kept: Kept;
  readonly #name: string;
  readonly #newKey: () => string;

  constructor(kept: Kept, name: string, newKey: () => string) {
    this.#kept = kept;
    this.#name = name;
    this.#newKey = newKey;
  }

  /** To be called under a lock that all tabs share. */
  claim({ sku, quantity, pressedAtMs, everyMs }: Wanted): Claim {
    const known = this.read();
    if (known !== null && known.orderId === null) return { kind: 'ask', attempt: known };
    const sincePressMs = pressedAtMs - (known?.doneAtMs ?? Number.NEGATIVE_INFINITY);
    // Also a clock that was set back in between: better one order too few than one too many.
    if (known?.orderId && Math.abs(sincePressMs) < everyMs) return { kind: 'show', orderId: known.orderId };
    const attempt = { key: this.#newKey(), sku, quantity, notBeforeMs: 0, orderId: null, doneAtMs: 0 };
    this.#write(attempt);
    return { kind: 'ask', attempt };
  }

  read(): Attempt | null {
    try {
      const text = this.#kept.getItem(this.#name);
      return text === null ? null : (JSON.parse(text) as Attempt);
    } catch {
      return null;
    }
  }

  /** The attempt in work, if there is one. */
  pending(): Attempt | null {
    const known = this.read();
    return known?.orderId === null ? known : null;
  }

  /** Only if it is still the attempt of this key: another tab may have gone on. */
  wait(key: string, notBeforeMs: number): void {
    const known = this.read();
    if (known?.key === key) this.#write({ ...known, notBeforeMs });
  }

  done(key: string, orderId: string, doneAtMs: number): void {
    const known = this.read();
    if (known === null || known.key === key) this.#write({ ...(known ?? EMPTY), key, orderId, doneAtMs });
  }

  drop(key: string): void {
    if (this.read()?.key === key) this.#kept.removeItem(this.#name);
  }

  /** An order that has ended is nobody's answer to a press: the press is a new try. */
  forgetEnded(orderIds: readonly string[]): void {
    if (orderIds.includes(this.read()?.orderId ?? '')) this.#kept.removeItem(this.#name);
  }

  #write(attempt: Attempt): void {
    this.#kept.setItem(this.#name, JSON.stringify(attempt));
  }
}

const EMPTY = { sku: '', quantity: 1, notBeforeMs: 0 };
