/** The merchant's view of orders: lists, as JSON and CSV, and the acts on one order. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cancel, PaymentStarted, Refunded } from '../../core/act.ts';
import type { OrderFilter, OrderRow, Page, PageRequest } from '../../core/books.ts';
import type { BuyerId, OrderId } from '../../core/scalars.ts';
import { parseTime } from '../../core/time.ts';
import { csvHeader, csvRow } from '../../purchase/order/orders-csv.ts';
import { orderForMerchant } from '../../purchase/order/representation.ts';
import type { Shop } from '../../purchase/shop.ts';
import { keyed } from '../idempotency.ts';
import { answer, invalid, noSuchOrder, noSuchSale, type Outcome, orderOutcome } from '../outcome.ts';
import { pageBody, pageRequest } from '../pages.ts';
import { listOf, OrderParams, SaleParams } from '../schemas/common.ts';
import { CancelOrder, MerchantOrderView, OrdersQuery, RefundedOrder } from '../schemas/order.ts';
import { liveSaleOfOrder } from './lookups.ts';
import { addRoute } from './route.ts';

const ORDER = '/v1/merchant/orders/:orderId';

export function addOrderRoutes(app: FastifyInstance, shop: Shop): void {
  addRoute(app, {
    method: 'GET',
    url: '/v1/merchant/sales/:saleId/orders',
    plane: 'merchant',
    summary: 'Orders of a sale; as text/csv all of them at once',
    params: SaleParams,
    query: OrdersQuery,
    answers: { 200: listOf(MerchantOrderView) },
    handle: async ({ params, query, request }): Promise<Outcome> => {
      const updatedSinceMs = query.updatedSince === undefined ? null : parseTime(query.updatedSince);
      if (query.updatedSince !== undefined && updatedSinceMs === null)
        return invalid([{ path: '/query/updatedSince', message: 'must be an RFC 3339 time' }]);
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const { saleNo } = live.sale;
      const buyerId = (query.buyerId as BuyerId | undefined) ?? null;
      const filter: OrderFilter = { status: query.status ?? null, buyerId, updatedSinceMs };
      const read = (page: PageRequest) => shop.reads.ordersOfSale(saleNo, filter, page);
      if (wantsCsv(request, query.format)) return csvAnswer(read);
      const list = `orders ${saleNo} ${JSON.stringify(filter)}`;
      return answer(200, pageBody(list, await read(pageRequest(list, query)), orderForMerchant));
    },
  });

  addRoute(app, {
    method: 'GET',
    url: ORDER,
    plane: 'merchant',
    summary: 'One order',
    params: OrderParams,
    answers: { 200: MerchantOrderView },
    handle: async ({ params }): Promise<Outcome> => {
      const isOurs = shop.orderIds.parse(params.orderId) !== null;
      const row = isOurs ? await shop.reads.order(params.orderId) : null;
      return row === null ? noSuchOrder() : answer(200, orderForMerchant(row));
    },
  });

  addActRoutes(app, shop);
}

type OrderAct = Cancel | Refunded | PaymentStarted;

function addActRoutes(app: FastifyInstance, shop: Shop): void {
  const submit = async (act: OrderAct, request: FastifyRequest): Promise<Outcome> => {
    const live = await liveSaleOfOrder(shop, act.orderId);
    if (live === null) return noSuchOrder();
    return orderOutcome(await live.submit({ ...act, ...keyed(request, 'merchant') }), live, 'merchant');
  };
  const common = {
    method: 'POST',
    plane: 'merchant',
    params: OrderParams,
    answers: { 200: MerchantOrderView },
  } as const;

  addRoute(app, {
    ...common,
    url: `${ORDER}/cancel`,
    summary: 'Cancel an order; a paid one owes its money back',
    body: CancelOrder,
    isBodyOptional: true,
    refusals: ['wrong_state', 'idempotency_conflict'],
    handle: ({ params, body, request }) => {
      const { returnToStock = false, reason = null } = body;
      const orderId = params.orderId as OrderId;
      return submit({ kind: 'cancel', orderId, buyerId: null, returnToStock, reason }, request);
    },
  });

  addRoute(app, {
    ...common,
    url: `${ORDER}/refunded`,
    summary: 'A refund that was due has been made',
    body: RefundedOrder,
    refusals: ['wrong_state', 'idempotency_conflict'],
    handle: ({ params, body, request }) =>
      submit({ kind: 'refunded', orderId: params.orderId as OrderId, ...body }, request),
  });

  addRoute(app, {
    ...common,
    url: `${ORDER}/payment-started`,
    summary: 'The buyer is on the payment site: the hold lasts longer, once',
    refusals: ['wrong_state', 'sale_ended', 'idempotency_conflict'],
    handle: ({ params, request }) => submit({ kind: 'payment_started', orderId: params.orderId as OrderId }, request),
  });
}

const ACCEPTS_CSV = /(?:^|,)\s*text\/csv\s*(?:;|,|$)/i;

const wantsCsv = (request: FastifyRequest, format: 'json' | 'csv' | undefined): boolean =>
  format === undefined ? ACCEPTS_CSV.test(request.headers.accept ?? '') : format === 'csv';

const CSV_PAGE_ROWS = 500;

/** Streams page by page, so that a million orders need the memory of one page. A fault cuts the connection. */
async function csvAnswer(read: (page: PageRequest) => Promise<Page<OrderRow>>): Promise<Outcome> {
  const first = await read({ limit: CSV_PAGE_ROWS, after: null });
  async function* lines() {
    yield csvHeader();
    for (let page = first; ; page = await read({ limit: CSV_PAGE_ROWS, after: page.next })) {
      yield page.items.map(csvRow).join('');
      if (page.next === null) return;
    }
  }
  return answer(200, Readable.from(lines(), { objectMode: false }), {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="orders.csv"',
  });
}
