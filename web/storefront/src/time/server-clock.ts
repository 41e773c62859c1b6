/**
 * What time it is at the server, on a device whose own clock may be hours off or be set while the page is open.
 *
 * Each reading asks `GET /v1/time` and notes the monotonic clock before and after: the server spoke somewhere in
 * between, so the middle is wrong by at most half the round trip, however unequal the two ways were. The shortest
 * round trip wins. The wall clock is looked at for one thing only: when it and the monotonic clock drift apart, the
 * device slept (its monotonic clock may have stood still) or was set, and all readings are forgotten.
 */

export interface Reading {
  /** The monotonic clock when the question left and when the answer came. */
  readonly sentMs: number;
  readonly gotMs: number;
  /** What the server said. */
  readonly serverMs: number;
}

/** Crystals of cheap phones are wrong by up to 100 millionths: an old reading is worth less than its round trip says. */
const DRIFT = 0.0001;
/** Between two looks the clocks run alike to a few milliseconds; more is a sleep or a set clock. */
const STEP_MS = 500;

export class ServerClock {
  #best: Reading | null = null;
  /** Wall clock minus monotonic clock at the last look. */
  #apartMs: number | null = null;

  /** Keeps the reading if it is better than what is known by now. */
  add(reading: Reading): void {
    if (this.#best === null || errorAt(reading, reading.gotMs) <= errorAt(this.#best, reading.gotMs))
      this.#best = reading;
  }

  /** The server's time in epoch milliseconds, or null while nobody knows. */
  at(monotonicMs: number): number | null {
    const best = this.#best;
    return best === null ? null : best.serverMs + monotonicMs - (best.sentMs + best.gotMs) / 2;
  }

  /** To be called every second or so. True when the device slept or its clock was set: readings must be taken anew. */
  hasSlept(monotonicMs: number, wallMs: number): boolean {
    const apartMs = wallMs - monotonicMs;
    const slept = this.#apartMs !== null && Math.abs(apartMs - this.#apartMs) > STEP_MS;
    this.#apartMs = apartMs;
    if (slept) this.distrust();
    return slept;
  }

  /** The next reading replaces what is known, whatever its round trip; until it comes the old one has to do. */
  distrust(): void {
    if (this.#best !== null)
      this.#best = { ...this.#best, sentMs: this.#best.sentMs - HOUR_MS, gotMs: this.#best.gotMs + HOUR_MS };
  }
}

const HOUR_MS = 3_600_000;
/** By how much a reading may be wrong at most. */
const errorAt = ({ sentMs, gotMs }: Reading, atMs: number): number =>
  (gotMs - sentMs) / 2 + Math.max(0, atMs - gotMs) * DRIFT;
