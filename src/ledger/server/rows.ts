/**
 * Rows of the server ledgers and core types, both ways. A column list and its reader stand side by side, so that a new
 * column is one edit. Nothing here decides anything. Numbers come as numbers, texts as texts, whatever the driver.
 */
import type { Item } from '../../core/item.ts';
import type { Order } from '../../core/order.ts';
import type { Payment } from '../../core/payment.ts';
import type { Sale, SaleSettings } from '../../core/sale.ts';
import type { RememberedRequest } from '../../core/state.ts';
import type { Insert } from './session.ts';

/** `name` AS "alias", from a table that may need to be told from another. */
const listed = (columns: Readonly<Record<string, string>>, table?: string): string =>
  Object.entries(columns)
    .map(([alias, name]) => `${table === undefined ? name : `${table}.${name}`} AS "${alias}"`)
    .join(', ');

const SALE = {
  saleNo: 'sale_no',
  saleId: 'sale_id',
  phase: 'phase',
  version: 'version',
  purchaseKey: 'purchase_key',
  settings: 'settings',
  createdAtMs: 'created_at_ms',
  updatedAtMs: 'updated_at_ms',
};
export const SALE_COLUMNS = listed(SALE);

type SaleRow = Omit<Sale, keyof SaleSettings> & { readonly settings: string };

export function saleOf(row: unknown): Sale {
  const { settings, ...sale } = row as SaleRow;
  return { ...(JSON.parse(settings) as SaleSettings), ...sale };
}

export function settingsOf(sale: Sale): SaleSettings {
  const { saleNo, saleId, phase, version, purchaseKey, createdAtMs, updatedAtMs, ...settings } = sale;
  return settings;
}

const ITEM = {
  sku: 'sku',
  title: 'title',
  description: 'description',
  imageUrl: 'image_url',
  priceMinor: 'price_minor',
  total: 'total',
  free: 'free',
  escrowed: 'escrowed',
  held: 'held',
  sold: 'sold',
  placed: 'placed',
};
export const ITEM_COLUMNS = listed(ITEM);
export const itemOf = (row: unknown): Item => row as Item;

const ORDER = {
  orderId: 'order_id',
  saleNo: 'sale_no',
  sku: 'sku',
  quantity: 'quantity',
  unitPriceMinor: 'unit_price_minor',
  buyerId: 'buyer_id',
  buyerKey: 'buyer_key',
  key: 'idempotency_key',
  status: 'status',
  placedAtMs: 'placed_at_ms',
  updatedAtMs: 'updated_at_ms',
  expiresAtMs: 'expires_at_ms',
  paidAtMs: 'paid_at_ms',
  closedAtMs: 'closed_at_ms',
  graceUsed: 'grace_used',
  details: 'details',
  parkedReason: 'parked_reason',
};
export const ORDER_COLUMNS = listed(ORDER);
export const ORDER_COLUMNS_OF = (table: string): string => listed(ORDER, table);

export function orderOf(row: unknown): Order {
  const flat = row as Omit<Order, 'graceUsed'> & { readonly graceUsed: number };
  return { ...flat, graceUsed: Number(flat.graceUsed) === 1 };
}

/** The columns of an order that a transition may change. */
export const ORDER_CHANGES = [
  'status',
  'updatedAtMs',
  'expiresAtMs',
  'paidAtMs',
  'closedAtMs',
  'graceUsed',
  'details',
  'parkedReason',
] as const satisfies readonly (keyof Order)[];
export const orderColumn = (field: keyof Order): string => ORDER[field];

