/**
 * An engine with an eye on it: batches that fail are logged (once a second at most, with a count), and for a while
 * after one that the books could not take the process counts as unready, so that a balancer sends its shoppers
 * elsewhere. Readiness comes back by itself; the next batch is the probe.
 */
import type { Engine } from '../inventory/contract.ts';
import { OperatingError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';

/** Long enough for a balancer to notice, short enough that space freed on a disk is used soon. */
const UNREADY_MS = 5000;
const LOG_EVERY_MS = 1000;

export interface WatchedEngine extends Engine {
  /** Whether the last batch failed, and lately. */
  isFailing(): boolean;
}

export function watchEngine(engine: Engine, parts: { log: Log; monotonicMs: () => number }): WatchedEngine {
  const { log, monotonicMs } = parts;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let unlogged = 0;

  const note = (error: unknown, saleNo: number): void => {
    const now = monotonicMs();
    if (error instanceof OperatingError && error.code === 'unavailable') failedAtMs = now;
    unlogged += 1;
    if (now - loggedAtMs < LOG_EVERY_MS) return;
    log.error({ err: error, saleNo, batches: unlogged }, 'the ledger did not take a batch');
    loggedAtMs = now;
    unlogged = 0;
  };

  return {
    ...(engine.keepsOrder === undefined ? {} : { keepsOrder: engine.keepsOrder }),
    open: (saleNo) => engine.open(saleNo),
    levels: (saleNo) => engine.levels(saleNo),
    close: () => engine.close(),
    act: async (batch) => {
      try {
        const result = await engine.act(batch);
        failedAtMs = Number.NEGATIVE_INFINITY;
        return result;
      } catch (error) {
        note(error, batch.saleNo);
        throw error;
      }
    },
    isFailing: () => monotonicMs() - failedAtMs < UNREADY_MS,
  };
}
