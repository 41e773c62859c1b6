/** Field cases G: what an operator does during a sale never moves stock by accident. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { buyers, Crowd, won } from './support/crowd.ts';
import { expectRefusal, itemBooks, startField, startTimeoutMs, tally, until } from './support/field-server.ts';

let server: TestServer;
let crowd: Crowd;
beforeAll(async () => {
  server = await startField();
  crowd = new Crowd(server);
}, startTimeoutMs);
afterAll(async () => {
  await crowd.close();
  await server.stop();
});

const item = { sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 100 };

it('H045 the form was opened at stock 100, 60 are sold, a new title is saved: stock is untouched', async () => {
  const sale = await server.openSale({ items: [item] });
  const target = `/v1/merchant/sales/${sale.saleId}`;
  const form = (await server.merchant('GET', target)).body;
  const orders = await crowd.orders(sale, buyers('h045', 60));
  await Promise.all(won(orders).map((answer) => server.pay(answer.body)));
  const sold = { total: 100, available: 40, held: 0, sold: 60 };
  expect(await itemBooks(server, sale.saleId)).toMatchObject(sold);
  // The whole form, as it was read, is not a way to edit a running sale.
  expectRefusal(await server.merchant('PATCH', target, { title: 'New', items: [item] }), 409, 'sale_frozen');
  expectRefusal(await server.merchant('PATCH', target, { title: 'New' }), 409, 'sale_frozen');
  const reason = 'a typing mistake';
  const correct = (set: object, why?: string) =>
    server.merchant('POST', `${target}/corrections`, { set, ...(why === undefined ? {} : { reason: why }) });
  for (const set of [{ items: [item] }, { title: 'New', items: form.items }, { stock: 100 }])
    expectRefusal(await correct(set, reason), 422, 'invalid');
  expectRefusal(await correct({ title: 'New' }), 422, 'invalid');
  expect((await correct({ title: 'New' }, reason)).status).toBe(200);
  expect((await server.merchant('GET', target)).body.title).toBe('New');
  expect(await itemBooks(server, sale.saleId)).toMatchObject(sold);
  const audit = await server.merchant('GET', `${target}/audit?limit=500`);
  expect(audit.body.items).toContainEqual(expect.objectContaining({ reason }));
  // Stock moves by an explicit delta only, never by an absolute number.
  expectRefusal(await server.merchant('POST', `${target}/items/tee-m/stock`, { stock: 100, reason }), 422, 'invalid');
  expect((await server.merchant('POST', `${target}/items/tee-m/stock`, { delta: 5, reason })).status).toBe(200);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 105, available: 45, sold: 60 });
});

it('H046 30 held and 50 sold of 100: lowering the total to 60 is refused, and later cancels and expiries go through', async () => {
  const sale = await server.openSale({ items: [item], holdSeconds: 8 });
  const orders = won(await crowd.orders(sale, buyers('h046', 80)));
  await Promise.all(orders.slice(0, 50).map((answer) => server.pay(answer.body)));
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 20, held: 30, sold: 50 });
  const lower = (delta: number) =>
    server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/items/tee-m/stock`, {
      delta,
      reason: 'a box is missing',
    });
  const refused = await lower(-40);
  expect([409, 422]).toContain(refused.status);
  expect(refused.body.effect).toBe('none');
  // It says what is possible: a total of 80 at least, or 20 units that can go.
  expect(refused.text).toMatch(/\b(80|20)\b/);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 20, held: 30, sold: 50 });
  expect((await lower(-20)).status).toBe(200);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 80, available: 0, held: 30, sold: 50 });
  expect([409, 422]).toContain((await lower(-1)).status);
  const cancels = await Promise.all(
    orders.slice(50, 60).map(({ body }) =>
      server.merchant('POST', `/v1/merchant/orders/${body.orderId}/cancel`, {
        returnToStock: true,
        reason: 'asked to',
      }),
    ),
  );
  expect(new Set(cancels.map((answer) => answer.status))).toEqual(new Set([200]));
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 80, available: 10, held: 20, sold: 50 });
  await until('the other 20 have expired', 12_000, async () => (await itemBooks(server, sale.saleId)).held === 0);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 80, available: 30, held: 0, sold: 50 });
});

it('H046 deltas in parallel with buyers: the total follows every delta that was accepted and never goes below what is taken', async () => {
  const sale = await server.openSale({ items: [{ ...item, stock: 50 }] });
  const lower = (delta: number) =>
    server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/items/tee-m/stock`, { delta, reason: 'recount' });
  const [orders, ...deltas] = await Promise.all([
    crowd.orders(sale, buyers('h046-parallel', 40)),
    ...Array.from({ length: 10 }, () => lower(-5)),
  ]);
  const accepted = deltas.filter((answer) => answer.status === 200).length;
  const books = await itemBooks(server, sale.saleId);
  expect(books.total).toBe(50 - 5 * accepted);
  expect(books.held).toBe(tally(orders)['201'] ?? 0);
  expect(books.total).toBeGreaterThanOrEqual(books.held);
});
