/** Field cases B: what was held comes back once, in time, and nobody keeps it longer than the sale allows. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { buyers, Crowd, won } from './support/crowd.ts';
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
const availability = async (saleId: string): Promise<string> =>
  (await server.request('GET', `/v1/sales/${saleId}/state`)).body.items[0].availability;

it(
  'H009 the buyer cancels and the provider ends the payment at the same moment: the unit comes back once',
  async () => {
    const sale = await server.openSale(stockOf(1));
    for (let round = 0; round < 20; round += 1) {
      const order = await until('the unit can be bought again', 3_000, async () => {
        const answer = await server.order(sale, `h009-${round}`);
        return answer.status === 201 ? answer.body : null;
      });
      const [cancel, callback] = await Promise.all([
        server.shopper(`h009-${round}`, 'POST', `/v1/orders/${order.orderId}/cancel`),
        server.pay(order, { result: 'expired' }),
      ]);
      expect([200, 409]).toContain(cancel.status);
      expect(callback.status).toBe(200);
      const after = await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`);
      expect(['cancelled', 'expired']).toContain(after.body.status);
      expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 1, available: 1, held: 0, sold: 0 });
    }
  },
  crowdedTimeoutMs,
);

it(
  'H010 a hold of 10 units is cancelled by buyer and merchant at once: exactly 10 units return',
  async () => {
    const sale = await server.openSale({ ...stockOf(25), limitPerBuyer: 10 });
    const other = await server.order(sale, 'h010-other', { quantity: 10 });
    expect(other.status).toBe(201);
    for (let round = 0; round < 10; round += 1) {
      const order = (await server.order(sale, 'h010', { quantity: 10 })).body;
      expect(await itemBooks(server, sale.saleId)).toMatchObject({ available: 5, held: 20 });
      const answers = await Promise.all([
        server.shopper('h010', 'POST', `/v1/orders/${order.orderId}/cancel`),
        server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, { returnToStock: true, reason: 'both' }),
      ]);
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      expect(answers.some((answer) => answer.status === 200)).toBe(true);
      const after = await server.shopper('h010', 'GET', `/v1/orders/${order.orderId}`);
      expect(after.body.status).toBe('cancelled');
      expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 25, available: 15, held: 10 });
    }
  },
  crowdedTimeoutMs,
);

it('H011 the holder of the last unit reloads and submits again: the same hold with the same expiry', async () => {
  const sale = await server.openSale(stockOf(1));
  const first = await server.order(sale, 'h011', { key: 'the-page-key' });
  expect(first.status).toBe(201);
  expectRefusal(await server.order(sale, 'h011-other'), 409, 'sold_out');
  for (const _reload of [1, 2, 3]) {
    const again = await server.order(sale, 'h011', { key: 'the-page-key' });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toMatchObject({ orderId: first.body.orderId, status: 'held', expiresAt: first.body.expiresAt });
  }
  // A page that lost its key hears of its own hold, never of a sold-out sale; and it finds the hold in its list.
  expectRefusal(await server.order(sale, 'h011'), 409, 'limit_reached');
  const own = await server.shopper('h011', 'GET', `/v1/sales/${sale.saleId}/orders`);
  expect(own.body.items).toHaveLength(1);
  expect(own.body.items[0]).toMatchObject({ orderId: first.body.orderId, expiresAt: first.body.expiresAt });
});

it('H015 an operator cancels an order of 5, fails to bring it back, cancels again: stock as after one cancel', async () => {
  const sale = await server.openSale({ ...stockOf(10), limitPerBuyer: 5, paymentGraceSeconds: 60 });
  const order = (await server.order(sale, 'h015', { quantity: 5, key: 'h015' })).body;
  const target = `/v1/merchant/orders/${order.orderId}`;
  const cancel = { returnToStock: true, reason: 'asked by telephone' };
  expect((await server.merchant('POST', `${target}/cancel`, cancel)).body.status).toBe('cancelled');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 10, held: 0 });
  expect((await server.merchant('POST', `${target}/payment-started`)).status).toBe(409);
  expect((await server.order(sale, 'h015', { quantity: 5, key: 'h015' })).body.status).toBe('cancelled');
  const paid = await server.pay(order);
  expect(paid.body.status).toBe('refund_due');
  expect([200, 409]).toContain((await server.merchant('POST', `${target}/cancel`, cancel)).status);
  expect((await server.merchant('GET', target)).body.status).toBe('refund_due');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 10, held: 0, sold: 0 });
});

it.concurrent(
  'H012 100 units held by buyers who vanish, three rounds: all 100 are buyable again, the total stays 100',
  async () => {
    const sale = await server.openSale({ ...stockOf(100), holdSeconds: 8 });
    for (const round of [1, 2, 3]) {
      let open = buyers(`h012-${round}`, 100);
      // The sold-out latch of the round before may lag by 1 s: who was refused asks again.
      await until(`round ${round}: all 100 are bought`, 6_000, async () => {
        const answers = await crowd.orders(sale, open);
        open = open.filter((_, at) => answers[at]?.status !== 201);
        return open.length === 0;
      });
      expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 0, held: 100 });
      expect(
        await until('the page says all held', 5_000, async () => {
          const now = await availability(sale.saleId);
          return now === 'available' ? null : now;
        }),
      ).toBe('all_held');
      await until(
        `round ${round}: the page stops saying so`,
        12_000,
        async () => (await availability(sale.saleId)) === 'available',
      );
      await until(
        `round ${round}: all 100 are back`,
        3_000,
        async () => (await itemBooks(server, sale.saleId)).available === 100,
      );
    }
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 100, available: 100, held: 0, sold: 0 });
  },
  crowdedTimeoutMs,
);

it.concurrent(
  'H013 hold time 15 s and no traffic: the units are back within 2 s of the expiry, without any request',
  async () => {
    const quiet = await startField();
    const sale = await quiet.openSale({ ...stockOf(1), holdSeconds: 15, showStock: true });
    const order = (await quiet.order(sale, 'h013')).body;
    const expiresAtMs = Date.parse(order.expiresAt);
    expect(expiresAtMs - Date.parse(order.placedAt)).toBe(15_000);
    // Read from the ledger itself, so that no request of ours can be what triggers the expiry.
    const ledger = await openLedger(quiet, { readOnly: true });
    const status = () => ledger.statusOfOnlyOrder();
    expect(status()).toBe('held');
    await until('the hold has ended in the ledger', 20_000, () => status() === 'expired');
    const seenAtMs = Date.now();
    ledger.close();
    expect(seenAtMs).toBeGreaterThanOrEqual(expiresAtMs);
    expect(seenAtMs).toBeLessThanOrEqual(expiresAtMs + 2_000);
    const item = (await quiet.request('GET', `/v1/sales/${sale.saleId}/state`)).body.items[0];
    expect(item).toMatchObject({ availability: 'available', available: 1 });
    expect((await quiet.merchant('GET', `/v1/merchant/orders/${order.orderId}`)).body.status).toBe('expired');
    await quiet.stop();
  },
  crowdedTimeoutMs,
);

it.concurrent(
  'H014 the holder keeps asking for one more: no sequence of requests keeps the unit beyond the maximum',
  async () => {
    const sale = await server.openSale({ ...stockOf(2), holdSeconds: 8, paymentGraceSeconds: 2 });
    const order = (await server.order(sale, 'h014', { key: 'h014' })).body;
    const target = `/v1/orders/${order.orderId}`;
    const started = () => server.merchant('POST', `/v1/merchant/orders/${order.orderId}/payment-started`);
    const placedAtMs = Date.parse(order.placedAt);
    expect(Date.parse(order.expiresAt)).toBe(placedAtMs + 8_000);
    for (let round = 0; Date.now() < placedAtMs + 4_000; round += 1) {
      expectRefusal(await server.order(sale, 'h014'), 409, 'limit_reached');
      expect((await server.order(sale, 'h014', { key: 'h014' })).body.expiresAt).toBe(order.expiresAt);
      await server.shopper('h014', 'PUT', `${target}/details`, { contact: `round ${round}` });
      expect((await server.shopper('h014', 'GET', target)).body.expiresAt).toBe(order.expiresAt);
      await pauseMs(100);
    }
    // The one extension that the sale allows, and not a second one.
    expect((await started()).status).toBe(200);
    const extended = Date.parse((await server.shopper('h014', 'GET', target)).body.expiresAt);
    expect(extended).toBeGreaterThan(placedAtMs + 8_000);
    expect(extended).toBeLessThanOrEqual(placedAtMs + 10_000);
    await until('the hold has ended', 15_000, async () => {
      await started();
      await server.order(sale, 'h014', { key: 'h014' });
      await server.pay(order, { result: 'failed' });
      const now = (await server.shopper('h014', 'GET', target)).body;
      if (now.status === 'held') expect(Date.parse(now.expiresAt)).toBe(extended);
      return now.status === 'expired';
    });
    expect(Date.now()).toBeLessThanOrEqual(extended + 2_000 + 1_000);
    const ended = (await server.shopper('h014', 'GET', target)).body;
    expect(Date.parse(ended.closedAt)).toBeGreaterThanOrEqual(extended);
    expect(Date.parse(ended.closedAt)).toBeLessThanOrEqual(extended + 2_000);
    expect((await started()).status).toBe(409);
  },
  crowdedTimeoutMs,
);

it.concurrent(
  'H016 100 lapsed holds, one record corrupt: the other 99 are released in that pass, the bad one is parked and reported',
  async () => {
    const first = await startField();
    const sale = await first.openSale({ ...stockOf(100), holdSeconds: 5 });
    const client = new Crowd(first);
    const answers = won(await client.orders(sale, buyers('h016', 100)));
    await client.close();
    expect(answers).toHaveLength(100);
    const spoiled = answers[49]?.body.orderId as string;
    expect((await first.kill()).signal).toBe('SIGKILL');
    const ledger = await openLedger(first);
    ledger.spoil(spoiled);
    ledger.close();
    const second = await startField({ data: first.data });
    await until('the other 99 are back', 10_000, async () => {
      const books = await second.books(sale.saleId);
      return books.items[0].available === 99;
    });
    const rest = await second.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?status=expired&limit=500`);
    expect(rest.body.items).toHaveLength(99);
    expect(rest.body.items.map((order: { orderId: string }) => order.orderId)).not.toContain(spoiled);
    await until('the bad record is reported', 5_000, () => second.logs().includes(spoiled));
    // Parked: on record with its reason, and not tried over and over.
    const audit = await second.merchant('GET', `/v1/merchant/sales/${sale.saleId}/audit?limit=500`);
    const about = audit.body.items.filter((row: object) => JSON.stringify(row).includes(spoiled));
    expect(about).toEqual([expect.objectContaining({ actor: 'system', reason: expect.stringMatching(/\S/) })]);
    // The sale goes on with what is free, and the parked record is not counted as free.
    const next = new Crowd(second);
    const late = await next.orders(sale, buyers('h016-late', 120));
    await next.close();
    expect(tally(late)['201']).toBe(99);
    await discardField(second);
  },
  crowdedTimeoutMs,
);
