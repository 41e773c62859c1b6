/** Which of a buyer's orders the page speaks of. */
import type { Order, OrderStatus } from '../api.ts';

/** What waits for something comes first, then what is owed, then what is settled. */
const RANK: readonly OrderStatus[] = ['held', 'placed', 'accepted', 'refund_due', 'paid', 'refunded'];

/** The order that counts most, the latest of its kind; null where all have ended without effect. */
export function orderToShow(orders: readonly Order[]): Order | null {
  const shown = orders.filter(({ status }) => RANK.includes(status));
  shown.sort((a, b) => RANK.indexOf(a.status) - RANK.indexOf(b.status) || (a.placedAt < b.placedAt ? 1 : -1));
  return shown[0] ?? null;
}

const COUNTS: readonly OrderStatus[] = ['accepted', 'placed', 'held', 'paid'];

/** Units that count against the buyer's limit (I4). */
export const unitsTaken = (orders: readonly Order[]): number =>
  orders.reduce((sum, { status, quantity }) => sum + (COUNTS.includes(status) ? quantity : 0), 0);

/** Waits for the buyer or the ledger: worth asking for again. */
export const isLive = (order: Order | null): order is Order =>
  order !== null && ['accepted', 'placed', 'held'].includes(order.status);

/** Has ended without effect: its view offers Buy again. */
export const isOver = (order: Order): boolean => ['cancelled', 'expired', 'refused'].includes(order.status);
