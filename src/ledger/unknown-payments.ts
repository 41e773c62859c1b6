/**
 * What is decided about payments whose order nobody knows: kept once, shown, settled by a person (H021). Pure: each
 * dialect loads the rows with this id inside a transaction, asks here, and writes the payment that comes back changed.
 */
import { type PaymentAnswer, refuse, type Verdict } from '../core/outcomes.ts';
import type { Payment } from '../core/payment.ts';
import type { EpochMs } from '../core/scalars.ts';

export const paymentAnswer = (payment: Payment, how: { changed: boolean; replayed?: boolean }): PaymentAnswer => ({
  outcome: 'payment',
  payment,
  changed: how.changed,
  replayed: how.replayed ?? false,
});

/** `known`: the payment with this id and result that is on record for no known order. */
export function parkUnknown(known: Payment | undefined, payment: Payment, now: EpochMs): Verdict {
  const same =
    known !== undefined &&
    known.orderId === payment.orderId &&
    known.amountMinor === payment.amountMinor &&
    known.currency === payment.currency;
  if (known !== undefined && (same || known.state !== 'parked'))
    return same
      ? paymentAnswer(known, { changed: false, replayed: true })
      : refuse('payment_mismatch', 'This payment was reported before with another order or amount.');
  const receivedAtMs = known?.receivedAtMs ?? now;
  return paymentAnswer({ ...payment, receivedAtMs, updatedAtMs: now }, { changed: true });
}

export interface Settlement {
  readonly act: 'refund_due' | 'ignored' | 'refunded';
  readonly reason: string;
}

/** `rows`: the payments with one id that belong to no known order; at least one. */
export function settleUnknown(rows: readonly Payment[], how: Settlement, now: EpochMs): Verdict {
  if (how.act === 'refunded') {
    const owing = rows.find((each) => each.refund !== 'none');
    if (owing === undefined) return refuse('wrong_state', 'This payment owes no refund.');
    if (owing.refund === 'done') return paymentAnswer(owing, { changed: false });
    return paymentAnswer({ ...owing, refund: 'done', updatedAtMs: now }, { changed: true });
  }
  const owes = how.act === 'refund_due';
  const parked = rows.find((each) => each.state === 'parked');
  const done = rows.find((each) => each.state === 'resolved' && (each.refund !== 'none') === owes);
  if (parked === undefined)
    return done === undefined
      ? refuse('wrong_state', 'This payment is not parked.')
      : paymentAnswer(done, { changed: false });
  if (owes && (parked.result !== 'succeeded' || parked.amountMinor === null || parked.currency === null))
    return refuse('wrong_state', 'No money came with this payment; it can only be ignored.');
  const refund = owes ? ('due' as const) : ('none' as const);
  const refundReason = owes ? how.reason : null;
  return paymentAnswer({ ...parked, state: 'resolved', refund, refundReason, updatedAtMs: now }, { changed: true });
}
