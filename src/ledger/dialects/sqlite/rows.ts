/**
 * Rows of the embedded ledger and core types, both ways. A column list and its reader stand side by side, so that
 * a new column is one edit. Nothing here decides anything.
 */
import type { Item } from '../../../core/item.ts';
import type { Order } from '../../../core/order.ts';
import type { Payment } from '../../../core/payment.ts';
import type { Sale, SaleSettings } from '../../../core/sale.ts';
import type { SqlValue } from './driver.ts';
import type { RowsInto } from './insert-rows.ts';

type Flat<T> = { [K in keyof T]: T[K] extends boolean ? 0 | 1 : T[K] };

export const SALE_COLUMNS = `sale_no AS saleNo, sale_id AS saleId, phase, version, purchase_key AS purchaseKey, settings,
  created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs`;

type SaleRow = Omit<Sale, keyof SaleSettings> & { readonly settings: string };

export function saleOf(row: unknown): Sale {
  const { settings, ...sale } = row as SaleRow;
  return { ...(JSON.parse(settings) as SaleSettings), ...sale };
}

export function settingsOf(sale: Sale): SaleSettings {
  const { saleNo, saleId, phase, version, purchaseKey, createdAtMs, updatedAtMs, ...settings } = sale;
  return settings;
}

export const ITEM_COLUMNS = `sku, title, description, image_url AS imageUrl, price_minor AS priceMinor,
  total, free, escrowed, held, sold, placed`;

export const itemOf = (row: unknown): Item => ({ ...(row as Item) });

export const ORDER_COLUMNS = `order_id AS orderId, sale_no AS saleNo, sku, quantity, unit_price_minor AS unitPriceMinor,
  buyer_id AS buyerId, buyer_key AS buyerKey, idempotency_key AS key, status, placed_at_ms AS placedAtMs,
  updated_at_ms AS updatedAtMs, expires_at_ms AS expiresAtMs, paid_at_ms AS paidAtMs, closed_at_ms AS closedAtMs,
  grace_used AS graceUsed, details, parked_reason AS parkedReason`;

export function orderOf(row: unknown): Order {
  const flat = row as Flat<Order>;
  return { ...flat, graceUsed: flat.graceUsed === 1 };
}

const orderValues = (order: Order): SqlValue[] => [
  order.orderId,
  order.saleNo,
  order.sku,
  order.quantity,
  order.unitPriceMinor,
  order.buyerId,
  order.buyerKey,
  order.key,
  order.status,
  order.placedAtMs,
  order.updatedAtMs,
  order.expiresAtMs,
  order.paidAtMs,
  order.closedAtMs,
  order.graceUsed ? 1 : 0,
  order.details,
  order.parkedReason,
];

export const ORDERS: RowsInto<Order> = {
  into: `orders (order_id, sale_no, sku, quantity, unit_price_minor, buyer_id, buyer_key, idempotency_key, status,
    placed_at_ms, updated_at_ms, expires_at_ms, paid_at_ms, closed_at_ms, grace_used, details, parked_reason)`,
  columns: 17,
  valuesOf: orderValues,
};

export const PAYMENT_COLUMNS = `payment_id AS paymentId, result, order_id AS orderId, sale_no AS saleNo,
  amount_minor AS amountMinor, currency, state, reason, received_at_ms AS receivedAtMs, updated_at_ms AS updatedAtMs,
  refund, refund_reason AS refundReason`;

export const paymentOf = (row: unknown): Payment => ({ ...(row as Payment) });

export const paymentValues = (payment: Payment): SqlValue[] => [
  payment.paymentId,
  payment.result,
  payment.orderId,
  payment.saleNo,
  payment.amountMinor,
  payment.currency,
  payment.state,
  payment.reason,
  payment.receivedAtMs,
  payment.updatedAtMs,
  payment.refund,
  payment.refundReason,
];
