/** Field cases A: neither oversold nor undersold. Parallel means parallel: one connection per request under way. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { type Answer, buyers, Crowd, won } from './support/crowd.ts';
import {
  crowdedTimeoutMs,
  expectRefusal,
  itemBooks,
  pauseMs,
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

it('H001 stock 4, 120 buyers order and pay at once: 4 confirmed, 116 sold out at placing time, stock 0', async () => {
  const sale = await server.openSale({ ...stockOf(4), showStock: true });
  await crowd.warm(120);
  const watch = watchBooks(server, sale.saleId);
  const chains = await Promise.all(
    buyers('h001', 120).map(async (wish) => {
      const placed = await crowd.send(crowd.orderShot(sale, wish));
      return { placed, paid: placed.status === 201 ? await server.pay(placed.body) : null };
    }),
  );
  const { faults } = await watch.stop();
  expect(faults).toEqual([]);
  expect(tally(chains.map((chain) => chain.placed))).toEqual({ '201': 4, '409 sold_out': 116 });
  for (const { placed } of chains) if (placed.status !== 201) expectRefusal(placed, 409, 'sold_out');
  expect(chains.flatMap((chain) => (chain.paid === null ? [] : [chain.paid.body.status]))).toEqual(
    Array(4).fill('paid'),
  );
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 4, available: 0, held: 0, sold: 4 });
  const item = await until('the page says sold out', 3_000, async () => {
    const state = await server.request('GET', `/v1/sales/${sale.saleId}/state`);
    return state.body.items[0].availability === 'sold_out' ? state.body.items[0] : null;
  });
  expect(item).toMatchObject({ availability: 'sold_out', available: 0 });
});

it('H002 stock 5, two buyers ask for 3 in the same millisecond: one wins, the other hears of the 2 that remain', async () => {
  for (let round = 0; round < 5; round += 1) {
    const sale = await server.openSale({ ...stockOf(5), limitPerBuyer: 5 });
    const answers = await crowd.orders(sale, [
      { buyerId: 'h002-a', quantity: 3 },
      { buyerId: 'h002-b', quantity: 3 },
    ]);
    expect(tally(answers)).toEqual({ '201': 1, '409 not_enough': 1 });
    const refused = answers.find((answer) => answer.status === 409) as Answer;
    expectRefusal(refused, 409, 'not_enough');
    expect(refused.body.available).toBe(2);
    const rest = await server.order(sale, 'h002-c', { quantity: 2 });
    expect(rest.status).toBe(201);
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 5, available: 0, held: 5 });
  }
});

it(
  'H003 stock 1,000, 1,000 single-unit orders in parallel: held and sold are the accepted orders, the sum is 1,000',
  async () => {
    const sale = await server.openSale(stockOf(1_000));
    await crowd.warm(1_000);
    const watch = watchBooks(server, sale.saleId);
    const answers = await crowd.orders(sale, buyers('h003', 1_000));
    const paid = await Promise.all(
      won(answers)
        .slice(0, 100)
        .map((answer) => server.pay(answer.body)),
    );
    const { faults, readings } = await watch.stop();
    expect(faults).toEqual([]);
    expect(new Set(readings.map(([item]) => item?.total))).toEqual(new Set([1_000]));
    expect(tally(answers)).toEqual({ '201': 1_000 });
    expect(new Set(answers.map((answer) => answer.body.orderId)).size).toBe(1_000);
    expect(new Set(paid.map((answer) => answer.body.status))).toEqual(new Set(['paid']));
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 0, held: 900, sold: 100 });
  },
  crowdedTimeoutMs,
);

it('H004 stock 1: a body with lines or with a repeated sku or quantity is refused as invalid and takes nothing', async () => {
  const sale = await server.openSale({ ...stockOf(1), limitPerBuyer: 20 });
  const bodies = [
    '{"lines":[{"sku":"tee-m","quantity":1},{"sku":"tee-m","quantity":1}]}',
    '{"sku":"tee-m","quantity":1,"lines":[]}',
    '{"sku":"tee-m","sku":"tee-m","quantity":1}',
    '{"sku":"tee-m","quantity":1,"quantity":1}',
    '{"sku":"tee-m","quantity":1,"quantity":2}',
    '{"sku":"tee-m","quantity":1,"s\\u006bu":"tee-m"}',
    '[{"sku":"tee-m","quantity":1}]',
  ];
  const answers = await crowd.orders(
    sale,
    bodies.map((rawBody, at) => ({ buyerId: `h004-${at}`, rawBody })),
  );
  for (const answer of answers) expectRefusal(answer, 422, 'invalid');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 1, held: 0 });
  expect((await server.order(sale, 'h004-0')).status).toBe(201);
});

it('H004 limit 20, stock 10: 20 parallel single-unit orders of one buyer end in 10 units', async () => {
  const sale = await server.openSale({ ...stockOf(10), limitPerBuyer: 20 });
  const answers = await crowd.orders(
    sale,
    Array.from({ length: 20 }, () => ({ buyerId: 'h004-many' })),
  );
  expect(tally(answers)).toEqual({ '201': 10, '409 sold_out': 10 });
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 0, held: 10 });
});

it('H006 an order of 3 that finds only 2 units at the commit is refused as a whole', async () => {
  const sale = await server.openSale({ ...stockOf(8), limitPerBuyer: 3 });
  await crowd.warm(40);
  const answers = await crowd.orders(
    sale,
    buyers('h006', 40).map((wish) => ({ ...wish, quantity: 3 })),
  );
  expect(tally(answers)).toEqual({ '201': 2, '409 not_enough': 38 });
  for (const answer of answers) if (answer.status !== 201) expect(answer.body.available).toBe(2);
  expect(won(answers).map((answer) => answer.body.quantity)).toEqual([3, 3]);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 2, held: 6 });
});

it('H006 an order of 3 that was placed but finds 1 unit at its payment is never confirmed with fewer', async () => {
  const sale = await server.openSale({ ...stockOf(4), limitPerBuyer: 3, deductAt: 'payment', overAdmit: 1.5 });
  const placed = await crowd.orders(
    sale,
    buyers('h006-late', 2).map((wish) => ({ ...wish, quantity: 3 })),
  );
  expect(placed.map((answer) => answer.body.status)).toEqual(['placed', 'placed']);
  const paid = await Promise.all(placed.map((answer) => server.pay(answer.body)));
  expect(paid.map((answer) => answer.body.status).sort()).toEqual(['paid', 'refund_due']);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 4, available: 1, sold: 3 });
});

it('H008 stock 10 in 4 segments: one after another, 10 single-unit buyers succeed and the 11th is sold out', async () => {
  const sale = await server.openSale({ ...stockOf(10), segments: 4 });
  for (const { buyerId } of buyers('h008', 10)) expect((await server.order(sale, buyerId)).status).toBe(201);
  expectRefusal(await server.order(sale, 'h008-late'), 409, 'sold_out');
  const parallel = await server.openSale({ ...stockOf(10), segments: 4 });
  const answers = await crowd.orders(parallel, buyers('h008-at-once', 60));
  expect(tally(answers)).toEqual({ '201': 10, '409 sold_out': 50 });
});

it('H008 stock 10 in 4 segments: a 4-unit order succeeds while 4 remain in sum, else it is refused and loses no unit', async () => {
  const sale = await server.openSale({ ...stockOf(10), segments: 4, limitPerBuyer: 4 });
  expect((await server.order(sale, 'h008-a', { quantity: 4 })).status).toBe(201);
  expect((await server.order(sale, 'h008-b', { quantity: 4 })).status).toBe(201);
  const refused = await server.order(sale, 'h008-c', { quantity: 4 });
  expectRefusal(refused, 409, 'not_enough');
  expect(refused.body.available).toBe(2);
  expect((await server.order(sale, 'h008-d', { quantity: 1 })).status).toBe(201);
  expect((await server.order(sale, 'h008-e', { quantity: 1 })).status).toBe(201);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 0, held: 10 });
});

it.concurrent(
  'H005 stock 10, 1,000 attempts, then 3 holds expire: exactly 3 further buyers succeed',
  async () => {
    const holdSeconds = 8;
    const sale = await server.openSale({ ...stockOf(10), holdSeconds });
    await crowd.warm(500);
    const answers = await crowd.orders(sale, buyers('h005', 1_000));
    expect(tally(answers)).toEqual({ '201': 10, '409 sold_out': 990 });
    await Promise.all(
      won(answers)
        .slice(0, 7)
        .map((answer) => server.pay(answer.body)),
    );
    await until('3 holds have expired', (holdSeconds + 4) * 1_000, async () => {
      return (await itemBooks(server, sale.saleId)).available === 3;
    });
    // The sold-out latch may lag by 1 s; a refusal took nothing, so whoever of the 20 was refused asks again.
    let open = buyers('h005-further', 20);
    await until('3 further buyers succeed', 3_000, async () => {
      const again = await crowd.orders(sale, open);
      open = open.filter((_, at) => again[at]?.status !== 201);
      return open.length <= 17;
    });
    const late = await crowd.orders(sale, buyers('h005-late', 20));
    expect(tally(late)).toEqual({ '409 sold_out': 20 });
    expect(open).toHaveLength(17);
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 0, held: 3, sold: 7 });
  },
  crowdedTimeoutMs,
);

it.concurrent(
  'H007 stock 100, payments take 15 s, 400 buyers in 5 s: 100 holds, 300 refused at once, no unit sold twice',
  async () => {
    const sale = await server.openSale(stockOf(100));
    const startedAtMs = performance.now();
    const chains = buyers('h007', 400).map(async (wish, at) => {
      await pauseMs((at * 5_000) / 400);
      const placed = await crowd.send(crowd.orderShot(sale, wish));
      const answeredAtMs = performance.now() - startedAtMs;
      if (placed.status !== 201) return { placed, answeredAtMs, paid: null };
      await pauseMs(15_000);
      return { placed, answeredAtMs, paid: await server.pay(placed.body) };
    });
    const meanwhile = pauseMs(11_000).then(() => crowd.orders(sale, buyers('h007-meanwhile', 50)));
    const ended = await Promise.all(chains);
    expect(tally(ended.map((chain) => chain.placed))).toEqual({ '201': 100, '409 sold_out': 300 });
    // At once: every refusal was given long before the first payment could come.
    for (const chain of ended) if (chain.placed.status !== 201) expect(chain.placed.tookMs).toBeLessThan(5_000);
    expect(Math.max(...ended.map((chain) => chain.answeredAtMs))).toBeLessThan(15_000);
    expect(tally(await meanwhile)).toEqual({ '409 sold_out': 50 });
    expect(ended.filter((chain) => chain.paid?.body.status === 'paid')).toHaveLength(100);
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 0, held: 0, sold: 100 });
  },
  crowdedTimeoutMs,
);
