/**
 * A payment callback. Known by (paymentId, result), so repeats, concurrent copies and any order of arrival end
 * in the same books (I3). Amounts are compared exactly; what does not fit is parked, never applied.
 *
 * A success moves `held` and `placed` to `paid`; for an ended order it is taken again (`retake`) or becomes money
 * to give back. `failed` keeps the hold; `expired` ends it; after a success nothing lowers a payment.
 */
import type { Pay } from '../act.ts';
import type { Draft } from '../draft.ts';
import { buyerIsWithinLimit, invariant } from '../invariants.ts';
import { countPlaced, moveUnits } from '../item.ts';
import { amountOf } from '../money.ts';
import type { Order } from '../order.ts';
import { canExpire } from '../order.ts';
import { refuse, type Verdict } from '../outcomes.ts';
import { type Payment, paymentKeyOf } from '../payment.ts';
import { phaseAt } from '../sale.ts';
import { noSuchOrder, orderAnswer } from './answer.ts';
import { endUnpaid, freeLimit } from './stock.ts';

export function decidePay(draft: Draft, act: Pay): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined) return noSuchOrder();
  const known = draft.payment(paymentKeyOf(act.paymentId, act.result));
  // Parked and put away by a person: it was never applied, so the right figures still are.
  const isPutAway = known?.state === 'resolved' && known.refund === 'none' && figuresFit(draft, act, order);
  if (known !== undefined && known.state !== 'parked' && !isPutAway) return repeated(draft, act, order, known);
  if (!figuresFit(draft, act, order)) return park(draft, act, known);

  switch (act.result) {
    case 'succeeded':
      return succeeded(draft, act, order);
    case 'failed':
      return record(draft, act, order, { moves: false });
    case 'expired':
      return expired(draft, act, order);
  }
}

const mismatch = (detail: string): Verdict => refuse('payment_mismatch', detail);

/** The pair was dealt with before: the same facts change nothing, other facts are refused and noted. */
function repeated(draft: Draft, act: Pay, order: Order, known: Payment): Verdict {
  const same =
    known.orderId === act.orderId &&
    (act.amountMinor === null || known.amountMinor === null || act.amountMinor === known.amountMinor) &&
    (act.currency === null || known.currency === null || act.currency === known.currency);
  if (same) return orderAnswer(draft, order, { changed: false, replayed: true });
  draft.note({
    actor: 'payment',
    action: 'payment.conflict',
    orderId: act.orderId,
    paymentId: act.paymentId,
    change: { result: act.result, amountMinor: act.amountMinor, currency: act.currency },
  });
  return mismatch('This payment was reported before with another order or amount.');
}

/** Exact amount and currency; optional only where no money moved. */
function figuresFit(draft: Draft, act: Pay, order: Order): boolean {
  const amount = amountOf(order.unitPriceMinor, order.quantity);
  if (act.result === 'succeeded') return act.amountMinor === amount && act.currency === draft.sale.currency;
  return (
    (act.amountMinor === null || act.amountMinor === amount) &&
    (act.currency === null || act.currency === draft.sale.currency)
  );
}

function park(draft: Draft, act: Pay, known: Payment | undefined): Verdict {
  const same =
    known !== undefined &&
    known.orderId === act.orderId &&
    known.amountMinor === act.amountMinor &&
    known.currency === act.currency;
  if (!same) {
    put(draft, act, { state: 'parked', reason: 'amount_mismatch' });
    const { orderId, paymentId, result, amountMinor, currency } = act;
    const change = { result, amountMinor, currency };
    draft.note({ actor: 'payment', action: 'payment.parked', orderId, paymentId, change });
  }
  return mismatch('The amount or currency is not that of the order. The payment is parked.');
}

function put(draft: Draft, act: Pay, change: Partial<Payment>): Payment {
  const known = draft.payment(paymentKeyOf(act.paymentId, act.result));
  return draft.putPayment({
    paymentId: act.paymentId,
    result: act.result,
    orderId: act.orderId,
    saleNo: draft.sale.saleNo,
    amountMinor: act.amountMinor,
    currency: act.currency,
    state: 'applied',
    reason: null,
    receivedAtMs: known?.receivedAtMs ?? draft.now,
    updatedAtMs: draft.now,
    refund: 'none',
    refundReason: null,
    ...change,
  });
}

function record(draft: Draft, act: Pay, order: Order, how: { moves: boolean }): Verdict {
  put(draft, act, { state: how.moves ? 'applied' : 'ignored' });
  const action = how.moves ? `order.${order.status}` : `payment.${act.result}_noted`;
  draft.note({ actor: 'payment', action, orderId: order.orderId, paymentId: act.paymentId });
  return orderAnswer(draft, order, { changed: true });
}

