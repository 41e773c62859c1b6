/** Field cases H: quantities, money, ids and text arrive as they were sent, or are refused before any arithmetic. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { Crowd } from './support/crowd.ts';
import { csvRecords } from './support/csv.ts';
import { crowdedTimeoutMs, expectRefusal, itemBooks, startField, startTimeoutMs } from './support/field-server.ts';

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

const csvOf = async (saleId: string): Promise<Record<string, string>[]> => {
  const target = `/v1/merchant/sales/${saleId}/orders?limit=500`;
  const answer = await server.merchant('GET', target, undefined, { accept: 'text/csv' });
  expect(answer.headers.get('content-type')).toContain('text/csv');
  return csvRecords(answer.text);
};

it('H048 quantity -1, 0 or -0 is invalid; neither stock nor the limit moves', async () => {
  const sale = await server.openSale({ limitPerBuyer: 1 });
  for (const quantity of ['-1', '0', '-0', '-0.0', '0e5', '-1e0']) {
    const rawBody = `{"sku":"tee-m","quantity":${quantity}}`;
    expectRefusal(await crowd.send(crowd.orderShot(sale, { buyerId: 'h048', rawBody })), 422, 'invalid');
  }
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 10, held: 0 });
  expect((await server.order(sale, 'h048')).status).toBe(201);
});

it('H049 quantity 2147483647, 2^53, 1e21 or a 64-digit string is refused as too large before any arithmetic', async () => {
  const sale = await server.openSale({ limitPerBuyer: null });
  const digits = '9'.repeat(64);
  for (const quantity of ['1001', '2147483647', '9007199254740992', '1e21', '1e400', digits, `"${digits}"`]) {
    const rawBody = `{"sku":"tee-m","quantity":${quantity}}`;
    const answer = await crowd.send(crowd.orderShot(sale, { buyerId: 'h049', rawBody }));
    expectRefusal(answer, 422, 'invalid');
    expect(answer.text).not.toMatch(/positive/i);
    const error = answer.body.errors.find((each: { path: string }) => each.path.includes('quantity'));
    expect(error).toBeDefined();
    // A string is no quantity at all, however long; every number is told the bound that it passed.
    if (!quantity.startsWith('"')) expect(error.message).toMatch(/1,?000\b/);
  }
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 10, held: 0 });
});

it(
  'H050 80.60, 19.99 and 0.07 with quantities 1 to 10: exact totals in order, payment comparison and export',
  async () => {
    const prices = { a: 8_060, b: 1_999, c: 7 } as const;
    // Multiplied by hand, not by the code under test.
    const totals = {
      a: [8_060, 16_120, 24_180, 32_240, 40_300, 48_360, 56_420, 64_480, 72_540, 80_600],
      b: [1_999, 3_998, 5_997, 7_996, 9_995, 11_994, 13_993, 15_992, 17_991, 19_990],
      c: [7, 14, 21, 28, 35, 42, 49, 56, 63, 70],
    } as const;
    const sale = await server.openSale({
      limitPerBuyer: 10,
      items: (['a', 'b', 'c'] as const).map((sku) => ({ sku, title: sku, priceMinor: prices[sku], stock: 55 })),
    });
    const expected = new Map<string, { sku: string; amountMinor: number }>();
    for (const sku of ['a', 'b', 'c'] as const) {
      for (let quantity = 1; quantity <= 10; quantity += 1) {
        const amountMinor = totals[sku][quantity - 1] as number;
        const order = (await server.order(sale, `h050-${sku}-${quantity}`, { sku, quantity })).body;
        expect(order).toMatchObject({ quantity, unitPriceMinor: prices[sku], amountMinor, currency: 'EUR' });
        const oneOff = await server.pay(order, { amountMinor: amountMinor - 1 });
        expect(oneOff.body.code).toBe('payment_mismatch');
        expect((await server.pay(order, { amountMinor })).body).toMatchObject({ status: 'paid', amountMinor });
        expected.set(order.orderId, { sku, amountMinor });
      }
    }
    const rows = await csvOf(sale.saleId);
    expect(rows).toHaveLength(30);
    for (const row of rows) {
      const wanted = expected.get(row.orderId as string);
      expect({ sku: row.sku, amountMinor: row.amountMinor }).toEqual({
        sku: wanted?.sku,
        amountMinor: String(wanted?.amountMinor),
      });
    }
  },
  crowdedTimeoutMs,
);

it('H051 ids that look like numbers return character for character: API, callback, list and export', async () => {
  const paymentId = '653247040368672768';
  const sale = await server.openSale({
    saleId: '00123',
    items: [{ sku: '00042', title: 'Digits', priceMinor: 2_500, stock: 3 }],
  });
  const placed = await server.order(sale, '00123', { sku: '00042', key: '0007' });
  const order = placed.body;
  expect(order).toMatchObject({ saleId: '00123', sku: '00042', orderId: expect.any(String) });
  expect(placed.text).toContain('"sku":"00042"');
  await server.pay(order, { paymentId, amountMinor: 1 });
  const parked = await server.merchant('GET', '/v1/merchant/payments?state=parked&limit=500');
  expect(parked.text).toContain(`"${paymentId}"`);
  // An order id beyond 2^53, as a shop may send it: kept as it came.
  await server.pay({ ...order, orderId: '653247040368672768' }, { paymentId: '0000653247040368672769' });
  const unknown = await server.merchant('GET', '/v1/merchant/payments?state=parked&limit=500');
  expect(unknown.body.items).toContainEqual(
    expect.objectContaining({ paymentId: '0000653247040368672769', orderId: '653247040368672768' }),
  );
  expect((await server.pay(order, { paymentId })).body.status).toBe('paid');
  const seen = await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`);
  expect(seen.body).toMatchObject({ buyerId: '00123', saleId: '00123', sku: '00042', orderId: order.orderId });
  const found = await server.merchant('GET', '/v1/merchant/sales/00123/orders?buyerId=00123');
  expect(found.body.items.map((each: { buyerId: string }) => each.buyerId)).toEqual(['00123']);
  expect((await server.merchant('GET', '/v1/merchant/sales/00123/orders?buyerId=123')).body.items).toEqual([]);
  const row = (await csvOf('00123'))[0];
  expect(row).toMatchObject({ orderId: order.orderId, buyerId: '00123', sku: '00042' });
  // An id sent as a number is refused, not rounded.
  const rawBody = `{"paymentId":"h051","orderId":653247040368672768,"result":"succeeded","amountMinor":2500,"currency":"EUR"}`;
  const numeric = await server.request('POST', '/v1/merchant/payments', {
    rawBody,
    headers: { authorization: `Bearer ${server.merchantKey}` },
  });
  expectRefusal(numeric, 422, 'invalid');
});

it('H052 names with emoji and right-to-left text are stored exactly, and the payment confirmation works', async () => {
  const name =
    '\u{1F469}\u200D\u{1F469}\u200D\u{1F467} \u05D0\u05D1\u05D2 \u0645\u0631\u062D\u0628\u0627 \u200F\u202Eabc\u202C \u79D2\u6740 Zo\u0065\u0308 \u{1F1E9}\u{1F1EA}';
  const buyerId = `h052 ${name}`;
  const sale = await server.openSale();
  const order = (await server.order(sale, buyerId)).body;
  const details = { contact: { name, note: `"quoted", ${name}` }, delivery: name };
  const put = await server.shopper(buyerId, 'PUT', `/v1/orders/${order.orderId}/details`, details);
  expect(put.status).toBe(200);
  const paid = await server.pay(order, { paymentId: `pay \u{1F4B6} ${order.orderId}` });
  expect(paid.body.status).toBe('paid');
  const seen = (await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`)).body;
  expect(seen).toMatchObject({ status: 'paid', buyerId, details });
  expect((await server.shopper(buyerId, 'GET', `/v1/orders/${order.orderId}`)).body.status).toBe('paid');
  const query = encodeURIComponent(buyerId);
  const listed = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?buyerId=${query}`);
  expect(listed.body.items).toHaveLength(1);
  expect((await csvOf(sale.saleId))[0]?.buyerId).toBe(buyerId);
});

it('H053 ids and JSON names like __proto__ or constructor are plain data or refused, and change nothing else', async () => {
  const sale = await server.openSale({
    saleId: 'constructor',
    limitPerBuyer: 2,
    items: ['constructor', 'prototype', 'toString'].map((sku) => ({ sku, title: sku, priceMinor: 2_500, stock: 5 })),
  });
  // Ids are data.
  for (const buyerId of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty']) {
    const key = '__proto__';
    const first = await server.order(sale, buyerId, { sku: 'constructor', key });
    expect(first.status).toBe(201);
    expect((await server.order(sale, buyerId, { sku: 'constructor', key })).body.orderId).toBe(first.body.orderId);
    expectRefusal(await server.order(sale, buyerId, { sku: 'constructor', quantity: 2 }), 409, 'limit_reached');
    const own = await server.shopper(buyerId, 'GET', '/v1/sales/constructor/orders');
    expect(own.body.items.map((each: { orderId: string }) => each.orderId)).toEqual([first.body.orderId]);
  }
  expect(await itemBooks(server, 'constructor', 'constructor')).toMatchObject({ available: 1, held: 4 });
  expect(await itemBooks(server, 'constructor', 'prototype')).toMatchObject({ available: 5, held: 0 });
  // A name that no item has is not found on the prototype either.
  for (const sku of ['valueOf', 'isPrototypeOf', 'hasOwnProperty'])
    expectRefusal(await server.order(sale, 'h053', { sku }), 404, 'not_found');
  for (const saleId of ['__proto__', 'valueOf', 'prototype'])
    expect((await server.request('GET', `/v1/sales/${saleId}/state`)).status).toBeGreaterThanOrEqual(404);
  const noSale = { title: 'x', currency: 'EUR', items: [{ sku: '__proto__', title: 'x', priceMinor: 1, stock: 1 }] };
  expectRefusal(await server.merchant('POST', '/v1/merchant/sales', noSale), 422, 'invalid');
  // JSON names are refused.
  const bodies = [
    '{"sku":"constructor","quantity":1,"__proto__":{"quantity":5}}',
    '{"sku":"constructor","quantity":1,"constructor":{"prototype":{"admin":true}}}',
    '{"sku":"constructor","__proto__":{"quantity":1}}',
    '{"quantity":1,"prototype":{"sku":"constructor"}}',
    '{"sku":"constructor","quantity":1,"\\u005f_proto__":null}',
  ];
  for (const rawBody of bodies)
    expectRefusal(await crowd.send(crowd.orderShot(sale, { buyerId: 'h053-json', rawBody })), 422, 'invalid');
  // No other request behaves differently afterwards.
  const after = await server.order(sale, 'h053-after', { sku: 'prototype' });
  expect(after.body).toMatchObject({ status: 'held', quantity: 1, sku: 'prototype', amountMinor: 2_500 });
  expect((await server.request('GET', '/v1/merchant/sales')).status).toBe(401);
  expect(await itemBooks(server, 'constructor', 'prototype')).toMatchObject({ available: 4, held: 1 });
});
