/**
 * An order request, judged in the order of API.md: item, replay of the key, phase, purchase key, limit, stock; then
 * the writes. Upholds I1 (stock), I3 (one order per key), I4 (limit) and I6 (phase and end inside the step).
 */
import type { Claim } from '../act.ts';
import { availabilityOf, orderableUnits } from '../availability.ts';
import type { Draft } from '../draft.ts';
import { buyerIsWithinLimit } from '../invariants.ts';
import { countPlaced, type Item, moveUnits } from '../item.ts';
import { amountOf } from '../money.ts';
import type { Order } from '../order.ts';
import { type Refusal, refuse, type Verdict } from '../outcomes.ts';
import type { Payment } from '../payment.ts';
import { type Phase, phaseAt } from '../sale.ts';
import { addMs } from '../time.ts';
import { orderAnswer } from './answer.ts';

/** Nobody has paid for an order that has just been made, or nothing for a free one. */
const NOTHING_DUE: readonly Payment[] = [];

export function decideClaim(draft: Draft, act: Claim): Verdict {
  const item = draft.item(act.sku);
  if (item === undefined) return refuse('not_found', 'This sale has no item with that sku.');
  const known = draft.orderByKey(act.buyerId, act.key);
  if (known !== undefined) return replay(draft, act, known);

  const { sale } = draft;
  const closed = refusalOfPhase(phaseAt(sale, draft.now));
  if (closed !== null) return closed;
  if (sale.purchaseKey === null || act.purchaseKey !== sale.purchaseKey)
    return refuse('wrong_purchase_key', 'The purchase key is missing, wrong or of another sale.');
  const units = draft.units(act.buyerKey);
  if (!buyerIsWithinLimit(units + act.quantity, sale.limitPerBuyer))
    return refuse('limit_reached', `A buyer may have ${sale.limitPerBuyer} of this sale; unpaid holds count.`);
  const short = refusalOfStock(draft, item, act.quantity);
  if (short !== null) return short;

  // From here on the order is made: nothing below may refuse.
  const order = orderOf(draft, act, item);
  draft.addOrder(order);
  draft.putItem(take(item, order));
  draft.putUnits(act.buyerKey, units + act.quantity);
  if (order.status === 'paid') recordFreePayment(draft, order);
  draft.note({ actor: 'shopper', action: `order.${order.status}`, orderId: order.orderId });
  return { outcome: 'order', order, changed: true, replayed: false, refundsDue: NOTHING_DUE };
}

/** Same key, same body: the order as it now stands. The body of an order is its sku and quantity. */
function replay(draft: Draft, act: Claim, known: Order): Verdict {
  if (known.sku === act.sku && known.quantity === act.quantity)
    return orderAnswer(draft, known, { changed: false, replayed: true });
  return refuse('idempotency_conflict', 'This Idempotency-Key was used for another order.');
}

/** Why no order can be made in this phase, or null where the sale is open. */
export function refusalOfPhase(phase: Phase): Refusal | null {
  switch (phase) {
    case 'open':
      return null;
    case 'draft':
      return refuse('not_found', 'There is no such sale.');
    case 'scheduled':
      return refuse('not_open', 'The sale has not opened yet.');
    case 'paused':
      return refuse('sale_paused', 'The sale is paused.');
    case 'ended':
      return refuse('sale_ended', 'The sale has ended.');
  }
}

function refusalOfStock(draft: Draft, item: Item, quantity: number): Refusal | null {
  const available = orderableUnits(draft.sale, item);
  if (available >= quantity) return null;
  const availability = availabilityOf(draft.sale, item);
  if (available > 0) return refuse('not_enough', `Only ${available} left.`, { available, availability });
  const detail = availability === 'all_held' ? 'All units are held by other buyers just now.' : 'Sold out.';
  return refuse('sold_out', detail, { availability });
}

/** A free order is paid at once (API.md); else it is held, or only placed where payment takes the unit. */
function orderOf(draft: Draft, act: Claim, item: Item): Order {
  const { sale, now } = draft;
  const isFree = amountOf(item.priceMinor, act.quantity) === 0;
  return {
    orderId: act.orderId,
    saleNo: sale.saleNo,
    sku: act.sku,
    quantity: act.quantity,
    unitPriceMinor: item.priceMinor,
    buyerId: act.buyerId,
    buyerKey: act.buyerKey,
    key: act.key,
    status: isFree ? 'paid' : sale.deductAt === 'order' ? 'held' : 'placed',
    placedAtMs: now,
    updatedAtMs: now,
    expiresAtMs: isFree ? null : addMs(now, sale.holdSeconds * 1000),
    paidAtMs: isFree ? now : null,
    closedAtMs: null,
    graceUsed: false,
    details: null,
    parkedReason: null,
  };
}

function take(item: Item, order: Order): Item {
  if (order.status === 'placed') return countPlaced(item, order.quantity);
  return moveUnits(item, order.quantity, { from: 'free', to: order.status === 'paid' ? 'sold' : 'held' });
}

/** The zero-amount payment of a free order, so that every `paid` order has the payment that paid it. */
function recordFreePayment(draft: Draft, order: Order): void {
  draft.putPayment({
    paymentId: `free:${order.orderId}`,
    result: 'succeeded',
    orderId: order.orderId,
    saleNo: order.saleNo,
    amountMinor: amountOf(order.unitPriceMinor, 0),
    currency: draft.sale.currency,
    state: 'applied',
    reason: null,
    receivedAtMs: draft.now,
    updatedAtMs: draft.now,
    refund: 'none',
    refundReason: null,
  });
}
