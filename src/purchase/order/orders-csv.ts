/**
 * Orders as CSV (RFC 4180), for a spreadsheet. Text that a spreadsheet would run as a formula gets an apostrophe in
 * front; ids are written exactly as they are, leading zeros too. Every value that a shopper chose passes here.
 */
import type { OrderRow } from '../../core/books.ts';
import { orderForMerchant } from './representation.ts';

const COLUMNS = [
  'orderId',
  'saleId',
  'sku',
  'quantity',
  'unitPriceMinor',
  'amountMinor',
  'currency',
  'status',
  'buyerId',
  'placedAt',
  'updatedAt',
  'expiresAt',
  'paidAt',
  'closedAt',
  'refundsDue',
  'details',
] as const;

/** What Excel, LibreOffice and Google Sheets take for the start of a formula, full-width forms too (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvHeader = (): string => `${COLUMNS.join(',')}\r\n`;

export function csvRow(row: OrderRow): string {
  const order = orderForMerchant(row);
  const cells = { ...order, refundsDue: order.refundsDue.length === 0 ? null : order.refundsDue };
  return `${COLUMNS.map((column) => csvCell(cells[column])).join(',')}\r\n`;
}
