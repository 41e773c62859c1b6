/** The answers that several acts give: the order as it now stands, and "no such order". */
import type { Draft } from '../draft.ts';
import type { Order } from '../order.ts';
import { type OrderAnswer, type Refusal, refuse } from '../outcomes.ts';
import type { Payment } from '../payment.ts';

export function orderAnswer(draft: Draft, order: Order, how: { changed: boolean; replayed?: boolean }): OrderAnswer {
  return {
    outcome: 'order',
    order,
    changed: how.changed,
    replayed: how.replayed ?? false,
    refundsDue: refundsDueOf(draft, order),
  };
}

/** Only an order that was paid, or that money reached too late, can owe a refund; a fresh hold is not searched. */
export function refundsDueOf(draft: Draft, order: Order): Payment[] {
  return draft.paymentsOf(order.orderId).filter((payment) => payment.refund === 'due');
}

export const noSuchOrder = (): Refusal => refuse('not_found', 'There is no such order.');
