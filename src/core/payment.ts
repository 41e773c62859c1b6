/**
 * A payment as the shop's backend reports it, and what the ledger made of it. Known by (paymentId, result):
 * the same pair again changes nothing (I3). A parked one waits for right figures, for its order, or for a person.
 *
 *   applied   moved an order, or is money that must go back (see refund)
 *   ignored   legal to send, changed nothing (a late `failed`, a second `expired`)
 *   parked    could not be applied: amount_mismatch, unknown_order            → applied, resolved
 *   resolved  a person decided on a parked one
 */
import type { EpochMs, Minor, OrderId } from './scalars.ts';

export type PaymentResult = 'succeeded' | 'failed' | 'expired';
export type PaymentState = 'applied' | 'ignored' | 'parked' | 'resolved';
export type RefundState = 'none' | 'due' | 'done';

export interface Payment {
  readonly paymentId: string;
  readonly result: PaymentResult;
  /** As sent; for an unknown order it names nothing we have. */
  readonly orderId: OrderId;
  /** The sale of the order, or null while the order is unknown. */
  readonly saleNo: number | null;
  readonly amountMinor: Minor | null;
  readonly currency: string | null;
  readonly state: PaymentState;
  readonly reason: string | null;
  readonly receivedAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
  readonly refund: RefundState;
  readonly refundReason: string | null;
}

export const paymentKeyOf = (paymentId: string, result: PaymentResult): string => `${result}\n${paymentId}`;
