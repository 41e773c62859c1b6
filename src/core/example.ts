/**
 * A plain sale with API.md's defaults, and acts with everything spelled out but what matters: the ground that the
 * conformance suite and the tests build on. The product itself never uses it.
 */
import type { Cancel, Claim, CorrectSale, CorrectStock, Expire, Lifecycle, Pay, SaleCorrections } from './act.ts';
import type { NewSale } from './books.ts';
import type { Item } from './item.ts';
import type { Verdict } from './outcomes.ts';
import type { PaymentResult } from './payment.ts';
import type { SaleSettings } from './sale.ts';
import { type BuyerId, buyerKeyOf, type EpochMs, type Minor, type OrderId, type SaleId, type Sku } from './scalars.ts';

/** When examples begin: 2030-01-01T10:00:00Z. */
export const EXAMPLE_START_MS = 1_893_492_000_000 as EpochMs;

export const EXAMPLE_SETTINGS: SaleSettings = {
  title: 'Autumn drop',
  description: '',
  opensAtMs: null,
  endsAtMs: null,
  timeZone: 'UTC',
  currency: 'EUR',
  limitPerBuyer: 1,
  holdSeconds: 300,
  paymentGraceSeconds: 0,
  deductAt: 'order',
  overAdmit: 1.1,
  latePayment: 'refund',
  guests: false,
  demoPayment: false,
  payUrl: null,
  origins: [],
  look: null,
  submitEverySeconds: 2,
  showStock: false,
  segments: 1,
};

/** An item with all its units free. */
export function exampleItem(sku: string, about: { stock: number; priceMinor?: number }): Item {
  return {
    sku: sku as Sku,
    title: sku,
    description: '',
    imageUrl: null,
    priceMinor: (about.priceMinor ?? 2500) as Minor,
    total: about.stock,
    free: about.stock,
    escrowed: 0,
    held: 0,
    sold: 0,
    placed: 0,
  };
}

export const exampleSale = (settings: Partial<SaleSettings>, items: readonly Item[], saleId = 'drop'): NewSale => ({
  saleId: saleId as SaleId,
  settings: { ...EXAMPLE_SETTINGS, ...settings },
  items,
});

/** The purchase key that `lifecycleOf` brings along. */
export const EXAMPLE_PURCHASE_KEY = 'purchase-key';

/** A claim; where nothing is said, of one unit, under a key of the order's own. */
export function claimOf(
  orderId: string,
  about: { buyer: string; sku: string; quantity?: number; key?: string; purchaseKey?: string },
): Claim {
  const buyerId = about.buyer as BuyerId;
  return {
    kind: 'claim',
    orderId: orderId as OrderId,
    buyerId,
    buyerKey: buyerKeyOf(buyerId),
    key: about.key ?? `key-${orderId}`,
    sku: about.sku as Sku,
    quantity: about.quantity ?? 1,
    purchaseKey: about.purchaseKey ?? EXAMPLE_PURCHASE_KEY,
  };
}

/** A payment callback; where nothing is said, a success of 25.00 EUR. Null: the shop did not say. */
export function payOf(
  orderId: string,
  about: { paymentId: string; result?: PaymentResult; amountMinor?: number | null; currency?: string | null },
): Pay {
  return {
    kind: 'pay',
    paymentId: about.paymentId,
    orderId: orderId as OrderId,
    result: about.result ?? 'succeeded',
    amountMinor: (about.amountMinor === undefined ? 2500 : about.amountMinor) as Minor | null,
    currency: about.currency === undefined ? 'EUR' : about.currency,
  };
}

/** A cancel by the merchant, or by the buyer who is named. */
export const cancelOf = (
  orderId: string,
  how: { buyer?: string; returnToStock?: boolean; reason?: string } = {},
): Cancel => ({
  kind: 'cancel',
  orderId: orderId as OrderId,
  buyerId: how.buyer === undefined ? null : (how.buyer as BuyerId),
  returnToStock: how.returnToStock ?? false,
  reason: how.reason ?? null,
});

/** `dueAtMs`: the end that a sweep found due; without it the clock of the batch judges. */
export const expireOf = (orderId: string, dueAtMs?: number): Expire => ({
  kind: 'expire',
  orderId: orderId as OrderId,
  ...(dueAtMs === undefined ? {} : { dueAtMs: dueAtMs as EpochMs }),
});

export const closePlacedOf = (orderId: string) => ({ kind: 'close_placed', orderId: orderId as OrderId }) as const;
export const paymentStartedOf = (orderId: string) =>
  ({ kind: 'payment_started', orderId: orderId as OrderId }) as const;
export const refundedOf = (orderId: string, paymentId: string) =>
  ({ kind: 'refunded', orderId: orderId as OrderId, paymentId, reason: 'sent back' }) as const;

export const resolveOf = (orderId: string, paymentId: string, as: 'refund_due' | 'ignored') =>
  ({ kind: 'resolve_payment', orderId: orderId as OrderId, paymentId, as, reason: 'looked into' }) as const;

export const stockOf = (sku: string, delta: number): CorrectStock => ({
  kind: 'correct_stock',
  sku: sku as Sku,
  delta,
  reason: 'recounted',
});

export const correctionOf = (set: SaleCorrections, sku: string | null = null): CorrectSale => ({
  kind: 'correct_sale',
  sku: sku as Sku | null,
  set,
  reason: 'a slip',
});

export const lifecycleOf = (
  kind: Lifecycle['kind'],
  how: { by?: Lifecycle['by']; purchaseKey?: string } = {},
): Lifecycle => ({
  kind,
  by: how.by ?? 'merchant',
  purchaseKey: how.purchaseKey ?? EXAMPLE_PURCHASE_KEY,
});

/** A verdict in a word or two: the code of a refusal, else the state of the thing; `again` for a replay. */
export function said(verdict: Verdict): string {
  if (verdict.outcome === 'refused') return verdict.code;
  if (verdict.outcome === 'set_aside') return 'set aside';
  const how = verdict.replayed ? ' again' : verdict.changed ? '' : ' unchanged';
  switch (verdict.outcome) {
    case 'order':
      return verdict.order.status + how;
    case 'sale':
      return verdict.sale.phase + how;
    case 'payment':
      return verdict.payment.state + how;
  }
}
