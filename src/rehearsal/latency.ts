/**
 * How long people waited, in HDR histograms of microseconds. Always counted from the instant at which the request
 * was meant to leave, not from when a free connection let it: a client that queues behind a frozen server must
 * show that wait (coordinated omission).
 */
import { build, type Histogram } from 'hdr-histogram-js';

export interface LatencySummary {
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Waits past ten minutes are counted as ten minutes. */
const LONGEST_US = 600_000_000;

export class Latency {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: LONGEST_US,
    numberOfSignificantValueDigits: 3,
  });

  /** Records the wait from an intended instant to now; both on `performance.now()`'s clock, in milliseconds. */
  since(intendedAtMs: number): void {
    const waitUs = Math.round((performance.now() - intendedAtMs) * 1000);
    this.#histogram.recordValue(Math.min(Math.max(waitUs, 1), LONGEST_US));
  }

  summary(): LatencySummary {
    const at = (percentile: number): number => this.#histogram.getValueAtPercentile(percentile) / 1000;
    const count = this.#histogram.totalCount;
    return {
      count,
      p50Ms: at(50),
      p90Ms: at(90),
      p99Ms: at(99),
      maxMs: count === 0 ? 0 : this.#histogram.maxValue / 1000,
    };
  }
}
