/** Field cases J, as far as they need no gate rule: only the buyer's POST takes anything. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { Crowd, type Shot } from './support/crowd.ts';
import { itemBooks, startField, startTimeoutMs, tally } from './support/field-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startField();
}, startTimeoutMs);
afterAll(() => server.stop());

it('H066 a scanner opens every address of the sale: nothing is used up, and the buyer then buys once', async () => {
  const sale = await server.openSale({ guests: true, demoPayment: true });
  const order = (await server.order(sale, 'h066-holder')).body;
  const before = await itemBooks(server, sale.saleId);
  const auditOf = async () => {
    const answer = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/audit?all=true&limit=500`);
    return answer.body.items.length as number;
  };
  const audited = await auditOf();
  const of = (rest: string) => `/v1/sales/${sale.saleId}${rest}`;
  const addresses = [
    `/sales/${sale.saleId}`,
    `/sales/${sale.saleId}?key=${sale.purchaseKey}`,
    of('/state'),
    of(`/orders?key=${sale.purchaseKey}`),
    of('/guests'),
    of('/places'),
    of('/challenges'),
    `/v1/orders/${order.orderId}`,
    `/v1/orders/${order.orderId}/cancel`,
    `/v1/orders/${order.orderId}/details`,
    `/v1/orders/${order.orderId}/demo-payment`,
    '/v1/time',
    '/ended',
    '/busy',
  ];
  // Signed in (the link carried the token), as the holder, and as nobody.
  const callers = [
    {},
    { authorization: `Bearer ${server.token('h066')}` },
    { authorization: `Bearer ${server.token('h066-holder')}` },
  ];
  const shots: Shot[] = addresses.flatMap((path) =>
    callers.flatMap((caller) =>
      (['GET', 'HEAD', 'OPTIONS'] as const).map((method) => ({
        method,
        path,
        headers: { ...caller, 'idempotency-key': randomUUID(), purpose: 'prefetch' },
      })),
    ),
  );
  const crowd = new Crowd(server, 50);
  const answers = await crowd.sendAll(shots);
  expect(answers.filter((answer) => answer.status === 0 || answer.status >= 500).map((answer) => answer.text)).toEqual(
    [],
  );
  expect(tally(answers)['201']).toBeUndefined();
  expect(await itemBooks(server, sale.saleId)).toEqual(before);
  expect(await auditOf()).toBe(audited);
  expect((await server.shopper('h066-holder', 'GET', `/v1/orders/${order.orderId}`)).body.status).toBe('held');
  const wish = { buyerId: 'h066', key: 'h066' };
  const bought = await crowd.orders(sale, [wish, wish]);
  expect(tally(bought)).toEqual({ '201': 2 });
  expect(bought[0]?.body.orderId).toBe(bought[1]?.body.orderId);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({
    available: before.available - 1,
    held: before.held + 1,
  });
  await crowd.close();
});
