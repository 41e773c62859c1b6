/** Payments, refunds and decisions on parked ones (API.md: order table, Merchant, Payments). */
import { changed, type Expectation, refused, unchanged } from './expectation.ts';
import type { PayAct, RefundedAct, ResolveAct } from './history.ts';
import type { KnownOrder, KnownPayment, Ledger } from './ledger.ts';
import { end } from './orders.ts';

export function expectPay(ledger: Ledger, act: PayAct, nowMs: number): Expectation {
  const order = ledger.orders.get(act.orderId);
  if (order === undefined) return refused('not_found');
  const known = ledger.payments.get(`${act.paymentId}\n${act.result}`);
  // I3: one payment result, one transition. One that was never applied (parked, or parked and put away) does not use
  // its id up: API.md refuses other figures "after one was applied".
  const isPutAway = known?.state === 'resolved' && known.refund === 'none' && fits(ledger, order, act);
  if (known !== undefined && known.state !== 'parked' && !isPutAway)
    return isSame(known, act) ? { order, changed: false, replayed: true } : refused('payment_mismatch');
  if (!fits(ledger, order, act)) {
    if (known === undefined || !isSameToTheLetter(known, act)) note(ledger, act, 'parked');
    return refused('payment_mismatch');
  }
  const payment = note(ledger, act, 'applied');
  if (act.result === 'succeeded') return success(ledger, order, payment, nowMs);
  const isUnpaid = order.status === 'held' || order.status === 'placed';
  if (act.result === 'expired' && isUnpaid) end(ledger, order, 'expired', nowMs);
  return changed(order);
}

const isSame = (known: KnownPayment, act: PayAct): boolean =>
  known.orderId === act.orderId &&
  (act.amountMinor === null || known.amountMinor === null || act.amountMinor === known.amountMinor) &&
  (act.currency === null || known.currency === null || act.currency === known.currency);

const isSameToTheLetter = (known: KnownPayment, act: PayAct): boolean =>
  known.orderId === act.orderId && known.amountMinor === act.amountMinor && known.currency === act.currency;

/** Exact amount and currency; both optional where no money moved. */
function fits(ledger: Ledger, order: KnownOrder, act: PayAct): boolean {
  const mayLack = act.result !== 'succeeded';
  const amount = order.unitPriceMinor * order.quantity;
  const amountFits = act.amountMinor === amount || (mayLack && act.amountMinor === null);
  const currencyFits = act.currency === ledger.rules.currency || (mayLack && act.currency === null);
  return amountFits && currencyFits;
}

const note = (ledger: Ledger, act: PayAct, state: KnownPayment['state']): KnownPayment =>
  ledger.putPayment({
    paymentId: act.paymentId,
    result: act.result,
    orderId: act.orderId,
    amountMinor: act.amountMinor,
    currency: act.currency,
    state,
    refund: 'none',
    pays: false,
  });

function success(ledger: Ledger, order: KnownOrder, payment: KnownPayment, nowMs: number): Expectation {
  const { status } = order;
  const canPay =
    status === 'held' ||
    (status === 'placed' && unitsAreFree(ledger, order)) ||
    (status === 'expired' && mayRetake(ledger, order, nowMs));
  if (canPay) {
    payment.pays = true;
    order.paidAtMs = nowMs;
    order.closedAtMs = null;
    ledger.setStatus(order, 'paid');
    return changed(order);
  }
  payment.refund = 'due';
  if (status === 'paid') return changed(order);
  ledger.setStatus(order, 'refund_due');
  order.closedAtMs ??= nowMs;
  return changed(order);
}

function unitsAreFree(ledger: Ledger, order: KnownOrder): boolean {
  const item = ledger.items.get(order.sku);
  return item !== undefined && ledger.free(item) >= order.quantity;
}

/** Only while an order could still be made: I6 (not after `pause` or the end), I4, I1. */
function mayRetake(ledger: Ledger, order: KnownOrder, nowMs: number): boolean {
  const { latePayment, limitPerBuyer } = ledger.rules;
  const isWithinLimit = limitPerBuyer === null || ledger.units(order.buyerId) + order.quantity <= limitPerBuyer;
  return latePayment === 'retake' && ledger.phaseAt(nowMs) === 'open' && isWithinLimit && unitsAreFree(ledger, order);
}

/** Clears one entry; with the last one a `refund_due` order is `refunded`, a paid one stays paid. */
export function expectRefunded(ledger: Ledger, act: RefundedAct): Expectation {
  const order = ledger.orders.get(act.orderId);
  if (order === undefined) return refused('not_found');
  const payments = ledger.paymentsOf.get(order.orderId) ?? [];
  const owed = payments.find((payment) => payment.paymentId === act.paymentId && payment.refund !== 'none');
  if (owed === undefined) return refused('wrong_state');
  if (owed.refund === 'done') return unchanged(order);
  owed.refund = 'done';
  if (order.status === 'refund_due' && ledger.refundsDue(order.orderId).length === 0)
    ledger.setStatus(order, 'refunded');
  return changed(order);
}

const OVER = ['expired', 'cancelled', 'refused', 'refunded'];

/** Adds a refund entry, without changing a live order; or puts the payment away. */
export function expectResolve(ledger: Ledger, act: ResolveAct): Expectation {
  const order = ledger.orders.get(act.orderId);
  if (order === undefined) return refused('not_found');
  const payments = (ledger.paymentsOf.get(order.orderId) ?? []).filter((each) => each.paymentId === act.paymentId);
  const parked = payments.find((payment) => payment.state === 'parked');
  const owes = act.as === 'refund_due';
  if (parked === undefined) {
    const isSaidAgain = payments.some((each) => each.state === 'resolved' && (each.refund !== 'none') === owes);
    return isSaidAgain ? unchanged(order) : refused('wrong_state');
  }
  const broughtMoney = parked.result === 'succeeded' && parked.amountMinor !== null && parked.currency !== null;
  if (owes && !broughtMoney) return refused('wrong_state');
  parked.state = 'resolved';
  if (owes) parked.refund = 'due';
  if (owes && OVER.includes(order.status)) ledger.setStatus(order, 'refund_due');
  return changed(order);
}
