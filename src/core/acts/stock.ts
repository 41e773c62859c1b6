/**
 * How a live order gives up what it has: units go back to where they came from, the buyer's limit is freed, and
 * the order gets its end. The single place where a hold ends without a payment (I3, I5).
 */
import type { Draft } from '../draft.ts';
import { invariant } from '../invariants.ts';
import { countPlaced, moveUnits } from '../item.ts';
import type { Order, OrderStatus } from '../order.ts';

/** Takes the order's units off the buyer's count. */
export function freeLimit(draft: Draft, order: Order): void {
  const units = draft.units(order.buyerKey) - order.quantity;
  invariant(units >= 0, 'I4', 'a buyer has fewer units than an order gives back', { orderId: order.orderId });
  draft.putUnits(order.buyerKey, units);
}

/** Ends a `held` or `placed` order as `end`, giving back exactly what it took. */
export function endUnpaid(draft: Draft, order: Order, end: OrderStatus): Order {
  const item = draft.item(order.sku);
  invariant(item !== undefined, 'I1', 'an order names an item that is not there', { orderId: order.orderId });
  const back =
    order.status === 'placed'
      ? countPlaced(item, -order.quantity)
      : moveUnits(item, order.quantity, { from: 'held', to: 'free' });
  draft.putItem(back);
  freeLimit(draft, order);
  return draft.putOrder(order, { status: end, closedAtMs: draft.now });
}
