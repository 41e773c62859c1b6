/**
 * Idempotency of orders (I3): the same key is answered with the thing as it now stands, in parallel, later, after
 * a cancel, a pause, the end; another body is a conflict; a refusal is not remembered.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, item, levels, until } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
});
afterAll(async () => {
  await server.stop();
});

type Sale = Awaited<ReturnType<TestServer['openSale']>>;

/** The same request again: 201, the same order, marked as a replay; hands the order back. */
async function replays(sale: Sale, key: string, orderId: string, buyer = 'ann') {
  const again = await server.order(sale, buyer, { key });
  const order = expectOk(again, 201);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(order.orderId).toBe(orderId);
  return order;
}

const act = async (sale: Sale, name: string) =>
  expectOk(await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/${name}`));

describe('one key, one order', () => {
  it('the first answer is not marked, the second is, and no more units go', async () => {
    const sale = await server.openSale({ limitPerBuyer: null });
    const key = randomUUID();
    const first = await server.order(sale, 'ann', { key });
    const order = expectOk(first, 201);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await replays(sale, key, order.orderId)).toEqual(order);
    expect(await levels(server, sale.saleId)).toMatchObject({ held: 1 });
  });

  it('in parallel, one is the first and all have the same order', async () => {
    const sale = await server.openSale({ limitPerBuyer: null });
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 24 }, () => server.order(sale, 'ann', { key })));
    expect(new Set(replies.map((reply) => expectOk(reply, 201).orderId)).size).toBe(1);
    expect(replies.filter((reply) => reply.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await levels(server, sale.saleId)).toMatchObject({ held: 1, available: 9 });
  });

  it('in parallel with two bodies, one order is made and the other body conflicts', async () => {
    const sale = await server.openSale({ limitPerBuyer: null });
    const key = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => server.order(sale, 'ann', { key, quantity: 1 + (index % 2) })),
    );
    const made = replies.filter((reply) => reply.status === 201);
    expect(new Set(made.map((reply) => reply.body.orderId)).size).toBe(1);
    expect(made).toHaveLength(8);
    for (const reply of replies.filter((entry) => entry.status !== 201)) expectProblem(reply, 'idempotency_conflict');
  });

  it('compares bodies by value, not by bytes', async () => {
    const sale = await server.openSale({ limitPerBuyer: null });
    const headers = { authorization: `Bearer ${server.token('ann')}`, 'idempotency-key': randomUUID() };
    const target = `/v1/sales/${sale.saleId}/orders?key=${sale.purchaseKey}`;
    const send = (rawBody: string) => server.request('POST', target, { rawBody, headers });
    const { orderId } = expectOk(await send('{"sku":"tee-m","quantity":1}'), 201);
    for (const text of [
      '{ "quantity": 1,\n "sku": "tee-m" }',
      '{"sku":"tee\\u002dm","quantity":1.0}',
      '{"sku":"tee-m","quantity":1e0}',
    ]) {
      expect(expectOk(await send(text), 201).orderId).toBe(orderId);
    }
    expectProblem(await send('{"sku":"tee-m","quantity":2}'), 'idempotency_conflict');
  });

  it('belongs to the exact buyer and to the sale', async () => {
    const sale = await server.openSale({ limitPerBuyer: null });
    const other = await server.openSale({ limitPerBuyer: null });
    const key = randomUUID();
    const ids = new Set<string>();
    for (const [where, buyer] of [
      [sale, 'ann'],
      [sale, 'ANN'],
      [sale, 'ben'],
      [other, 'ann'],
    ] as const) {
      const reply = await server.order(where, buyer, { key });
      expect(reply.headers.get('idempotent-replayed')).toBeNull();
      ids.add(expectOk(reply, 201).orderId);
    }
    expect(ids.size).toBe(4);
  });
});

describe('the answer is the order as it now stands', () => {
  it('after a cancel, at full limit, without stock, with a wrong purchase key', async () => {
    const sale = await server.openSale({ items: [item({ stock: 1 })] });
    const key = randomUUID();
    const { orderId } = expectOk(await server.order(sale, 'ann', { key }), 201);
    expect((await replays(sale, key, orderId)).status).toBe('held');
    expect((await replays({ ...sale, purchaseKey: 'wrong' }, key, orderId)).status).toBe('held');
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${orderId}/cancel`));
    expect((await replays(sale, key, orderId)).status).toBe('cancelled');
    expect(await levels(server, sale.saleId)).toMatchObject({ available: 1, held: 0 });
  });

  it('paid, then while paused, then after the end', async () => {
    const sale = await server.openSale();
    const key = randomUUID();
    const order = expectOk(await server.order(sale, 'ann', { key }), 201);
    expectOk(await server.pay(order));
    expect((await replays(sale, key, order.orderId)).status).toBe('paid');
    await act(sale, 'pause');
    expect((await replays(sale, key, order.orderId)).status).toBe('paid');
    expectProblem(await server.order(sale, 'ann', { key, quantity: 2 }), 'idempotency_conflict');
    await act(sale, 'end');
    expect((await replays(sale, key, order.orderId)).status).toBe('paid');
    expectProblem(await server.order(sale, 'ben'), 'sale_ended');
  });

  it('once the sold-out latch is up, the winner still gets the order', async () => {
    const sale = await server.openSale({ items: [item({ stock: 1 })] });
    const key = randomUUID();
    const { orderId } = expectOk(await server.order(sale, 'ann', { key }), 201);
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        expectProblem(await server.order(sale, `loser-${index}`), 'sold_out');
      }),
    );
    await replays(sale, key, orderId);
  });
});

