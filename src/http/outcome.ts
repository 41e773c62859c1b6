/**
 * What a route's handler hands back: an answer or a refusal, never a touched response. How it is written is decided
 * once, in framework.ts. `RefusedError` carries a refusal out of places where the framework knows errors only.
 */
import { type Refusal, refuse, type Verdict } from '../core/outcomes.ts';
import { orderForBuyer, orderForMerchant } from '../purchase/order/representation.ts';
import type { LiveSale } from '../purchase/sale/live-sale.ts';
import { saleForMerchant } from '../purchase/sale/sale-representation.ts';
import type { Shop } from '../purchase/shop.ts';
import type { Fault } from './validation.ts';

export interface Answer {
  readonly outcome: 'answer';
  readonly status: number;
  /** Sent as JSON, unless it is text or a stream with a media type among the headers. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Outcome = Answer | Refusal;

export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

export const answer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  outcome: 'answer',
  status,
  body,
  headers,
});

export const invalid = (errors: readonly Fault[]): Refusal =>
  refuse('invalid', 'The request is not valid.', { errors });

const replayHeader = (replayed: boolean): Record<string, string> => (replayed ? { 'idempotent-replayed': 'true' } : {});

/** An act on an order, as its buyer or the merchant sees the order afterwards. */
export function orderOutcome(verdict: Verdict, live: LiveSale, who: 'buyer' | 'merchant'): Outcome {
  if (verdict.outcome === 'refused') return verdict;
  if (verdict.outcome !== 'order') throw new Error(`an act on an order ended as ${verdict.outcome}`);
  const { saleId, currency } = live.sale;
  const row = { order: verdict.order, refundsDue: verdict.refundsDue, saleId, currency };
  const body = who === 'buyer' ? orderForBuyer(row) : orderForMerchant(row);
  return answer(200, body, replayHeader(verdict.replayed));
}

/** An act on a sale, as the merchant sees the sale afterwards. */
export function saleOutcome(verdict: Verdict, live: LiveSale, shop: Shop, status = 200): Outcome {
  if (verdict.outcome === 'refused') return verdict;
  if (verdict.outcome !== 'sale') throw new Error(`an act on a sale ended as ${verdict.outcome}`);
  const body = saleForMerchant({ sale: verdict.sale, items: live.items }, shop.now());
  return answer(status, body, replayHeader(verdict.replayed));
}

export const noSuchSale = (): Refusal => refuse('not_found', 'There is no such sale.');
export const noSuchOrder = (): Refusal => refuse('not_found', 'There is no such order.');
