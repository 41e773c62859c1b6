/** Payments as the shop's backend reports them, the list of them, and a person's decisions on those that are parked. */
import type { FastifyInstance } from 'fastify';
import type { Verdict } from '../../core/outcomes.ts';
import type { Payment } from '../../core/payment.ts';
import type { Minor, OrderId } from '../../core/scalars.ts';
import {
  markRefunded,
  type PaymentParts,
  reportPayment,
  resolvePayment,
} from '../../purchase/payment/report-payment.ts';
import { wirePayment } from '../../purchase/payment/representation.ts';
import type { Shop } from '../../purchase/shop.ts';
import { requestKeyOf } from '../idempotency.ts';
import { answer, invalid, type Outcome, orderOutcome } from '../outcome.ts';
import { pageBody, pageRequest } from '../pages.ts';
import { listOf, PaymentParams } from '../schemas/common.ts';
import {
  MerchantOrderView,
  PaymentsQuery,
  PaymentView,
  RefundedPayment,
  ReportPayment,
  ResolvePayment,
} from '../schemas/order.ts';
import { addRoute } from './route.ts';

const PAYMENTS = '/v1/merchant/payments';

export function addPaymentRoutes(app: FastifyInstance, shop: Shop): void {
  const parts: PaymentParts = shop;

  addRoute(app, {
    method: 'POST',
    url: PAYMENTS,
    plane: 'merchant',
    summary: 'What the payment provider said; known by paymentId and result, so an Idempotency-Key adds nothing',
    body: ReportPayment,
    answers: { 200: MerchantOrderView, 202: PaymentView },
    refusals: ['payment_mismatch'],
    handle: async ({ body }): Promise<Outcome> => {
      const { amountMinor = null, currency = null } = body;
      const missing =
        body.result === 'succeeded' ? Object.entries({ amountMinor, currency }).filter(([, it]) => it === null) : [];
      if (missing.length > 0)
        return invalid(missing.map(([name]) => ({ path: `/${name}`, message: 'is required where money came' })));
      const orderId = body.orderId as OrderId;
      const verdict = await reportPayment(parts, {
        ...body,
        orderId,
        amountMinor: amountMinor as Minor | null,
        currency,
      });
      return paymentOutcome(verdict, shop, 202);
    },
  });

  addRoute(app, {
    method: 'GET',
    url: PAYMENTS,
    plane: 'merchant',
    summary: 'Payments as they were reported',
    query: PaymentsQuery,
    answers: { 200: listOf(PaymentView) },
    handle: async ({ query }) => {
      const list = `payments ${query.state ?? ''}`;
      const page = await shop.reads.payments(query.state ?? null, pageRequest(list, query));
      const names = await saleIdsOf(shop, page.items);
      const wire = (payment: Payment) =>
        wirePayment(payment, payment.saleNo === null ? null : (names.get(payment.saleNo) ?? null));
      return answer(200, pageBody(list, page, wire));
    },
  });

  addRoute(app, {
    method: 'POST',
    url: `${PAYMENTS}/:paymentId/resolve`,
    plane: 'merchant',
    summary: 'Decide on a parked payment',
    params: PaymentParams,
    body: ResolvePayment,
    answers: { 200: MerchantOrderView },
    refusals: ['wrong_state', 'idempotency_conflict'],
    handle: async ({ params, body, request }): Promise<Outcome> => {
      const verdict = await resolvePayment(parts, params.paymentId, body, requestKeyOf(request, 'merchant'));
      return paymentOutcome(verdict, shop, 200);
    },
  });

  addRoute(app, {
    method: 'POST',
    url: `${PAYMENTS}/:paymentId/refunded`,
    plane: 'merchant',
    summary: 'The money of a payment for an unknown order has gone back',
    params: PaymentParams,
    body: RefundedPayment,
    isBodyOptional: true,
    answers: { 200: PaymentView },
    refusals: ['wrong_state', 'idempotency_conflict'],
    handle: async ({ params, body, request }): Promise<Outcome> => {
      const reason = body.reason ?? 'refunded';
      const verdict = await markRefunded(parts, params.paymentId, reason, requestKeyOf(request, 'merchant'));
      return paymentOutcome(verdict, shop, 200);
    },
  });
}

/** The order where there is one; else the payment itself, with `status` (202: kept until the order is known). */
async function paymentOutcome(verdict: Verdict, shop: Shop, status: number): Promise<Outcome> {
  if (verdict.outcome === 'refused') return verdict;
  const replayed: Record<string, string> =
    'replayed' in verdict && verdict.replayed ? { 'idempotent-replayed': 'true' } : {};
  if (verdict.outcome === 'payment') return answer(status, wirePayment(verdict.payment, null), replayed);
  if (verdict.outcome !== 'order') throw new Error(`a payment ended as ${verdict.outcome}`);
  const live = await shop.sales.byNo(verdict.order.saleNo);
  if (live === null) throw new Error('an order stands in a sale that is not there');
  return orderOutcome(verdict, live, 'merchant');
}

async function saleIdsOf(shop: Shop, payments: readonly Payment[]): Promise<ReadonlyMap<number, string>> {
  const numbers = new Set(payments.flatMap(({ saleNo }) => (saleNo === null ? [] : [saleNo])));
  const lives = await Promise.all([...numbers].map((saleNo) => shop.sales.byNo(saleNo)));
  return new Map(lives.flatMap((live) => (live === null ? [] : [[live.sale.saleNo, live.sale.saleId] as const])));
}
