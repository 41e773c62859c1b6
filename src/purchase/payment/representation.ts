/** A payment on the wire, as the merchant reported it and what became of it. */
import type { Payment } from '../../core/payment.ts';
import { formatTime } from '../../core/time.ts';

export interface WirePayment {
  readonly paymentId: string;
  readonly orderId: string;
  readonly saleId: string | null;
  readonly result: Payment['result'];
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly state: Payment['state'];
  /** Why it is parked. */
  readonly reason: string | null;
  readonly refund: Payment['refund'];
  readonly refundReason: string | null;
  readonly receivedAt: string;
  readonly updatedAt: string;
}

export const wirePayment = (payment: Payment, saleId: string | null): WirePayment => ({
  paymentId: payment.paymentId,
  orderId: payment.orderId,
  saleId,
  result: payment.result,
  amountMinor: payment.amountMinor,
  currency: payment.currency,
  state: payment.state,
  reason: payment.reason,
  refund: payment.refund,
  refundReason: payment.refundReason,
  receivedAt: formatTime(payment.receivedAtMs),
  updatedAt: formatTime(payment.updatedAtMs),
});
