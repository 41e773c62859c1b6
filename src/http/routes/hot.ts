/**
 * The hot paths once more, for the framework: their place in the OpenAPI document, and the rare request whose address
 * is written another way (percent-encoded). Both end in the code of hot/, which writes the answer itself.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type OrderParts, OrderRequest } from '../hot/order-request.ts';
import { answerState, answerTime } from '../hot/public-files.ts';
import { SaleParams, Time } from '../schemas/common.ts';
import { OrderView, PlaceOrder } from '../schemas/order.ts';
import { StateView } from '../schemas/sale.ts';
import { answersOf, problemsOf } from './route.ts';

const OrderQuery = Type.Object({ key: Type.Optional(Type.String({ description: "the sale's purchase key" })) });
const OrderHeaders = Type.Object({
  'idempotency-key': Type.String({ minLength: 1, maxLength: 255, description: 'visible ASCII; required' }),
});

export function addHotRoutes(app: FastifyInstance, parts: OrderParts): void {
  // Taken over before anything is validated: the schemas below describe.
  app.route<{ Params: { saleId: string } }>({
    method: 'POST',
    url: '/v1/sales/:saleId/orders',
    schema: {
      summary: 'Order',
      tags: ['shopper'],
      security: [{ shopperToken: [] }],
      params: SaleParams,
      querystring: OrderQuery,
      headers: OrderHeaders,
      body: PlaceOrder,
      response: {
        ...answersOf({ 201: OrderView, 202: OrderView }),
        ...problemsOf({
          plane: 'shopper',
          method: 'POST',
          refusals: [
            'busy',
            'idempotency_conflict',
            'not_open',
            'sale_paused',
            'sale_ended',
            'wrong_purchase_key',
            'not_eligible',
            'limit_reached',
            'sold_out',
            'not_enough',
          ],
        }),
      },
    },
    onRequest: async (request, reply) => {
      reply.hijack();
      new OrderRequest(parts, request.raw, reply.raw, request.params.saleId).start();
    },
    handler: () => undefined,
  });

  app.route<{ Params: { saleId: string } }>({
    method: 'GET',
    url: '/v1/sales/:saleId/state',
    schema: {
      summary: 'The state file that flips the page',
      tags: ['public'],
      security: [],
      params: SaleParams,
      response: {
        ...answersOf({ 200: StateView, 304: 'Not changed' }),
        ...problemsOf({ plane: 'public', method: 'GET' }),
      },
    },
    onRequest: async (request, reply) => {
      reply.hijack();
      answerState(parts, request.raw, reply.raw, request.params.saleId);
    },
    handler: () => undefined,
  });

  app.route({
    method: 'GET',
    url: '/v1/time',
    schema: {
      summary: 'The time that counts',
      tags: ['public'],
      security: [],
      response: answersOf({ 200: Type.Object({ now: Time }) }),
    },
    onRequest: async (request, reply) => {
      reply.hijack();
      answerTime(parts, request.raw, reply.raw);
    },
    handler: () => undefined,
  });
}