describe('a refusal is not remembered', () => {
  it('the same key gets a fresh try when units come back', async () => {
    const sale = await server.openSale({ items: [item({ stock: 1 })] });
    const winner = expectOk(await server.order(sale, 'ann'), 201);
    const key = randomUUID();
    expectProblem(await server.order(sale, 'ben', { key }), 'sold_out');
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${winner.orderId}/cancel`));
    await until('ben gets the unit', 10_000, async () => {
      const reply = await server.order(sale, 'ben', { key });
      if (reply.status !== 201) expectProblem(reply, 'sold_out');
      return reply.status === 201;
    });
  });

  it('the same key may come with another body after a refusal', async () => {
    const sale = await server.openSale({ limitPerBuyer: 2 });
    const key = randomUUID();
    expectProblem(await server.order(sale, 'ann', { key, quantity: 3 }), 'limit_reached');
    const reply = await server.order(sale, 'ann', { key, quantity: 2 });
    expect(reply.headers.get('idempotent-replayed')).toBeNull();
    expect(expectOk(reply, 201).quantity).toBe(2);
  });

  it('of many refused at once with one key none leaves a debt', async () => {
    const sale = await server.openSale({ items: [item({ stock: 1 })], limitPerBuyer: null });
    const winner = expectOk(await server.order(sale, 'ann'), 201);
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 20 }, () => server.order(sale, 'ben', { key })));
    for (const reply of replies) expectProblem(reply, 'sold_out');
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${winner.orderId}/cancel`));
    expect(await levels(server, sale.saleId)).toEqual({ total: 1, available: 1, held: 0, sold: 0 });
  });
});

describe('keys of other acts', () => {
  it('a cancel by the merchant with a key is one act', async () => {
    const sale = await server.openSale();
    const order = expectOk(await server.order(sale, 'ann'), 201);
    const headers = { 'idempotency-key': randomUUID() };
    const cancel = (reason: string) =>
      server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, { returnToStock: false, reason }, headers);
    expect(expectOk(await cancel('asked')).status).toBe('cancelled');
    const again = await cancel('asked');
    expect(expectOk(again).status).toBe('cancelled');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectProblem(await cancel('other'), 'idempotency_conflict');
  });

  it('a key that is no key is invalid on every POST that takes one', async () => {
    const sale = await server.openSale();
    const bad = { 'idempotency-key': 'two words' };
    expectProblem(await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/pause`, undefined, bad), 'invalid');
    const body = { delta: 1, reason: 'x' };
    expectProblem(
      await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/items/tee-m/stock`, body, bad),
      'invalid',
    );
  });
});
