/**
 * Money that goes back: the merchant says which refund was made, or decides on a payment that was parked. An
 * order that owes nothing any more is `refunded`; one that is paid stays paid.
 */
import type { Refunded, ResolvePayment } from '../act.ts';
import type { Draft } from '../draft.ts';
import type { Order } from '../order.ts';
import { refuse, type Verdict } from '../outcomes.ts';
import { noSuchOrder, orderAnswer, refundsDueOf } from './answer.ts';

export function decideRefunded(draft: Draft, act: Refunded): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined) return noSuchOrder();
  const payment = draft
    .paymentsOf(order.orderId)
    .find((each) => each.paymentId === act.paymentId && each.refund !== 'none');
  if (payment === undefined) return refuse('wrong_state', 'This order owes no refund of that payment.');
  if (payment.refund === 'done') return orderAnswer(draft, order, { changed: false });

  draft.putPayment({ ...payment, refund: 'done', updatedAtMs: draft.now });
  const owesNothing = refundsDueOf(draft, order).length === 0;
  const status = order.status === 'refund_due' && owesNothing ? 'refunded' : order.status;
  const changed = draft.putOrder(order, { status });
  draft.note({
    actor: 'merchant',
    action: status === 'refunded' ? 'order.refunded' : 'payment.refunded',
    orderId: order.orderId,
    paymentId: act.paymentId,
    reason: act.reason,
  });
  return orderAnswer(draft, changed, { changed: true });
}

/** A parked payment of a known order: its money goes back, or it is put away. A live order is not touched. */
export function decideResolvePayment(draft: Draft, act: ResolvePayment): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined) return noSuchOrder();
  const mine = draft.paymentsOf(order.orderId).filter((each) => each.paymentId === act.paymentId);
  const parked = mine.find((each) => each.state === 'parked');
  if (parked === undefined) {
    const isDone = mine.some(
      (each) => each.state === 'resolved' && (each.refund !== 'none') === (act.as === 'refund_due'),
    );
    return isDone
      ? orderAnswer(draft, order, { changed: false })
      : refuse('wrong_state', 'This payment is not parked.');
  }
  const owes = act.as === 'refund_due';
  if (owes && (parked.result !== 'succeeded' || parked.amountMinor === null || parked.currency === null))
    return refuse('wrong_state', 'No money came with this payment; it can only be ignored.');
  draft.putPayment({
    ...parked,
    state: 'resolved',
    refund: owes ? 'due' : 'none',
    refundReason: owes ? act.reason : null,
    updatedAtMs: draft.now,
  });
  draft.note({
    actor: 'merchant',
    action: owes ? 'payment.refund_due' : 'payment.ignored',
    orderId: order.orderId,
    paymentId: act.paymentId,
    reason: act.reason,
  });
  return orderAnswer(draft, draft.putOrder(order, owes ? owing(order) : {}), { changed: true });
}

/** An order that is over owes from now on; a live one keeps its status beside the entry. */
function owing(order: Order): Partial<Order> {
  switch (order.status) {
    case 'expired':
    case 'cancelled':
    case 'refused':
    case 'refunded':
      return { status: 'refund_due' };
    default:
      return {};
  }
}
