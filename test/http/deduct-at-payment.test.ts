/**
 * `deductAt: payment`: an order takes nothing, at most floor(stock × overAdmit) units are let in, a payment takes the
 * unit then and there, and once the last is paid the rest ends as refused within 2 s. Never oversold (I1).
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
interface Order {
  readonly orderId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

const open = (stock: number, settings: Record<string, unknown> = {}): Promise<Sale> =>
  server.openSale({ deductAt: 'payment', overAdmit: 1.5, items: [item({ stock })], ...settings });
const place = async (sale: Sale, buyer: string, quantity = 1): Promise<Order> => {
  const order = expectOk(await server.order(sale, buyer, { quantity }), 201);
  expect(order.status).toBe('placed');
  return order;
};
const placeMany = (sale: Sale, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => place(sale, `buyer-${index}`)));
const status = async (order: Order): Promise<string> =>
  expectOk(await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`)).status;

describe('letting in', () => {
  // floor(stock × overAdmit), counted in decimals: 100 × 1.15 is 115, though in floating point it is a little less.
  it.each([
    [10, 1.5, 15],
    [10, 1.1, 11],
    [3, 1.1, 3],
    [7, 1.99, 13],
    [100, 1.15, 115],
    [4, 1, 4],
  ])('stock %i × %d lets %i in, then sold_out with all_held', async (stock, overAdmit, admitted) => {
    const sale = await open(stock, { overAdmit, limitPerBuyer: null });
    const replies = await Promise.all(Array.from({ length: admitted + 10 }, () => server.order(sale, 'ann')));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(admitted);
    for (const reply of replies.filter((entry) => entry.status !== 201)) {
      expect(expectProblem(reply, 'sold_out').availability).toBe('all_held');
    }
    expect(await levels(server, sale.saleId)).toEqual({ total: stock, available: stock, held: 0, sold: 0 });
  });

  it('an order takes nothing; limits count it all the same', async () => {
    const sale = await open(10);
    await place(sale, 'ann');
    expectProblem(await server.order(sale, 'Ann'), 'limit_reached');
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 10, held: 0, sold: 0 });
  });

  it('a cancelled or expired one makes room', async () => {
    const sale = await open(2);
    const [first, second, third] = (await placeMany(sale, 3)) as [Order, Order, Order];
    expectProblem(await server.order(sale, 'late-1'), 'sold_out');
    expectOk(await server.shopper('buyer-0', 'POST', `/v1/orders/${first.orderId}/cancel`));
    expectOk(await server.pay(second, { result: 'expired' }));
    expect(await status(first)).toBe('cancelled');
    expect(await status(second)).toBe('expired');
    expect(await status(third)).toBe('placed');
    for (const buyer of ['late-1', 'late-2']) {
      await until(`${buyer} is let in`, 10_000, async () => (await server.order(sale, buyer)).status === 201);
    }
    expectProblem(await server.order(sale, 'late-3'), 'sold_out');
  });

  it('a placed order expires by time', async () => {
    const sale = await open(2, { holdSeconds: 5 });
    const order = await place(sale, 'ann');
    await until('the order expires', 20_000, async () => (await status(order)) === 'expired');
    await until('ann may order again', 10_000, async () => (await server.order(sale, 'ann')).status === 201);
  });

  it('a free item is paid at once and takes its unit', async () => {
    const sale = await open(2, { items: [item({ stock: 2, priceMinor: 0 })] });
    expect(expectOk(await server.order(sale, 'ann'), 201).status).toBe('paid');
    expectOk(await server.order(sale, 'ben'), 201);
    expect(await levels(server, sale.saleId)).toEqual({ total: 2, available: 0, held: 0, sold: 2 });
    expect(expectProblem(await server.order(sale, 'cid'), 'sold_out').availability).toBe('sold_out');
  });
});

describe('paying', () => {
  it('sells exactly the stock; the rest is refused within 2 s and told sold_out', async () => {
    const sale = await open(10);
    const orders = await placeMany(sale, 15);
    const winners = orders.slice(0, 10);
    const losers = orders.slice(10);
    for (const order of winners.slice(0, 9)) expect(expectOk(await server.pay(order)).status).toBe('paid');
    expect(await status(losers[0] as Order)).toBe('placed');
    const last = expectOk(await server.pay(winners[9] as Order));
    expect(last.status).toBe('paid');
    for (const order of losers) {
      const refused = await until('the order is refused', 10_000, async () => {
        const seen = expectOk(await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`));
        return seen.status === 'refused' && seen;
      });
      // By the server's own clock.
      expect(Date.parse(refused.closedAt) - Date.parse(last.paidAt)).toBeLessThanOrEqual(2000);
    }
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 0, held: 0, sold: 10 });
    const books = await server.books(sale.saleId);
    expect(books.orders).toMatchObject({ paid: 10, refused: 5 });
    expect(expectProblem(await server.order(sale, 'late'), 'sold_out').availability).toBe('sold_out');
    await until('the page says sold_out', 10_000, async () => {
      const state = await server.request('GET', `/v1/sales/${sale.saleId}/state`);
      return state.body.items[0].availability === 'sold_out';
    });
  });

  it('a race of all payments sells exactly the stock; each other success is a refund', async () => {
    const sale = await open(10);
    const orders = await placeMany(sale, 15);
    const replies = await Promise.all(orders.map((order) => server.pay(order)));
    const statuses = replies.map((reply) => expectOk(reply).status);
    expect(statuses.filter((entry) => entry === 'paid')).toHaveLength(10);
    expect(statuses.filter((entry) => entry === 'refund_due')).toHaveLength(5);
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 0, held: 0, sold: 10 });
  });

  it('placed → refund_due when not all its units are free', async () => {
    const sale = await open(2, { limitPerBuyer: null, overAdmit: 2 });
    const single = await place(sale, 'ann', 1);
    const double = await place(sale, 'ben', 2);
    expectOk(await server.pay(single));
    const paymentId = `pay-${randomUUID()}`;
    expect(expectOk(await server.pay(double, { paymentId }))).toMatchObject({
      status: 'refund_due',
      refundsDue: [{ paymentId, amountMinor: double.amountMinor, currency: 'EUR' }],
    });
    expect(await levels(server, sale.saleId)).toEqual({ total: 2, available: 1, held: 0, sold: 1 });
  });

  it('refused → refund_due by a late success, and its key keeps answering with it', async () => {
    const sale = await open(1, { overAdmit: 2 });
    const key = randomUUID();
    const loser: Order = expectOk(await server.order(sale, 'ann', { key }), 201);
    const winner = await place(sale, 'ben');
    expectOk(await server.pay(winner));
    await until('the order is refused', 10_000, async () => (await status(loser)) === 'refused');
    const again = await server.order(sale, 'ann', { key });
    expect(expectOk(again, 201)).toMatchObject({ orderId: loser.orderId, status: 'refused' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(expectOk(await server.pay(loser))).toMatchObject({
      status: 'refund_due',
      refundsDue: [{ amountMinor: 2500 }],
    });
    expect(await levels(server, sale.saleId)).toEqual({ total: 1, available: 0, held: 0, sold: 1 });
  });

  it('a paid order that is cancelled with returnToStock can be sold again', async () => {
    const sale = await open(1, { overAdmit: 1 });
    const order = await place(sale, 'ann');
    expectOk(await server.pay(order));
    expectProblem(await server.order(sale, 'ben'), 'sold_out');
    const body = { returnToStock: true, reason: 'broken' };
    expectOk(await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, body));
    const second = await until('the unit is free', 10_000, async () => {
      const reply = await server.order(sale, 'ben');
      return reply.status === 201 && reply.body;
    });
    expect(expectOk(await server.pay(second)).status).toBe('paid');
    expect(await levels(server, sale.saleId)).toEqual({ total: 1, available: 0, held: 0, sold: 1 });
  });
});
