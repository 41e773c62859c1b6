/**
 * The order step: from a valid request to a claim before the engine. Judges from memory what can be judged there (no
 * such item, the sold-out latch, a guest of another sale); everything else, and every grant, is the engine's.
 *
 * Called on the hot path: a refusal from memory is handed back at once, without a promise.
 */
import type { Claim } from '../../core/act.ts';
import { refusalOfPhase } from '../../core/acts/claim.ts';
import type { Item } from '../../core/item.ts';
import { type Refusal, refuse, type Verdict } from '../../core/outcomes.ts';
import { phaseAt, type Sale } from '../../core/sale.ts';
import type { BuyerId, BuyerKey, EpochMs, OrderId, Sku } from '../../core/scalars.ts';
import type { OrderIds } from '../../kit/ids.ts';

/** A sale as this step needs it. */
export interface OrderableSale {
  readonly sale: Sale;
  item(sku: Sku): Item | undefined;
  latched(claim: Pick<Claim, 'sku' | 'buyerKey'>, now: EpochMs): Refusal | null;
  submit(claim: Claim): Promise<Verdict>;
}

/** What a shopper asked for, valid in itself. */
export interface OrderWish {
  readonly buyer: { readonly buyerId: BuyerId; readonly buyerKey: BuyerKey; readonly saleId: string | null };
  readonly sku: Sku;
  readonly quantity: number;
  readonly idempotencyKey: string;
  readonly purchaseKey: string;
}

const noSuchSale = (): Refusal => refuse('not_found', 'There is no such sale.');

/** The verdict, or its promise where the engine is asked. Rejects with an OperatingError. */
export function placeOrder(
  live: OrderableSale | null,
  wish: OrderWish,
  how: { readonly now: EpochMs; readonly orderIds: Pick<OrderIds, 'make'> },
): Refusal | Promise<Verdict> {
  if (live === null || live.sale.phase === 'draft') return noSuchSale();
  if (live.item(wish.sku) === undefined) return refuse('not_found', 'This sale has no item with that sku.');
  if (wish.buyer.saleId !== null && wish.buyer.saleId !== live.sale.saleId) return strange(live.sale, wish, how.now);
  const latched = live.latched({ sku: wish.sku, buyerKey: wish.buyer.buyerKey }, how.now);
  if (latched !== null) return latched;
  return live.submit({
    kind: 'claim',
    orderId: how.orderIds.make({ saleNo: live.sale.saleNo, segment: 0, epoch: 0 }, how.now) as OrderId,
    buyerId: wish.buyer.buyerId,
    buyerKey: wish.buyer.buyerKey,
    key: wish.idempotencyKey,
    sku: wish.sku,
    quantity: wish.quantity,
    purchaseKey: wish.purchaseKey,
  });
}

/**
 * A guest of another sale can have no order here, so there is nothing to replay; what comes before `not_eligible` in
 * the order of precedence is told first.
 */
function strange(sale: Sale, wish: OrderWish, now: EpochMs): Refusal {
  const closed = refusalOfPhase(phaseAt(sale, now));
  if (closed !== null) return closed;
  if (sale.purchaseKey === null || wish.purchaseKey !== sale.purchaseKey)
    return refuse('wrong_purchase_key', 'The purchase key is missing, wrong or of another sale.');
  return refuse('not_eligible', 'This sale is not open to this buyer.');
}