function expired(draft: Draft, act: Pay, order: Order): Verdict {
  if (!canExpire(order.status)) return record(draft, act, order, { moves: false });
  return record(draft, act, endUnpaid(draft, order, 'expired'), { moves: true });
}

function succeeded(draft: Draft, act: Pay, order: Order): Verdict {
  switch (order.status) {
    case 'held':
      return markPaid(draft, act, order);
    case 'placed':
      return unitsAreFree(draft, order)
        ? markPaid(draft, act, order)
        : cameTooLate(draft, act, releasePlaced(draft, order), 'no_unit_left');
    case 'expired':
      return mayRetake(draft, order) ? retake(draft, act, order) : cameTooLate(draft, act, order, 'paid_after_expiry');
    case 'cancelled':
      return cameTooLate(draft, act, order, 'paid_after_cancel');
    case 'refused':
      return cameTooLate(draft, act, order, 'paid_after_refusal');
    case 'paid':
      return secondPayment(draft, act, order);
    case 'refund_due':
    case 'refunded':
      return cameTooLate(draft, act, order, 'paid_again');
    case 'accepted':
      // The ledger has no row for an accepted order; one here would be a bug of the caller.
      invariant(false, 'I2', 'an accepted order stands in the ledger', { orderId: order.orderId });
  }
}

function unitsAreFree(draft: Draft, order: Order): boolean {
  const item = draft.item(order.sku);
  return item !== undefined && item.free >= order.quantity;
}

/** `held` or `placed` to `paid`: the unit moves to sold, from where the status says it is. */
function markPaid(draft: Draft, act: Pay, order: Order): Verdict {
  const item = draft.item(order.sku);
  invariant(item !== undefined, 'I1', 'an order names an item that is not there', { orderId: order.orderId });
  if (order.status === 'placed')
    draft.putItem(moveUnits(countPlaced(item, -order.quantity), order.quantity, { from: 'free', to: 'sold' }));
  else draft.putItem(moveUnits(item, order.quantity, { from: order.status === 'held' ? 'held' : 'free', to: 'sold' }));
  const paid = draft.putOrder(order, { status: 'paid', paidAtMs: draft.now, closedAtMs: null });
  return record(draft, act, paid, { moves: true });
}

/** A placed order whose units are gone: it stops counting before its money is sent back. */
function releasePlaced(draft: Draft, order: Order): Order {
  return endUnpaid(draft, order, 'refused');
}

/** A late success is taken again only while an order could still be made: open, within the limit, units free. */
function mayRetake(draft: Draft, order: Order): boolean {
  const { sale } = draft;
  if (sale.latePayment !== 'retake' || phaseAt(sale, draft.now) !== 'open') return false;
  const units = draft.units(order.buyerKey) + order.quantity;
  return buyerIsWithinLimit(units, sale.limitPerBuyer) && unitsAreFree(draft, order);
}

function retake(draft: Draft, act: Pay, order: Order): Verdict {
  draft.putUnits(order.buyerKey, draft.units(order.buyerKey) + order.quantity);
  return markPaid(draft, act, order);
}

/** Money without a unit: the order owes a refund, with amount and reason. */
function cameTooLate(draft: Draft, act: Pay, order: Order, reason: string): Verdict {
  put(draft, act, { refund: 'due', refundReason: reason });
  const changed = draft.putOrder(order, { status: 'refund_due', closedAtMs: order.closedAtMs ?? draft.now });
  draft.note({
    actor: 'payment',
    action: 'order.refund_due',
    orderId: order.orderId,
    paymentId: act.paymentId,
    reason,
  });
  return orderAnswer(draft, changed, { changed: true });
}

/** A second capture of a paid order: the order stays paid, the second amount must go back. */
function secondPayment(draft: Draft, act: Pay, order: Order): Verdict {
  put(draft, act, { refund: 'due', refundReason: 'second_payment' });
  const changed = draft.putOrder(order, {});
  draft.note({
    actor: 'payment',
    action: 'payment.refund_due',
    orderId: order.orderId,
    paymentId: act.paymentId,
    reason: 'second_payment',
  });
  return orderAnswer(draft, changed, { changed: true });
}

/** Used by the merchant's cancel of a paid order: the payment that paid it must go back. */
export function owePaidAmount(draft: Draft, order: Order, reason: string): Order {
  const paying = draft
    .paymentsOf(order.orderId)
    .find((payment) => payment.result === 'succeeded' && payment.state === 'applied' && payment.refund === 'none');
  invariant(paying !== undefined, 'I3', 'a paid order has no payment that paid it', { orderId: order.orderId });
  draft.putPayment({ ...paying, refund: 'due', refundReason: reason, updatedAtMs: draft.now });
  freeLimit(draft, order);
  return draft.putOrder(order, { status: 'refund_due', closedAtMs: draft.now });
}
