/** The shopper plane beside ordering itself: own orders, cancel, details, demo payment, and guests. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OrderRow } from '../../core/books.ts';
import { type Refusal, refuse } from '../../core/outcomes.ts';
import type { OrderId } from '../../core/scalars.ts';
import { GUEST_TOKEN_SECONDS, newGuestId } from '../../purchase/gate/buyer-tokens.ts';
import type { Verified } from '../../purchase/gate/claims.ts';
import { orderForBuyer } from '../../purchase/order/representation.ts';
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import type { Shop } from '../../purchase/shop.ts';
import { detailsText } from '../details.ts';
import { keyed } from '../idempotency.ts';
import { answer, noSuchOrder, noSuchSale, type Outcome, orderOutcome } from '../outcome.ts';
import { pageBody, pageRequest } from '../pages.ts';
import { GuestView } from '../schemas/buyers.ts';
import { listOf, OrderParams, PageQuery, SaleParams } from '../schemas/common.ts';
import { DemoPayment, Details, OrderView, OrderWithReceipt } from '../schemas/order.ts';
import { payDemo } from './demo-payment.ts';
import { liveSaleOfOrder } from './lookups.ts';
import { addRoute } from './route.ts';

export function addShopperRoutes(app: FastifyInstance, shop: Shop): void {
  addRoute(app, {
    method: 'GET',
    url: '/v1/orders/:orderId',
    plane: 'shopper',
    summary: 'One of your own orders, with its receipt',
    params: OrderParams,
    answers: { 200: OrderWithReceipt },
    handle: async ({ params, request }): Promise<Outcome> => {
      const row = await ownOrder(shop, params.orderId, buyerOf(request));
      if (row === null) return noSuchOrder();
      return answer(200, { ...orderForBuyer(row), receipt: shop.receipts.sign(row, shop.now()) });
    },
  });

  addRoute(app, {
    method: 'GET',
    url: '/v1/sales/:saleId/orders',
    plane: 'shopper',
    summary: 'Your own orders in a sale',
    params: SaleParams,
    query: PageQuery,
    answers: { 200: listOf(OrderView) },
    refusals: ['not_eligible'],
    handle: async ({ params, query, request }): Promise<Outcome> => {
      const live = await publicSale(shop, params.saleId);
      if (live === null) return noSuchSale();
      const { buyerId, saleId } = buyerOf(request);
      if (saleId !== null && saleId !== live.sale.saleId) return strangeGuest();
      const list = `own ${live.sale.saleNo} ${buyerId}`;
      const page = await shop.reads.ordersOfBuyer(live.sale.saleNo, buyerId, pageRequest(list, query));
      return answer(200, pageBody(list, page, orderForBuyer));
    },
  });

  addRoute(app, {
    method: 'POST',
    url: '/v1/orders/:orderId/cancel',
    plane: 'shopper',
    summary: 'Give a held order back',
    params: OrderParams,
    answers: { 200: OrderView },
    refusals: ['wrong_state', 'idempotency_conflict'],
    handle: async ({ params, request }): Promise<Outcome> => {
      const live = await liveSaleOfOrder(shop, params.orderId);
      if (live === null) return noSuchOrder();
      const { buyerId } = buyerOf(request);
      const act = { orderId: params.orderId as OrderId, buyerId, returnToStock: false, reason: null };
      const verdict = await live.submit({ kind: 'cancel', ...act, ...keyed(request, `buyer:${buyerId}`) });
      return orderOutcome(verdict, live, 'buyer');
    },
  });

  addRoute(app, {
    method: 'PUT',
    url: '/v1/orders/:orderId/details',
    plane: 'shopper',
    summary: 'Contact and delivery, any time after the order',
    params: OrderParams,
    body: Details,
    answers: { 200: OrderView },
    handle: async ({ params, body, request }): Promise<Outcome> => {
      const details = detailsText(body);
      if (typeof details !== 'string') return details;
      const live = await liveSaleOfOrder(shop, params.orderId);
      if (live === null) return noSuchOrder();
      const { buyerId } = buyerOf(request);
      const act = { kind: 'set_details', orderId: params.orderId as OrderId, buyerId, details } as const;
      return orderOutcome(await live.submit(act), live, 'buyer');
    },
  });

  addRoute(app, {
    method: 'POST',
    url: '/v1/orders/:orderId/demo-payment',
    plane: 'shopper',
    summary: 'Pretend to pay, where the sale is a demonstration',
    params: OrderParams,
    body: DemoPayment,
    answers: { 200: OrderView },
    refusals: ['wrong_state'],
    handle: async ({ params, body, request }): Promise<Outcome> => {
      const row = await ownOrder(shop, params.orderId, buyerOf(request));
      const live = row === null ? null : await shop.sales.byNo(row.order.saleNo);
      return row === null || live === null ? noSuchOrder() : payDemo(live, row, body.result);
    },
  });

  addRoute(app, {
    method: 'POST',
    url: '/v1/sales/:saleId/guests',
    plane: 'shopper',
    isOpen: true,
    summary: 'A token for a buyer without an account, where the sale takes guests',
    params: SaleParams,
    answers: { 201: GuestView },
    refusals: ['not_eligible'],
    // Nothing stands afterwards but the token itself, so a repeated key makes another guest and harms nobody.
    handle: async ({ params }): Promise<Outcome> => {
      const live = await publicSale(shop, params.saleId);
      if (live === null) return noSuchSale();
      if (!live.sale.guests) return refuse('not_eligible', 'This sale takes no guests.');
      const buyerId = newGuestId();
      const bound = { buyerId, expiresInSeconds: GUEST_TOKEN_SECONDS, saleId: live.sale.saleId };
      return answer(201, { buyerId, token: shop.buyerTokens.mint(bound) });
    },
  });
}

/** Set by the credential check before any handler of this plane runs. */
const buyerOf = (request: FastifyRequest): Verified => request.buyer as Verified;

const strangeGuest = (): Refusal => refuse('not_eligible', 'This token is for another sale.');

/** A sale that shoppers may know of. */
async function publicSale(shop: Shop, saleId: string): Promise<LiveSale | null> {
  const live = await shop.sales.byId(saleId);
  return live === null || live.sale.phase === 'draft' ? null : live;
}

/** The order if it is this buyer's, by the exact id; another's is not told from none. */
async function ownOrder(shop: Shop, orderId: string, buyer: Verified): Promise<OrderRow | null> {
  if (shop.orderIds.parse(orderId) === null) return null;
  const row = await shop.reads.order(orderId);
  return row !== null && row.order.buyerId === buyer.buyerId ? row : null;
}
