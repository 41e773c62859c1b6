/** Order requests (API.md: order of precedence), and the ends of orders that are no payment (API.md: order table). */
import { changed, type Expectation, refused, unchanged } from './expectation.ts';
import type { CancelAct, ClaimAct, DetailsAct, TimedAct } from './history.ts';
import type { KnownItem, KnownOrder, Ledger } from './ledger.ts';

export function expectClaim(ledger: Ledger, act: ClaimAct, nowMs: number): Expectation {
  const item = ledger.items.get(act.sku);
  const phase = ledger.phaseAt(nowMs);
  if (phase === 'draft' || item === undefined) return refused('not_found');

  // I3: the key again is the order as it now stands, in every phase; another body is a conflict.
  const known = ledger.orderOfKey.get(`${act.buyerId}\n${act.key}`);
  if (known !== undefined) {
    if (known.sku !== act.sku || known.quantity !== act.quantity) return refused('idempotency_conflict');
    return { order: known, changed: false, replayed: true };
  }

  // I6
  if (phase === 'scheduled') return refused('not_open');
  if (phase === 'paused') return refused('sale_paused');
  if (phase === 'ended') return refused('sale_ended');
  if (act.purchaseKey !== ledger.purchaseKey) return refused('wrong_purchase_key');

  // I4
  const limit = ledger.rules.limitPerBuyer;
  if (limit !== null && ledger.units(act.buyerId) + act.quantity > limit) return refused('limit_reached');

  // I1, I5
  const left = ledger.orderable(item);
  if (left <= 0) return { refused: 'sold_out', availability: mayComeBack(ledger, item) ? 'all_held' : 'sold_out' };
  if (left < act.quantity) return { refused: 'not_enough', available: left };
  return changed(made(ledger, act, item, nowMs));
}

/** API.md: `all_held` where unpaid orders may give something back, `sold_out` where only the merchant could. */
const mayComeBack = (ledger: Ledger, item: KnownItem): boolean =>
  ledger.rules.deductAt === 'order' ? item.held > 0 : ledger.free(item) > 0;

function made(ledger: Ledger, act: ClaimAct, item: KnownItem, nowMs: number): KnownOrder {
  const isFree = item.priceMinor * act.quantity === 0;
  const order = {
    orderId: act.orderId,
    sku: act.sku,
    quantity: act.quantity,
    unitPriceMinor: item.priceMinor,
    buyerId: act.buyerId,
    key: act.key,
    placedAtMs: nowMs,
    expiresAtMs: isFree ? null : nowMs + ledger.rules.holdSeconds * 1000,
    paidAtMs: isFree ? nowMs : null,
    closedAtMs: null,
    details: null,
    graceUsed: false,
  };
  if (isFree)
    ledger.putPayment({
      paymentId: `free:${act.orderId}`,
      result: 'succeeded',
      orderId: act.orderId,
      amountMinor: 0,
      currency: ledger.rules.currency,
      state: 'applied',
      refund: 'none',
      pays: true,
    });
  return ledger.add(order, isFree ? 'paid' : ledger.rules.deductAt === 'order' ? 'held' : 'placed');
}

const isUnpaid = (order: KnownOrder): boolean => order.status === 'held' || order.status === 'placed';

/** I3, I5: a hold has one end, and what it had is free again. */
export function end(ledger: Ledger, order: KnownOrder, status: string, nowMs: number): KnownOrder {
  ledger.setStatus(order, status);
  order.closedAtMs = nowMs;
  return order;
}

export function expectCancel(ledger: Ledger, act: CancelAct, nowMs: number): Expectation {
  const order = ledger.orders.get(act.orderId);
  if (order === undefined || (act.buyerId !== null && act.buyerId !== order.buyerId)) return refused('not_found');
  if (order.status === 'cancelled') return unchanged(order);
  if (isUnpaid(order)) return changed(end(ledger, order, 'cancelled', nowMs));
  if (order.status !== 'paid' || act.buyerId !== null) return refused('wrong_state');
  const paying = (ledger.paymentsOf.get(order.orderId) ?? []).find((payment) => payment.pays);
  if (paying === undefined) throw new Error(`the auditor knows no payment that paid ${order.orderId}`);
  paying.refund = 'due';
  paying.pays = false;
  ledger.setStatus(order, 'refund_due', { kept: !act.returnToStock });
  order.closedAtMs = nowMs;
  return changed(order);
}

export function expectTimed(ledger: Ledger, act: TimedAct, nowMs: number): Expectation {
  const order = ledger.orders.get(act.orderId);
  if (order === undefined) return refused('not_found');
  switch (act.kind) {
    case 'expire': {
      // What the sweep found due is due, unless the end has moved since (I6: holds go by the monotonic clock too).
      const { dueAtMs = order.expiresAtMs } = act;
      const judged = act.dueAtMs === undefined ? nowMs : Number.POSITIVE_INFINITY;
      const isUp = order.expiresAtMs !== null && order.expiresAtMs === dueAtMs && dueAtMs <= judged;
      return isUnpaid(order) && isUp ? changed(end(ledger, order, 'expired', nowMs)) : unchanged(order);
    }
    case 'close_placed': {
      const item = ledger.items.get(order.sku);
      const isGone = item !== undefined && ledger.free(item) === 0;
      return order.status === 'placed' && isGone ? changed(end(ledger, order, 'refused', nowMs)) : unchanged(order);
    }
    case 'payment_started':
      return expectPaymentStarted(ledger, order, nowMs);
  }
}

/** Once, for a hold that still runs, while the sale has not ended. */
function expectPaymentStarted(ledger: Ledger, order: KnownOrder, nowMs: number): Expectation {
  if (order.status !== 'held' || order.expiresAtMs === null) return refused('wrong_state');
  if (order.graceUsed) return unchanged(order);
  if (ledger.phaseAt(nowMs) === 'ended') return refused('sale_ended');
  if (order.expiresAtMs <= nowMs) return refused('wrong_state');
  order.graceUsed = true;
  order.expiresAtMs += ledger.rules.paymentGraceSeconds * 1000;
  return changed(order);
}

export function expectDetails(ledger: Ledger, act: DetailsAct): Expectation {
  const order = ledger.orders.get(act.orderId);
  if (order === undefined || order.buyerId !== act.buyerId) return refused('not_found');
  if (order.details === act.details) return unchanged(order);
  order.details = act.details;
  return changed(order);
}
