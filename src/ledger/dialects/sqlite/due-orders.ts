/**
 * Which holds has time ended? Those whose `expiresAt` the ledger's clock has reached and whose seconds have also
 * passed on the monotonic clock (I6). While the ledger's clock stands still, because the wall clock went back, the
 * monotonic one judges alone: a unit must not stay held for the hour that somebody set a clock back.
 *
 * After a jump ahead, every live hold is due by the one clock and none by the other; a look that had to walk past
 * many of them rests for a second, so that the writer keeps its time for orders.
 */
import type { EpochMs, OrderId } from '../../../core/scalars.ts';
import type { Database } from './driver.ts';
import type { HoldClock } from './hold-clock.ts';
import type { LedgerClock } from './ledger-clock.ts';

export interface DueOrder {
  readonly saleNo: number;
  readonly orderId: OrderId;
  readonly dueAtMs: EpochMs;
}

interface Row extends DueOrder {
  readonly seq: number;
}

const WALKED_ROWS_MAX = 2000;
const REST_MS = 1000;

export function createDueOrders(parts: { db: Database; clock: LedgerClock; holdClock: HoldClock }) {
  const { db, clock, holdClock } = parts;
  const rows = db.prepare(
    `SELECT seq, sale_no AS saleNo, order_id AS orderId, expires_at_ms AS dueAtMs FROM orders
     WHERE status IN ('held', 'placed') AND parked_reason IS NULL AND expires_at_ms <= ? ORDER BY expires_at_ms`,
  );
  let restUntilMs = Number.NEGATIVE_INFINITY;

  return function dueOrders(limit: number): DueOrder[] {
    const monotonicMs = clock.monotonicMs();
    if (monotonicMs < restUntilMs) return [];
    const horizonMs = clock.standsStill() ? holdClock.latestMs(monotonicMs) : clock.now();
    const due: DueOrder[] = [];
    let walked = 0;
    for (const row of rows.iterate(horizonMs)) {
      const { seq, saleNo, orderId, dueAtMs } = row as Row;
      if (holdClock.isDue(seq, dueAtMs, monotonicMs)) due.push({ saleNo, orderId, dueAtMs });
      else walked++;
      if (due.length >= limit) break;
    }
    if (walked > WALKED_ROWS_MAX && due.length === 0) restUntilMs = monotonicMs + REST_MS;
    return due;
  };
}
