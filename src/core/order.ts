/**
 * An order and the states it can be in. The ends of a hold (paid, cancelled, expired) exclude each other (I3):
 * every transition looks at the status first, and the ledger's update repeats that look in its WHERE.
 *
 *   accepted    taken by a hot engine, not yet in the ledger          → held, refused
 *   placed      ordered with `deductAt: payment`; takes no unit yet   → paid, refund_due, cancelled, expired, refused
 *   held        a unit is held until `expiresAt`                      → paid, cancelled, expired
 *   paid        a unit is sold                                        → refund_due (merchant cancels)
 *   cancelled, expired, refused   over; a late payment               → refund_due (expired, by `retake`: paid)
 *   refund_due  money came that must go back; `refundsDue` says it    → refunded
 *   refunded    everything went back                                  → refund_due (one more payment)
 */
import type { BuyerId, BuyerKey, EpochMs, Minor, OrderId, Sku } from './scalars.ts';

export const ORDER_STATUSES = [
  'accepted',
  'placed',
  'held',
  'paid',
  'cancelled',
  'expired',
  'refused',
  'refund_due',
  'refunded',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface Order {
  readonly orderId: OrderId;
  readonly saleNo: number;
  readonly sku: Sku;
  readonly quantity: number;
  readonly unitPriceMinor: Minor;
  readonly buyerId: BuyerId;
  readonly buyerKey: BuyerKey;
  /** The Idempotency-Key that made it. */
  readonly key: string;
  readonly status: OrderStatus;
  readonly placedAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
  readonly expiresAtMs: EpochMs | null;
  readonly paidAtMs: EpochMs | null;
  readonly closedAtMs: EpochMs | null;
  /** `payment-started` has extended the hold; it does so once. */
  readonly graceUsed: boolean;
  /** Contact and delivery as JSON text, or null. */
  readonly details: string | null;
  /** Why the sweep set this order aside (a record that cannot be right), or null. */
  readonly parkedReason: string | null;
}

/** Orders whose units count against the buyer's limit (I4). */
export const countsAgainstLimit = (status: OrderStatus): boolean =>
  status === 'accepted' || status === 'placed' || status === 'held' || status === 'paid';

/** Orders that time can end. */
export const canExpire = (status: OrderStatus): boolean => status === 'held' || status === 'placed';
