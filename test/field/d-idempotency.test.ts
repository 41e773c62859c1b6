/** Field cases D: one key, one order, whatever happens on the way; a refusal is never remembered. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { type Answer, buyers, Crowd, type OrderWish, won } from './support/crowd.ts';
import {
  crowdedTimeoutMs,
  discardField,
  expectRefusal,
  itemBooks,
  pauseMs,
  startField,
  startTimeoutMs,
  tally,
  until,
  watchBooks,
} from './support/field-server.ts';
import { openLedger } from './support/ledger-access.ts';

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

const stockOf = (stock: number) => ({ items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock }] });
const withKeys = (wishes: readonly OrderWish[]): OrderWish[] =>
  wishes.map((wish) => ({ ...wish, key: `key-of-${wish.buyerId}` }));
const made = (answers: readonly Answer[]) =>
  won(answers).filter((answer) => answer.headers['idempotent-replayed'] === undefined);

it('H023 one buyer, one key, 50 identical requests in parallel: one order, one unit, one id in all answers', async () => {
  const sale = await server.openSale({ ...stockOf(100), limitPerBuyer: 50 });
  await crowd.warm(50);
  const wish = { buyerId: 'h023', key: 'h023' };
  const answers = await crowd.orders(
    sale,
    Array.from({ length: 50 }, () => wish),
  );
  expect(tally(answers)).toEqual({ '201': 50 });
  expect(new Set(answers.map((answer) => answer.body.orderId)).size).toBe(1);
  expect(made(answers)).toHaveLength(1);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 99, held: 1 });
  const own = await server.shopper('h023', 'GET', `/v1/sales/${sale.saleId}/orders`);
  expect(own.body.items).toHaveLength(1);
});

it('H024 the provider calls back while the browser returns: one order, and both see it', async () => {
  const sale = await server.openSale(stockOf(10));
  for (let round = 0; round < 10; round += 1) {
    const wish = { buyerId: `h024-${round}`, key: 'h024' };
    const order = (await server.order(sale, wish.buyerId, wish)).body;
    const [callback, browser, reading] = await Promise.all([
      server.pay(order),
      server.order(sale, wish.buyerId, wish),
      server.shopper(wish.buyerId, 'GET', `/v1/orders/${order.orderId}`),
    ]);
    expect(callback.body).toMatchObject({ orderId: order.orderId, status: 'paid' });
    expect(browser.status).toBe(201);
    for (const seen of [browser, reading]) {
      expect(seen.body.orderId).toBe(order.orderId);
      expect(['held', 'paid']).toContain(seen.body.status);
    }
    const own = await server.shopper(wish.buyerId, 'GET', `/v1/sales/${sale.saleId}/orders`);
    expect(own.body.items).toHaveLength(1);
    expect(own.body.items[0]).toMatchObject({ orderId: order.orderId, status: 'paid' });
  }
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 0, held: 0, sold: 10 });
});

it('H025 a double click 80 ms apart ends on one order, never on an error', async () => {
  const sale = await server.openSale(stockOf(1));
  const shot = crowd.orderShot(sale, { buyerId: 'h025', key: 'h025' });
  const first = crowd.send(shot);
  await pauseMs(80);
  const answers = await Promise.all([first, crowd.send(shot)]);
  expect(tally(answers)).toEqual({ '201': 2 });
  expect(answers[0]?.body.orderId).toBe(answers[1]?.body.orderId);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 0, held: 1 });
});

it('H026 a key that was used for quantity 1 is refused with quantity 2 or another item, and nothing is bought', async () => {
  const sale = await server.openSale({
    limitPerBuyer: 10,
    items: [
      { sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 10 },
      { sku: 'tee-l', title: 'Tee L', priceMinor: 2500, stock: 10 },
    ],
  });
  const first = await server.order(sale, 'h026', { key: 'K', quantity: 1 });
  expect(first.status).toBe(201);
  for (const other of [{ quantity: 2 }, { sku: 'tee-l' }])
    expectRefusal(await server.order(sale, 'h026', { key: 'K', ...other }), 409, 'idempotency_conflict');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 9, held: 1 });
  expect(await itemBooks(server, sale.saleId, 'tee-l')).toMatchObject({ available: 10, held: 0 });
  // Compared by value: the same body in another order and spelling is the same request; another buyer's K is his own.
  const rawBody = ' { "quantity" : 1.0 , "s\\u006bu" : "tee-m" } ';
  const again = await crowd.send(crowd.orderShot(sale, { buyerId: 'h026', key: 'K', rawBody }));
  expect({ status: again.status, orderId: again.body.orderId }).toEqual({ status: 201, orderId: first.body.orderId });
  const other = await server.order(sale, 'h026-other', { key: 'K', quantity: 2 });
  expect(other.status).toBe(201);
});

it(
  'H028 requests that failed only because the ledger was held up run again under the same key',
  async () => {
    const own = await startField({ env: { DOORBUSTER_QUEUE_WAIT_MS: '100' } });
    const client = new Crowd(own);
    const sale = await own.openSale(stockOf(100));
    const shots = withKeys(buyers('h028', 100)).map((wish) => client.orderShot(sale, wish));
    const ledger = await openLedger(own);
    const letGo = await ledger.holdUp(sale.saleId);
    let during: Answer[];
    try {
      // The first claims are handed to the engine and wait there; those behind them are told to come back.
      const head = client.sendAll(shots.slice(0, 10));
      await pauseMs(100);
      const tail = client.sendAll(shots.slice(10));
      await pauseMs(1_000);
      await letGo();
      during = [...(await head), ...(await tail)];
    } finally {
      ledger.close();
    }
    const refused = during.filter((answer) => answer.status !== 201);
    for (const answer of refused) {
      expect(answer.status).toBe(503);
      expect(answer.body.retryable).toBe(true);
      expect(['busy', 'unavailable']).toContain(answer.body.code);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    }
    expect(refused.length).toBeGreaterThan(0);
    // Who is told to come back comes back, with the same key.
    const again = await Promise.all(
      shots.map((shot) =>
        until('an order after all', 20_000, async () => {
          const answer = await client.send(shot);
          return answer.status === 503 ? null : answer;
        }),
      ),
    );
    expect(tally(again)).toEqual({ '201': 100 });
    for (const [at, answer] of again.entries())
      if (during[at]?.status === 201) expect(answer.body.orderId).toBe(during[at].body.orderId);
    // Only an order that was made is a replay; what was refused as `busy` was never executed behind our back.
    const busy = again.filter((_, at) => during[at]?.body?.code === 'busy');
    expect(made(busy)).toHaveLength(busy.length);
    expect(await itemBooks(own, sale.saleId)).toMatchObject({ total: 100, available: 0, held: 100 });
    await client.close();
    await own.stop();
  },
  crowdedTimeoutMs,
);

it(
  'H029 5,000 orders at once: every order number is unique, and the database itself refuses a second one',
  async () => {
    const own = await startField();
    const client = new Crowd(own);
    const sale = await own.openSale(stockOf(5_000));
    await client.warm(1_000);
    const watch = watchBooks(own, sale.saleId);
    const answers = await client.orders(sale, buyers('h029', 5_000));
    expect((await watch.stop()).faults).toEqual([]);
    expect(tally(answers)).toEqual({ '201': 5_000 });
    expect(new Set(answers.map((answer) => answer.body.orderId)).size).toBe(5_000);
    expect(await itemBooks(own, sale.saleId)).toMatchObject({ total: 5_000, available: 0, held: 5_000 });
    await client.close();
    await own.kill();
    const ledger = await openLedger(own);
    // A row that is new in everything but its number.
    expect(() => ledger.copyOrder()).toThrow(/UNIQUE.*order_id|unique.*order_id|Duplicate.*order_id/i);
    ledger.close();
    await discardField(own);
  },
  crowdedTimeoutMs,
);

it.concurrent(
  'H027 the server is killed with keys in work: a retry 5 s later gets a result, and never a second unit',
  async () => {
    const first = await startField();
    const sale = await first.openSale({ ...stockOf(1_000), limitPerBuyer: 5 });
    const client = new Crowd(first);
    await client.warm(300);
    const wishes = withKeys(buyers('h027', 300)).map((wish) => ({ ...wish, token: first.token(wish.buyerId) }));
    let killed: Promise<unknown> | undefined;
    const answers = await Promise.all(
      wishes.map(async (wish) => {
        const answer = await client.send(client.orderShot(sale, wish));
        killed ??= first.kill();
        return answer;
      }),
    );
    await killed;
    await client.close();
    expect(answers.filter((answer) => answer.status === 0).length).toBeGreaterThan(0);
    await pauseMs(5_000);
    const second = await startField({ data: first.data });
    const retry = new Crowd(second);
    const again = await retry.orders(sale, wishes);
    expect(tally(again)).toEqual({ '201': 300 });
    for (const answer of again) expect(answer.tookMs).toBeLessThan(5_000);
    for (const [at, answer] of answers.entries())
      if (answer.status === 201) expect(again[at]?.body.orderId).toBe(answer.body.orderId);
    await until('the books know of 300 units and not one more', 3_000, async () => {
      const books = await itemBooks(second, sale.saleId);
      return books.held === 300 && books.available === 700;
    });
    await retry.close();
    await discardField(second);
  },
  crowdedTimeoutMs,
);
