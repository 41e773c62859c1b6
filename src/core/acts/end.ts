/**
 * The ends of an order that are no payment: cancelled by buyer or merchant, expired by time, refused because the
 * last unit was paid; and the one act that puts an end off, `payment-started`. Each looks at the status first, so
 * of two that race exactly one gives the units back (I3).
 */
import type { Cancel, ClosePlaced, Expire, PaymentStarted } from '../act.ts';
import type { Draft } from '../draft.ts';
import { itemIsBalanced } from '../invariants.ts';
import { moveUnits } from '../item.ts';
import { canExpire, type Order } from '../order.ts';
import { type OrderAnswer, refuse, type SetAside, type Verdict } from '../outcomes.ts';
import { phaseAt } from '../sale.ts';
import { addMs } from '../time.ts';
import { noSuchOrder, orderAnswer } from './answer.ts';
import { owePaidAmount } from './pay.ts';
import { endUnpaid } from './stock.ts';

export function decideCancel(draft: Draft, act: Cancel): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined || (act.buyerId !== null && act.buyerId !== order.buyerId)) return noSuchOrder();
  const actor = act.buyerId === null ? 'merchant' : 'shopper';
  if (order.status === 'cancelled') return orderAnswer(draft, order, { changed: false });
  if (order.status === 'held' || order.status === 'placed') {
    const ended = endUnpaid(draft, order, 'cancelled');
    draft.note({ actor, action: 'order.cancelled', orderId: order.orderId, reason: act.reason });
    return orderAnswer(draft, ended, { changed: true });
  }
  if (order.status === 'paid' && actor === 'merchant') return cancelPaid(draft, act, order);
  return refuse(
    'wrong_state',
    `An order that is ${order.status} cannot be cancelled${actor === 'shopper' ? ' by its buyer' : ''}.`,
  );
}

/** Its units are sold and stay so, unless the merchant says that they return. */
function cancelPaid(draft: Draft, act: Cancel, order: Order): OrderAnswer {
  const ended = owePaidAmount(draft, order, act.reason ?? 'cancelled_by_merchant');
  const item = draft.item(order.sku);
  if (act.returnToStock && item !== undefined)
    draft.putItem(moveUnits(item, order.quantity, { from: 'sold', to: 'free' }));
  draft.note({
    actor: 'merchant',
    action: 'order.refund_due',
    orderId: order.orderId,
    reason: act.reason,
    change: { returnToStock: act.returnToStock },
  });
  return orderAnswer(draft, ended, { changed: true });
}

/**
 * Time is up. The ledger found the order due on both its clocks; here only an `expiresAt` that has moved since counts.
 * A record that cannot be right is set aside and does not hold up the others.
 */
export function decideExpire(draft: Draft, act: Expire): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined) return noSuchOrder();
  if (
    !canExpire(order.status) ||
    order.parkedReason !== null ||
    order.expiresAtMs === null ||
    (act.dueAtMs === undefined ? order.expiresAtMs > draft.now : order.expiresAtMs !== act.dueAtMs)
  )
    return orderAnswer(draft, order, { changed: false });
  const fault = faultOf(draft, order);
  if (fault !== null) return setAside(draft, order, fault);
  const ended = endUnpaid(draft, order, 'expired');
  draft.note({ actor: 'system', action: 'order.expired', orderId: order.orderId });
  return orderAnswer(draft, ended, { changed: true });
}

/** Why giving this order's units back would break the books, or null. */
function faultOf(draft: Draft, order: Order): string | null {
  const item = draft.item(order.sku);
  if (item === undefined) return `the sale has no item ${order.sku}`;
  if (!Number.isSafeInteger(order.quantity) || order.quantity < 1) return `its quantity is ${order.quantity}`;
  const taken = order.status === 'held' ? item.held : item.placed;
  if (!itemIsBalanced(item) || taken < order.quantity) return `the item has only ${taken} units ${order.status}`;
  if (draft.units(order.buyerKey) < order.quantity) return 'its buyer has fewer units than it holds';
  return null;
}

function setAside(draft: Draft, order: Order, reason: string): SetAside {
  draft.putOrder(order, { parkedReason: reason });
  draft.note({ actor: 'system', action: 'order.set_aside', orderId: order.orderId, reason });
  return { outcome: 'set_aside', reason };
}

/** With `deductAt: payment`, the last unit being paid ends what is still only placed. */
export function decideClosePlaced(draft: Draft, act: ClosePlaced): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined) return noSuchOrder();
  const item = draft.item(order.sku);
  if (order.status !== 'placed' || order.parkedReason !== null || item === undefined || item.free > 0)
    return orderAnswer(draft, order, { changed: false });
  const fault = faultOf(draft, order);
  if (fault !== null) return setAside(draft, order, fault);
  const ended = endUnpaid(draft, order, 'refused');
  draft.note({ actor: 'system', action: 'order.refused', orderId: order.orderId });
  return orderAnswer(draft, ended, { changed: true });
}

/** The buyer is on the payment site: once, the hold may last longer, while the sale has not ended. */
export function decidePaymentStarted(draft: Draft, act: PaymentStarted): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined) return noSuchOrder();
  if (order.status !== 'held' || order.expiresAtMs === null)
    return refuse('wrong_state', `An order that is ${order.status} cannot be extended.`);
  if (order.graceUsed) return orderAnswer(draft, order, { changed: false });
  if (phaseAt(draft.sale, draft.now) === 'ended')
    return refuse('sale_ended', 'The sale has ended; holds are not extended any more.');
  if (order.expiresAtMs <= draft.now) return refuse('wrong_state', 'The hold has run out.');
  const changed = draft.putOrder(order, {
    graceUsed: true,
    expiresAtMs: addMs(order.expiresAtMs, draft.sale.paymentGraceSeconds * 1000),
  });
  draft.note({ actor: 'merchant', action: 'order.payment_started', orderId: order.orderId });
  return orderAnswer(draft, changed, { changed: true });
}
