/**
 * An order on the wire: to its buyer, and to the merchant, who also sees whose it is and the details. Field names
 * and their meaning are the contract's; times are RFC 3339, money is in minor units beside its currency.
 */
import type { OrderRow } from '../../core/books.ts';
import { amountOf } from '../../core/money.ts';
import type { Order } from '../../core/order.ts';
import type { Payment } from '../../core/payment.ts';
import { formatTime, formatTimeOrNull } from '../../core/time.ts';

export interface RefundDue {
  readonly paymentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reason: string;
}

export interface WireOrder {
  readonly orderId: string;
  readonly saleId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly unitPriceMinor: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: Order['status'];
  readonly placedAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string | null;
  readonly paidAt: string | null;
  readonly closedAt: string | null;
  readonly refundsDue: readonly RefundDue[];
}

export interface MerchantWireOrder extends WireOrder {
  readonly buyerId: string;
  readonly details: unknown;
}

const refundDue = (payment: Payment): RefundDue => ({
  paymentId: payment.paymentId,
  amountMinor: payment.amountMinor ?? 0,
  currency: payment.currency ?? '',
  reason: payment.refundReason ?? '',
});

export function orderForBuyer({ order, saleId, currency, refundsDue }: OrderRow): WireOrder {
  return {
    orderId: order.orderId,
    saleId,
    sku: order.sku,
    quantity: order.quantity,
    unitPriceMinor: order.unitPriceMinor,
    amountMinor: amountOf(order.unitPriceMinor, order.quantity),
    currency,
    status: order.status,
    placedAt: formatTime(order.placedAtMs),
    updatedAt: formatTime(order.updatedAtMs),
    expiresAt: formatTimeOrNull(order.expiresAtMs),
    paidAt: formatTimeOrNull(order.paidAtMs),
    closedAt: formatTimeOrNull(order.closedAtMs),
    refundsDue: refundsDue.map(refundDue),
  };
}

export const orderForMerchant = (row: OrderRow): MerchantWireOrder => ({
  ...orderForBuyer(row),
  buyerId: row.order.buyerId,
  details: row.order.details === null ? null : JSON.parse(row.order.details),
});
