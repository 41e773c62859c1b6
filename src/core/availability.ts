/**
 * What a shopper is told about an item: can it be ordered, is everything held (and may come back), or is it
 * gone. One rule for the verdict, the state file and the latch, so that they never contradict each other (I5).
 */
import { type Item, placeableMax } from './item.ts';
import type { Availability } from './outcomes.ts';
import type { Sale } from './sale.ts';

/** Units that an order could still get: what is free, and with `deductAt: payment` also what may still be placed. */
export function orderableUnits(sale: Pick<Sale, 'deductAt' | 'overAdmit'>, item: Item): number {
  if (sale.deductAt === 'order') return item.free;
  const room = placeableMax(item.total, sale.overAdmit) - item.placed - item.sold;
  return Math.max(0, Math.min(item.free, room));
}

/** `all_held`: nothing now, unpaid orders may give units back. `sold_out`: only the merchant could. */
export function availabilityOf(sale: Pick<Sale, 'deductAt' | 'overAdmit'>, item: Item): Availability {
  if (orderableUnits(sale, item) > 0) return 'available';
  const mayComeBack = item.held > 0 || item.free > 0;
  return mayComeBack ? 'all_held' : 'sold_out';
}
