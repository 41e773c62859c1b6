/**
 * From when until when an order kept units from others, read from its times alone, and how many units were kept at
 * the fullest moment. Lets a run be judged for every moment of it, not only for its end (I1, I4).
 */
import type { BookedOrder } from './wire.ts';

interface Lifespan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly units: number;
}

/**
 * The shortest span that the order's times allow: a hold that ran out kept its units at least until `expiresAt`.
 * Short spans can only hide an excess, never invent one, so an excess found with them is real.
 */
function lifespan(order: BookedOrder): Lifespan | null {
  const fromMs = Date.parse(order.placedAt);
  const units = order.quantity;
  switch (order.status) {
    case 'accepted':
    case 'placed':
    case 'held':
    case 'paid':
      return { fromMs, untilMs: Number.POSITIVE_INFINITY, units };
    case 'cancelled':
      return { fromMs, untilMs: order.closedAt === null ? fromMs : Date.parse(order.closedAt), units };
    case 'expired':
    case 'refund_due':
    case 'refunded':
      return { fromMs, untilMs: order.expiresAt === null ? fromMs : Date.parse(order.expiresAt), units };
    case 'refused':
      return null;
    default: {
      const never: never = order.status;
      throw new Error(`an unknown status: ${never as string}`);
    }
  }
}

/**
 * The spans of several orders; refused ones kept nothing. `shortest` is what finds an excess; `longest` (an ended
 * order kept its units until it was closed) is what finds that all units were taken at some moment.
 */
export function lifespans(orders: readonly BookedOrder[], reading: 'shortest' | 'longest' = 'shortest'): Lifespan[] {
  return orders.flatMap((order) => {
    const span = lifespan(order);
    if (span === null) return [];
    const closedAtMs = order.closedAt === null ? span.untilMs : Date.parse(order.closedAt);
    return [reading === 'longest' ? { ...span, untilMs: Math.max(span.untilMs, closedAtMs) } : span];
  });
}

/** The most units that were kept at one instant. An end and a beginning in the same millisecond do not overlap. */
export function fullestMoment(lifespans: readonly Lifespan[]): number {
  const changes = lifespans.flatMap(({ fromMs, untilMs, units }) => [
    { atMs: fromMs, units },
    { atMs: untilMs, units: -units },
  ]);
  changes.sort((a, b) => (a.atMs === b.atMs ? a.units - b.units : a.atMs - b.atMs));
  let kept = 0;
  let most = 0;
  for (const change of changes) {
    kept += change.units;
    most = Math.max(most, kept);
  }
  return most;
}