export const ORDERS: Insert<Order> = {
  table: 'orders',
  columns: [
    { name: 'order_id', type: 'text', of: (order) => order.orderId },
    { name: 'sale_no', type: 'number', of: (order) => order.saleNo },
    { name: 'sku', type: 'text', of: (order) => order.sku },
    { name: 'quantity', type: 'number', of: (order) => order.quantity },
    { name: 'unit_price_minor', type: 'number', of: (order) => order.unitPriceMinor },
    { name: 'buyer_id', type: 'text', of: (order) => order.buyerId },
    { name: 'buyer_key', type: 'text', of: (order) => order.buyerKey },
    { name: 'idempotency_key', type: 'text', of: (order) => order.key },
    { name: 'status', type: 'text', of: (order) => order.status },
    { name: 'placed_at_ms', type: 'number', of: (order) => order.placedAtMs },
    { name: 'updated_at_ms', type: 'number', of: (order) => order.updatedAtMs },
    { name: 'expires_at_ms', type: 'number', of: (order) => order.expiresAtMs },
    { name: 'paid_at_ms', type: 'number', of: (order) => order.paidAtMs },
    { name: 'closed_at_ms', type: 'number', of: (order) => order.closedAtMs },
    { name: 'grace_used', type: 'number', of: (order) => (order.graceUsed ? 1 : 0) },
    { name: 'details', type: 'text', of: (order) => order.details },
    { name: 'parked_reason', type: 'text', of: (order) => order.parkedReason },
  ],
};

export interface BuyerRow {
  readonly saleNo: number;
  readonly buyerKey: string;
  readonly units: number;
  readonly unitLimit: number | null;
}

export const BUYERS: Insert<BuyerRow> = {
  table: 'buyers',
  columns: [
    { name: 'sale_no', type: 'number', of: (row) => row.saleNo },
    { name: 'buyer_key', type: 'text', of: (row) => row.buyerKey },
    { name: 'units', type: 'number', of: (row) => row.units },
    { name: 'unit_limit', type: 'number', of: (row) => row.unitLimit },
  ],
  onConflict: { key: ['sale_no', 'buyer_key'], set: ['units'] },
};

export const PAYMENT_COLUMNS = listed({
  paymentId: 'payment_id',
  result: 'result',
  orderId: 'order_id',
  saleNo: 'sale_no',
  amountMinor: 'amount_minor',
  currency: 'currency',
  state: 'state',
  reason: 'reason',
  receivedAtMs: 'received_at_ms',
  updatedAtMs: 'updated_at_ms',
  refund: 'refund',
  refundReason: 'refund_reason',
});
export const paymentOf = (row: unknown): Payment => row as Payment;

export const PAYMENTS: Insert<Payment> = {
  table: 'payments',
  columns: [
    { name: 'payment_id', type: 'text', of: (payment) => payment.paymentId },
    { name: 'result', type: 'text', of: (payment) => payment.result },
    { name: 'order_id', type: 'text', of: (payment) => payment.orderId },
    { name: 'sale_no', type: 'number', of: (payment) => payment.saleNo },
    { name: 'amount_minor', type: 'number', of: (payment) => payment.amountMinor },
    { name: 'currency', type: 'text', of: (payment) => payment.currency },
    { name: 'state', type: 'text', of: (payment) => payment.state },
    { name: 'reason', type: 'text', of: (payment) => payment.reason },
    { name: 'received_at_ms', type: 'number', of: (payment) => payment.receivedAtMs },
    { name: 'updated_at_ms', type: 'number', of: (payment) => payment.updatedAtMs },
    { name: 'refund', type: 'text', of: (payment) => payment.refund },
    { name: 'refund_reason', type: 'text', of: (payment) => payment.refundReason },
  ],
  onConflict: {
    key: ['payment_id', 'result'],
    set: [
      'order_id',
      'sale_no',
      'amount_minor',
      'currency',
      'state',
      'reason',
      'updated_at_ms',
      'refund',
      'refund_reason',
    ],
  },
};

export const REQUEST_COLUMNS = listed({
  caller: 'caller',
  route: 'route',
  key: 'request_key',
  fingerprint: 'fingerprint',
  thing: 'thing',
  thingId: 'thing_id',
});

export const REQUESTS: Insert<RememberedRequest & { readonly atMs: number }> = {
  table: 'requests',
  columns: [
    { name: 'caller', type: 'text', of: (request) => request.caller },
    { name: 'route', type: 'text', of: (request) => request.route },
    { name: 'request_key', type: 'text', of: (request) => request.key },
    { name: 'fingerprint', type: 'text', of: (request) => request.fingerprint },
    { name: 'thing', type: 'text', of: (request) => request.thing },
    { name: 'thing_id', type: 'text', of: (request) => request.thingId },
    { name: 'at_ms', type: 'number', of: (request) => request.atMs },
  ],
};
