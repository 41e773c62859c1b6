/**
 * The ledger's time as this process knows it, for `/v1/time`, state files and schedules. Embedded, that is the wall
 * clock of this machine; with a database, the database's clock, measured against the monotonic one, so that a wall
 * clock that is wrong or is set changes nothing. Never below a time that the ledger has committed (I6).
 */
import type { Watch } from '../core/books.ts';
import type { EpochMs } from '../core/scalars.ts';
import type { Clock } from '../kit/clock.ts';

/** At least once a minute is asked of us; drift of a poor quartz in this time: about a millisecond. */
const MEASURE_EVERY_MS = 15_000;

/** Above this the operator should know; the database's clock decides all the same. */
export const SKEW_ALARM_MS = 200;
/** Above this something is set wrong, and buyers' tokens would expire at the wrong time: no sale is opened by hand. */
export const SKEW_LIMIT_MS = 60_000;

export class LedgerTime {
  readonly #clock: Clock;
  readonly #watch: Pick<Watch, 'clockOffset'> | null;
  readonly #onFault: (error: unknown) => void;
  readonly #onSkew: (skewMs: number, isAlarm: boolean) => void;
  #isSkewed = false;
  #offsetMs: number | null = null;
  #lastMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: {
    clock: Clock;
    /** Null: the wall clock is the ledger's. */
    watch: Pick<Watch, 'clockOffset'> | null;
    lastMs: number;
    onFault: (error: unknown) => void;
    /** The two clocks have come to differ by more than the alarm, or no longer do. */
    onSkew: (skewMs: number, isAlarm: boolean) => void;
  }) {
    this.#clock = parts.clock;
    this.#watch = parts.watch;
    this.#lastMs = parts.lastMs;
    this.#onFault = parts.onFault;
    this.#onSkew = parts.onSkew;
  }

  now(): EpochMs {
    const ms = this.#offsetMs === null ? this.#clock.wallMs() : Math.floor(this.#clock.monotonicMs() + this.#offsetMs);
    return Math.max(ms, this.#lastMs) as EpochMs;
  }

  /** A batch was committed at this time. */
  committed(atMs: number): void {
    if (atMs > this.#lastMs) this.#lastMs = atMs;
  }

  /** This machine's wall clock minus the ledger's, milliseconds; 0 where they are one. */
  skewMs(): number {
    if (this.#offsetMs === null) return 0;
    return this.#clock.wallMs() - (this.#clock.monotonicMs() + this.#offsetMs);
  }

  /** Resolves when the time is known; rejects where it cannot be. */
  async start(): Promise<void> {
    if (this.#watch === null) return;
    await this.#measure(this.#watch);
    this.#timer = setInterval(() => this.#again(), MEASURE_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #measure(watch: Pick<Watch, 'clockOffset'>): Promise<void> {
    this.#offsetMs = (await watch.clockOffset()).offsetMs;
    const isSkewed = Math.abs(this.skewMs()) > SKEW_ALARM_MS;
    if (isSkewed !== this.#isSkewed) this.#onSkew(this.skewMs(), isSkewed);
    this.#isSkewed = isSkewed;
  }

  /** While the database is away the last measurement is the best there is. */
  #again(): void {
    if (this.#watch !== null) this.#measure(this.#watch).catch(this.#onFault);
  }
}
