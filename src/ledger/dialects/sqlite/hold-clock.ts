/**
 * When may time end a hold? When the ledger's clock has reached `expiresAt`, and `holdSeconds` have also passed on
 * this process's monotonic clock (I6): a wall clock that jumps ahead must not end holds that are a second old.
 *
 * Remembers by how much the two clocks differed when orders were made: one entry per change of that difference,
 * not per order. Orders from before this process go by the difference at its start.
 */
interface Span {
  /** Orders from this sequence number on were made under this difference. */
  readonly fromSeq: number;
  readonly offsetMs: number;
}

/** Smaller differences are the two clocks being read one after the other, or slewed. */
const TOLERANCE_MS = 5;
const SPANS_MAX = 4096;

export class HoldClock {
  #spans: Span[];

  /** `offsetMs`: the ledger's time minus the monotonic time, at the start. */
  constructor(offsetMs: number) {
    this.#spans = [{ fromSeq: 0, offsetMs }];
  }

  /** Orders with `seq` and later are made under this difference. Call at every batch that makes orders. */
  note(seq: number, offsetMs: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && Math.abs(last.offsetMs - offsetMs) <= TOLERANCE_MS) return;
    this.#spans.push({ fromSeq: seq, offsetMs });
    if (this.#spans.length > SPANS_MAX) this.#forgetOldest();
  }

  /** Whether the monotonic clock, too, says that this order's time is up. */
  isDue(seq: number, expiresAtMs: number, monotonicMs: number): boolean {
    return monotonicMs + this.#offsetOf(seq) >= expiresAtMs + TOLERANCE_MS;
  }

  /** No order with a later `expiresAt` can be due. */
  latestMs(monotonicMs: number): number {
    return monotonicMs + Math.max(...this.#spans.map(({ offsetMs }) => offsetMs));
  }

  #offsetOf(seq: number): number {
    let low = 0;
    let high = this.#spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#spans[middle] as Span).fromSeq <= seq) low = middle;
      else high = middle - 1;
    }
    return (this.#spans[low] as Span).offsetMs;
  }

  /** The oldest two become one, under the difference that lets holds live longer. */
  #forgetOldest(): void {
    const [first, second, ...rest] = this.#spans as [Span, Span, ...Span[]];
    this.#spans = [{ fromSeq: first.fromSeq, offsetMs: Math.min(first.offsetMs, second.offsetMs) }, ...rest];
  }
}
