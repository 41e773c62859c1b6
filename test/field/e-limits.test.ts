/** Field cases E: the limit holds for a buyer however many requests, devices or spellings he brings. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { type Answer, buyers, Crowd, won } from './support/crowd.ts';
import {
  crowdedTimeoutMs,
  expectRefusal,
  itemBooks,
  startField,
  startTimeoutMs,
  tally,
  until,
  watchBooks,
} from './support/field-server.ts';

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

it('H030 limit 1, one buyer, 64 parallel requests with 64 keys: 1 succeeds, 63 are limit refusals, 1 unit is taken', async () => {
  const sale = await server.openSale({ ...stockOf(100), limitPerBuyer: 1 });
  await crowd.warm(64);
  const answers = await crowd.orders(
    sale,
    Array.from({ length: 64 }, (_, at) => ({ buyerId: 'h030', key: `h030-${at}` })),
  );
  expect(tally(answers)).toEqual({ '201': 1, '409 limit_reached': 63 });
  for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, 409, 'limit_reached');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 99, held: 1 });
});

it('H030 the limit is one for the whole sale: two items in parallel do not make it two', async () => {
  const sale = await server.openSale({
    limitPerBuyer: 1,
    items: ['a', 'b', 'c', 'd'].map((sku) => ({ sku, title: sku, priceMinor: 100, stock: 10 })),
  });
  const wishes = Array.from({ length: 64 }, (_, at) => ({
    buyerId: 'h030-items',
    sku: ['a', 'b', 'c', 'd'][at % 4] as string,
  }));
  expect(tally(await crowd.orders(sale, wishes))).toEqual({ '201': 1, '409 limit_reached': 63 });
});

it('H031 limit 1, one token on several devices at once: one unit, signed in or as a guest', async () => {
  const sale = await server.openSale({ ...stockOf(100), limitPerBuyer: 1, guests: true });
  const guest = await server.request('POST', `/v1/sales/${sale.saleId}/guests`);
  expect(guest.status).toBe(201);
  expect(guest.body.buyerId).toMatch(/^guest:/);
  for (const token of [server.token('h031'), guest.body.token as string]) {
    const devices = Array.from({ length: 16 }, (_, at) => ({
      buyerId: 'h031',
      token,
      headers: { 'user-agent': `device ${at}` },
    }));
    expect(tally(await crowd.orders(sale, devices))).toEqual({ '201': 1, '409 limit_reached': 15 });
  }
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 98, held: 2 });
});

it('H032 limit 1: spellings of one buyer id that differ by case, outer spaces or composition are one buyer', async () => {
  const spellings = [
    [' Bob@X.com', 'bob@x.com ', 'BOB@X.COM'],
    ['Zo\u00EB', 'ZOE\u0308', ' zo\u00EB '],
  ];
  for (const ids of spellings) {
    const sale = await server.openSale({ ...stockOf(10), limitPerBuyer: 1 });
    const answers = await crowd.orders(
      sale,
      ids.map((buyerId) => ({ buyerId })),
    );
    expect(tally(answers)).toEqual({ '201': 1, '409 limit_reached': 2 });
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 9, held: 1 });
    // Ownership is exact: another spelling does not open the order.
    const owner = answers.findIndex((answer) => answer.status === 201);
    const target = `/v1/orders/${answers[owner]?.body.orderId}`;
    for (const [at, buyerId] of ids.entries())
      expect((await server.shopper(buyerId, 'GET', target)).status).toBe(at === owner ? 200 : 404);
  }
});

it(
  'H034 stock 100, limit 1, one buyer sends 1,000 requests: 1 unit is gone, 99 stay buyable at every moment',
  async () => {
    const sale = await server.openSale({ ...stockOf(100), limitPerBuyer: 1 });
    await crowd.warm(1_000);
    const watch = watchBooks(server, sale.saleId);
    const storm = await crowd.orders(
      sale,
      Array.from({ length: 1_000 }, () => ({ buyerId: 'h034' })),
    );
    const { faults, readings } = await watch.stop();
    expect(faults).toEqual([]);
    expect(Math.min(...readings.map(([item]) => item?.available ?? -1))).toBeGreaterThanOrEqual(99);
    expect(tally(storm)).toEqual({ '201': 1, '409 limit_reached': 999 });
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 99, held: 1 });
    // In the middle of a second storm all the others get theirs.
    const [again, others] = await Promise.all([
      crowd.orders(
        sale,
        Array.from({ length: 500 }, () => ({ buyerId: 'h034' })),
      ),
      crowd.orders(sale, buyers('h034-other', 99)),
    ]);
    expect(tally(others)).toEqual({ '201': 99 });
    expect(won(again)).toHaveLength(0);
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 0, held: 100 });
  },
  crowdedTimeoutMs,
);

it.concurrent('H033 limit 3 and a hold of 3: one more is refused until the hold has expired, then accepted', async () => {
  const sale = await server.openSale({ ...stockOf(10), limitPerBuyer: 3, holdSeconds: 5 });
  const first = (await server.order(sale, 'h033', { quantity: 3 })).body;
  expectRefusal(await server.order(sale, 'h033'), 409, 'limit_reached');
  let last: Answer['body'];
  const second = await until('one more is accepted', 12_000, async () => {
    const answer = await server.order(sale, 'h033');
    last = answer.body;
    return answer.status === 201 ? answer.body : null;
  });
  expect(last.status).toBe('held');
  expect(Date.parse(second.placedAt)).toBeGreaterThanOrEqual(Date.parse(first.expiresAt));
  expect((await server.shopper('h033', 'GET', `/v1/orders/${first.orderId}`)).body.status).toBe('expired');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 9, held: 1 });
});
