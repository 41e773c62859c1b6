/** Verdicts and books as lines of text. Nothing that depends on the hour of the day: times are differences. */
import type { Item } from '../../../src/core/item.ts';
import type { Order } from '../../../src/core/order.ts';
import type { Refusal, Verdict } from '../../../src/core/outcomes.ts';
import { durationOf } from './words.ts';

/** `o1 held for 300s`, `refused not_enough (2 left)`, `sale open, version 2`. */
export function replyLineOf(verdict: Verdict): string {
  switch (verdict.outcome) {
    case 'refused':
      return `refused ${verdict.code}${aside(verdict)}`;
    case 'set_aside':
      return `set aside: ${verdict.reason}`;
    case 'order':
      return [
        orderLineOf(verdict.order) + how(verdict),
        ...verdict.refundsDue.map(
          ({ paymentId, amountMinor, currency, refundReason }) =>
            `owes ${paymentId} ${amountMinor} ${currency} (${refundReason})`,
        ),
      ].join(', ');
    case 'sale':
      return `sale ${verdict.sale.phase}${how(verdict)}, version ${verdict.sale.version}, key ${verdict.sale.purchaseKey ?? 'none'}`;
    case 'payment':
      return `payment ${verdict.payment.paymentId} ${verdict.payment.state}${how(verdict)}`;
  }
}

function aside({ availability, available, minimum }: Refusal): string {
  const parts = [
    ...(available === undefined ? [] : [`${available} left`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(availability === undefined || available !== undefined ? [] : [availability]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const how = ({ changed, replayed }: { changed: boolean; replayed: boolean }): string =>
  replayed ? ' again' : changed ? '' : ' unchanged';

function orderLineOf({ orderId, status, quantity, placedAtMs, expiresAtMs }: Order): string {
  const units = quantity === 1 ? '' : ` x${quantity}`;
  const live = status === 'held' || status === 'placed';
  const time = live && expiresAtMs !== null ? ` for ${durationOf(expiresAtMs - placedAtMs)}` : '';
  return `${orderId}${units} ${status}${time}`;
}

/** One line an item, one for what is counted against limits. */
export function booksLinesOf(items: readonly Item[], orders: readonly Order[]): string[] {
  const counted = new Map<string, number>();
  for (const { buyerKey, quantity, status } of orders)
    if (['accepted', 'placed', 'held', 'paid'].includes(status))
      counted.set(buyerKey, (counted.get(buyerKey) ?? 0) + quantity);
  const buyers = Array.from(counted, ([buyer, units]) => `${buyer} ${units}`).sort();
  return [
    ...items.map(({ sku, total, free, held, sold, placed }) => {
      const also = placed === 0 ? '' : `, placed ${placed}`;
      return `${sku}: ${total} = free ${free} + held ${held} + sold ${sold}${also}`;
    }),
    `buyers: ${buyers.length === 0 ? 'none' : buyers.join(', ')}`,
  ];
}
