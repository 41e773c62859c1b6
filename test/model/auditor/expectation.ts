/** What an act must be answered with, and whether a verdict is that. */
import type { AnyVerdict, OrderRow, RefundRow, SaleRow } from './history.ts';
import type { KnownOrder, Ledger } from './ledger.ts';

export type Expectation =
  | { readonly refused: string; readonly availability?: string; readonly available?: number }
  | { readonly order: KnownOrder; readonly changed: boolean; readonly replayed?: boolean }
  | { readonly sale: true; readonly changed: boolean; readonly replayed?: boolean };

export const refused = (code: string): Expectation => ({ refused: code });
export const changed = (order: KnownOrder): Expectation => ({ order, changed: true });
export const unchanged = (order: KnownOrder): Expectation => ({ order, changed: false });

/** What differs, in words, or null. */
export function differenceOf(expected: Expectation, verdict: AnyVerdict, ledger: Ledger): string | null {
  if ('refused' in expected) return refusalDifference(expected, verdict);
  if ('order' in expected) {
    if (verdict.outcome !== 'order') return `an order that is ${expected.order.status}, not ${shown(verdict)}`;
    return (
      flags(expected, verdict) ?? orderDifference(expected.order, verdict.order) ?? refundDifference(ledger, verdict)
    );
  }
  if (verdict.outcome !== 'sale') return `the sale, ${ledger.phase}, not ${shown(verdict)}`;
  return flags(expected, verdict) ?? saleDifference(ledger, verdict.sale);
}

function refusalDifference(expected: Extract<Expectation, { refused: string }>, verdict: AnyVerdict): string | null {
  if (verdict.outcome !== 'refused' || verdict.code !== expected.refused)
    return `refused ${expected.refused}, not ${shown(verdict)}`;
  const { availability, available } = expected;
  if (availability !== undefined && verdict.availability !== availability)
    return `${expected.refused} with ${availability}, not ${verdict.availability}`;
  if (available !== undefined && verdict.available !== available)
    return `${expected.refused} with ${available} left, not ${verdict.available}`;
  return null;
}

const shown = (verdict: AnyVerdict): string => {
  if (verdict.outcome === 'refused') return `refused ${verdict.code}`;
  if (verdict.outcome === 'order') return `order ${verdict.order.orderId} ${verdict.order.status}`;
  return verdict.outcome === 'sale' ? `sale ${verdict.sale.phase}` : verdict.outcome;
};

function flags(
  expected: { readonly changed: boolean; readonly replayed?: boolean },
  verdict: { readonly changed: boolean; readonly replayed: boolean },
): string | null {
  if (verdict.changed !== expected.changed) return `changed: ${expected.changed}, not ${verdict.changed}`;
  if (verdict.replayed !== (expected.replayed ?? false)) return `replayed: ${expected.replayed ?? false}`;
  return null;
}

const ORDER_FIELDS = [
  'orderId',
  'sku',
  'quantity',
  'unitPriceMinor',
  'buyerId',
  'key',
  'status',
  'placedAtMs',
  'expiresAtMs',
  'paidAtMs',
  'closedAtMs',
  'details',
] as const;

export function orderDifference(expected: OrderRow, actual: OrderRow): string | null {
  for (const field of ORDER_FIELDS)
    if (actual[field] !== expected[field])
      return `order ${expected.orderId} has ${field} ${expected[field]}, not ${actual[field]}`;
  return null;
}

/** Every entry of `refundsDue`, oldest first, each with amount, currency and a reason. */
function refundDifference(
  ledger: Ledger,
  told: { readonly order: OrderRow; readonly refundsDue: readonly RefundRow[] },
): string | null {
  const { orderId } = told.order;
  const text = (entries: readonly { paymentId: string; amountMinor: number | null; currency: string | null }[]) =>
    entries
      .map(({ paymentId, amountMinor, currency }) => `${paymentId} ${amountMinor} ${currency}`)
      .sort()
      .join(', ') || 'nothing';
  const [expected, actual] = [text(ledger.refundsDue(orderId)), text(told.refundsDue)];
  if (expected !== actual) return `order ${orderId} owes ${expected}, not ${actual}`;
  const bare = told.refundsDue.find(
    (entry) => !entry.refundReason || entry.amountMinor === null || entry.currency === null,
  );
  return bare === undefined ? null : `the refund of ${bare.paymentId} has amount, currency and reason`;
}

export function saleDifference(ledger: Ledger, sale: SaleRow): string | null {
  for (const field of ['phase', 'purchaseKey', 'opensAtMs', 'endsAtMs', 'title', 'segments'] as const)
    if (sale[field] !== ledger[field]) return `the sale has ${field} ${ledger[field]}, not ${sale[field]}`;
  if (sale.version < ledger.version) return `the version grows: ${ledger.version}, then ${sale.version}`;
  return null;
}
