/**
 * The embedded ledger's clock: the wall clock, never below the last committed time (I6), so that order times and
 * the audit chain never run backwards. Lives in the writer; one instance per process.
 */
import type { EpochMs } from '../../../core/scalars.ts';
import type { Clock } from '../../../kit/clock.ts';

export class LedgerClock {
  readonly #clock: Clock;
  #lastMs: number;

  /** `lastMs`: the time of the last commit, from the ledger. */
  constructor(clock: Clock, lastMs: number) {
    this.#clock = clock;
    this.#lastMs = lastMs;
  }

  now(): EpochMs {
    return Math.max(this.#clock.wallMs(), this.#lastMs) as EpochMs;
  }

  /** The wall clock is behind what was committed: it was set back, and time stands still until it has caught up. */
  standsStill(): boolean {
    return this.#clock.wallMs() < this.#lastMs;
  }

  committed(atMs: EpochMs): void {
    this.#lastMs = Math.max(this.#lastMs, atMs);
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  /** The ledger's time minus the monotonic one. */
  offset(now: EpochMs = this.now()): number {
    return now - this.#clock.monotonicMs();
  }
}
