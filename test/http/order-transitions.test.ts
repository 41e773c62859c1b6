/**
 * Every row of the order's transition table, and the callbacks that must change nothing. One file of scenarios:
 * an order is brought to a state, something happens, and order, books and refunds are what the table says.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, inSeconds, item, levels, until } from '../support/expecting.ts';
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
  readonly saleId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly expiresAt: string | null;
  readonly status: string;
}

const hold = async (sale: Sale, buyer = 'ann', quantity = 1): Promise<Order> =>
  expectOk(await server.order(sale, buyer, { quantity }), 201);
const read = async (order: Order) => expectOk(await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`));
const act = async (sale: Sale, name: string) =>
  expectOk(await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/${name}`));
const buyerCancels = (order: Order, buyer = 'ann') =>
  server.shopper(buyer, 'POST', `/v1/orders/${order.orderId}/cancel`);
const merchantCancels = (order: Order, returnToStock = false) =>
  server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, { returnToStock, reason: 'asked' });
const refunded = (order: Order, paymentId: string) =>
  server.merchant('POST', `/v1/merchant/orders/${order.orderId}/refunded`, { paymentId, reason: 'sent back' });
const paymentStarted = (order: Order) =>
  server.merchant('POST', `/v1/merchant/orders/${order.orderId}/payment-started`);
const expirePayment = async (order: Order) => expectOk(await server.pay(order, { result: 'expired' }));

const due = (paymentId: string, order: Order) => ({
  paymentId,
  amountMinor: order.amountMinor,
  currency: order.currency,
  reason: expect.stringMatching(/./),
});

describe('an order request', () => {
  it('none → held, whole as the contract says', async () => {
    const sale = await server.openSale({ holdSeconds: 60, limitPerBuyer: null });
    const reply = await server.order(sale, 'ann', { quantity: 2 });
    const order = expectOk(reply, 201);
    expect(order).toMatchObject({
      saleId: sale.saleId,
      sku: 'tee-m',
      quantity: 2,
      unitPriceMinor: 2500,
      amountMinor: 5000,
      currency: 'EUR',
      status: 'held',
      paidAt: null,
      closedAt: null,
      refundsDue: [],
    });
    expect(order.orderId).toEqual(expect.any(String));
    expect(Date.parse(order.expiresAt) - Date.parse(order.placedAt)).toBeGreaterThanOrEqual(60_000);
    expect(Date.parse(order.expiresAt) - Date.parse(order.placedAt)).toBeLessThan(62_000);
    for (const name of ['placedAt', 'updatedAt', 'expiresAt']) {
      expect(order[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    for (const hidden of ['buyerId', 'details', 'receipt']) expect(order).not.toHaveProperty(hidden);
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 8, held: 2, sold: 0 });
  });

  it('none → paid at once where the amount is 0', async () => {
    const sale = await server.openSale({ items: [item({ priceMinor: 0, stock: 2 })] });
    const order = expectOk(await server.order(sale, 'ann'), 201);
    expect(order).toMatchObject({ status: 'paid', amountMinor: 0, refundsDue: [] });
    expect(order.paidAt).toEqual(expect.any(String));
    expect(await levels(server, sale.saleId)).toEqual({ total: 2, available: 1, held: 0, sold: 1 });
  });
});

describe('held', () => {
  it('→ paid by a successful payment of the exact amount and currency', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const paid = expectOk(await server.pay(order));
    expect(paid).toMatchObject({ orderId: order.orderId, status: 'paid', refundsDue: [] });
    expect(paid.paidAt).toEqual(expect.any(String));
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 9, held: 0, sold: 1 });
  });

  it('→ cancelled by the buyer, or by the merchant; the unit is free again', async () => {
    const sale = await server.openSale();
    const mine = await hold(sale, 'ann');
    const theirs = await hold(sale, 'ben');
    const cancelled = expectOk(await buyerCancels(mine));
    expect(cancelled).toMatchObject({ status: 'cancelled', refundsDue: [] });
    expect(cancelled.closedAt).toEqual(expect.any(String));
    expect(expectOk(await merchantCancels(theirs)).status).toBe('cancelled');
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 10, held: 0, sold: 0 });
    await hold(sale, 'ann');
  });

  it('→ cancelled frees the units once, however often it is asked', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const replies = await Promise.all(Array.from({ length: 10 }, () => buyerCancels(order)));
    for (const reply of replies) if (reply.status !== 200) expectProblem(reply, 'wrong_state');
    expect(replies.some((reply) => reply.status === 200)).toBe(true);
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 10, held: 0, sold: 0 });
  });

  it('→ expired by time, the units back within 2 s of expiresAt', async () => {
    const sale = await server.openSale({ holdSeconds: 5, items: [item({ stock: 1 })] });
    const order = await hold(sale);
    const expiresAtMs = Date.parse(order.expiresAt as string);
    const seen = await until('the hold expires', 20_000, async () => {
      const now = await read(order);
      return now.status === 'expired' && now;
    });
    // Judged by the server's own clock: how soon this test gets to look is another matter.
    expect(Date.parse(seen.closedAt)).toBeGreaterThanOrEqual(expiresAtMs);
    expect(Date.parse(seen.closedAt)).toBeLessThanOrEqual(expiresAtMs + 2000);
    expect(await levels(server, sale.saleId)).toEqual({ total: 1, available: 1, held: 0, sold: 0 });
    expectProblem(await buyerCancels(order), 'wrong_state');
    await until('the unit sells again', 10_000, async () => (await server.order(sale, 'ben')).status === 201);
  });

  it('→ expired by a payment with result expired', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    expect(await expirePayment(order)).toMatchObject({ status: 'expired', refundsDue: [] });
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 10, held: 0, sold: 0 });
  });

  it('stays held after a failed payment, to the same expiresAt', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const after = expectOk(await server.pay(order, { result: 'failed' }));
    expect(after).toMatchObject({ status: 'held', expiresAt: order.expiresAt, refundsDue: [] });
  });

  it('is paid after the sale was paused and after it has ended', async () => {
    const sale = await server.openSale();
    const first = await hold(sale, 'ann');
    const second = await hold(sale, 'ben');
    await act(sale, 'pause');
    expect(expectOk(await server.pay(first)).status).toBe('paid');
    await act(sale, 'end');
    expect(expectOk(await server.pay(second)).status).toBe('paid');
  });
});

describe('payment-started', () => {
  it('extends the hold once, by at most paymentGraceSeconds', async () => {
    const sale = await server.openSale({ holdSeconds: 60, paymentGraceSeconds: 120 });
    const order = await hold(sale);
    const before = Date.parse(order.expiresAt as string);
    const extended = expectOk(await paymentStarted(order));
    expect(extended.status).toBe('held');
    expect(Date.parse(extended.expiresAt)).toBeGreaterThan(before);
    expect(Date.parse(extended.expiresAt)).toBeLessThanOrEqual(before + 120_000);
    const again = await paymentStarted(order);
    if (again.status !== 200) expectProblem(again, 'wrong_state');
    expect((await read(order)).expiresAt).toBe(extended.expiresAt);
  });

  it('many at once extend it once', async () => {
    const sale = await server.openSale({ holdSeconds: 60, paymentGraceSeconds: 120 });
    const order = await hold(sale);
    await Promise.all(Array.from({ length: 10 }, () => paymentStarted(order)));
    const { expiresAt } = await read(order);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.parse(order.expiresAt as string) + 120_000);
  });

  it('extends nothing without a grace, after the end, or on an order that is not held', async () => {
    const none = await server.openSale({ paymentGraceSeconds: 0 });
    const plain = await hold(none);
    await paymentStarted(plain);
    expect((await read(plain)).expiresAt).toBe(plain.expiresAt);

    const sale = await server.openSale({ paymentGraceSeconds: 120 });
    const paid = await hold(sale, 'ann');
    expectOk(await server.pay(paid));
    const late = await hold(sale, 'ben');
    const settled = await read(paid);
    expectProblem(await paymentStarted(paid), 'wrong_state');
    expect(await read(paid)).toEqual(settled);
    await act(sale, 'end');
    await paymentStarted(late);
    expect((await read(late)).expiresAt).toBe(late.expiresAt);
  });
});

describe('expired, then a late success', () => {
  it('→ paid where the sale retakes and a unit is free', async () => {
    const sale = await server.openSale({ latePayment: 'retake', items: [item({ stock: 1 })] });
    const order = await hold(sale);
    await expirePayment(order);
    expect(expectOk(await server.pay(order))).toMatchObject({ status: 'paid', refundsDue: [] });
    expect(await levels(server, sale.saleId)).toEqual({ total: 1, available: 0, held: 0, sold: 1 });
  });

  const lost: [string, Record<string, unknown>, (sale: Sale) => Promise<unknown>][] = [
    ['the sale refunds', { latePayment: 'refund' }, async () => undefined],
    ['no unit is free', { latePayment: 'retake', items: [item({ stock: 1 })] }, async (sale) => hold(sale, 'ben')],
    ['the limit is used up', { latePayment: 'retake' }, async (sale) => hold(sale, 'ann')],
    ['the limit is used up under another spelling', { latePayment: 'retake' }, async (sale) => hold(sale, 'ANN')],
    ['the sale has ended', { latePayment: 'retake' }, async (sale) => act(sale, 'end')],
  ];
  it.each(lost)('→ refund_due where %s', async (_, settings, happen) => {
    const sale = await server.openSale(settings);
    const order = await hold(sale);
    await expirePayment(order);
    await happen(sale);
    const before = await levels(server, sale.saleId);
    const paymentId = `pay-${randomUUID()}`;
    const after = expectOk(await server.pay(order, { paymentId }));
    expect(after).toMatchObject({ status: 'refund_due', refundsDue: [due(paymentId, order)] });
    expect(await levels(server, sale.saleId)).toEqual(before);
  });

  it('→ refund_due where the end has passed by time', async () => {
    const sale = await server.openSale({ latePayment: 'retake', endsAt: inSeconds(2) });
    const order = await hold(sale);
    await expirePayment(order);
    await until('the sale ends', 10_000, async () => (await server.order(sale, 'ben')).status === 410);
    expect(expectOk(await server.pay(order)).status).toBe('refund_due');
  });

  it('two late successes retake once; the second is a refund', async () => {
    const sale = await server.openSale({ latePayment: 'retake', items: [item({ stock: 1 })] });
    const order = await hold(sale);
    await expirePayment(order);
    await Promise.all([server.pay(order), server.pay(order)].map(async (reply) => expectOk(await reply)));
    expect(await read(order)).toMatchObject({ status: 'paid', refundsDue: [{ amountMinor: 2500 }] });
    expect(await levels(server, sale.saleId)).toEqual({ total: 1, available: 0, held: 0, sold: 1 });
  });
});

describe('cancelled, then a late success', () => {
  it.each(['refund', 'retake'])('→ refund_due (latePayment %s)', async (latePayment) => {
    const sale = await server.openSale({ latePayment });
    const order = await hold(sale);
    expectOk(await buyerCancels(order));
    const paymentId = `pay-${randomUUID()}`;
    expect(expectOk(await server.pay(order, { paymentId }))).toMatchObject({
      status: 'refund_due',
      refundsDue: [due(paymentId, order)],
    });
    expect(await levels(server, sale.saleId)).toMatchObject({ available: 10, held: 0, sold: 0 });
  });
});

describe('another successful payment', () => {
  it('of a paid order: it stays paid, with one entry to refund; cleared, it still stays paid', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    expectOk(await server.pay(order));
    const second = `pay-${randomUUID()}`;
    expect(expectOk(await server.pay(order, { paymentId: second }))).toMatchObject({
      status: 'paid',
      refundsDue: [due(second, order)],
    });
    expect(expectOk(await refunded(order, second))).toMatchObject({ status: 'paid', refundsDue: [] });
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 9, held: 0, sold: 1 });
  });

  it('of refund_due and of refunded: one more entry, refund_due', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    expectOk(await buyerCancels(order));
    const [first, second, third] = ['a', 'b', 'c'].map((mark) => `pay-${mark}-${randomUUID()}`) as [
      string,
      string,
      string,
    ];
    expectOk(await server.pay(order, { paymentId: first }));
    expect(expectOk(await server.pay(order, { paymentId: second }))).toMatchObject({
      status: 'refund_due',
      refundsDue: expect.arrayContaining([due(first, order), due(second, order)]),
    });
    expect(expectOk(await refunded(order, first))).toMatchObject({
      status: 'refund_due',
      refundsDue: [due(second, order)],
    });
    expect(expectOk(await refunded(order, second))).toMatchObject({ status: 'refunded', refundsDue: [] });
    expect(expectOk(await server.pay(order, { paymentId: third }))).toMatchObject({
      status: 'refund_due',
      refundsDue: [due(third, order)],
    });
    expect(expectOk(await refunded(order, third)).status).toBe('refunded');
  });
});

describe('paid', () => {
  it.each([
    [false, { available: 9, sold: 1 }],
    [true, { available: 10, sold: 0 }],
  ])('→ refund_due when the merchant cancels, returnToStock %s', async (returnToStock, after) => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const paymentId = `pay-${randomUUID()}`;
    expectOk(await server.pay(order, { paymentId }));
    const cancelled = expectOk(await merchantCancels(order, returnToStock));
    expect(cancelled).toMatchObject({ status: 'refund_due', refundsDue: [due(paymentId, order)] });
    expect(await levels(server, sale.saleId)).toMatchObject(after);
    expect(expectOk(await refunded(order, paymentId)).status).toBe('refunded');
    expect(await levels(server, sale.saleId)).toMatchObject(after);
  });

  it('cancelled by the merchant without a word still has amount and reason', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const paymentId = `pay-${randomUUID()}`;
    expectOk(await server.pay(order, { paymentId }));
    const cancelled = expectOk(await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`));
    expect(cancelled).toMatchObject({ status: 'refund_due', refundsDue: [due(paymentId, order)] });
    expect(await levels(server, sale.saleId)).toMatchObject({ available: 9, sold: 1 });
  });

  it('cannot be cancelled by the buyer', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const paid = expectOk(await server.pay(order));
    expectProblem(await buyerCancels(order), 'wrong_state');
    expect(await read(order)).toMatchObject({ status: 'paid', paidAt: paid.paidAt });
  });

  it.each(['failed', 'expired'])('is not lowered by %s, of the same payment or another', async (result) => {
    const sale = await server.openSale();
    const order = await hold(sale);
    const paymentId = `pay-${randomUUID()}`;
    expectOk(await server.pay(order, { paymentId }));
    const before = await read(order);
    expect(expectOk(await server.pay(order, { paymentId, result })).status).toBe('paid');
    expect(expectOk(await server.pay(order, { result })).status).toBe('paid');
    expect(await read(order)).toMatchObject({ status: 'paid', paidAt: before.paidAt, refundsDue: [] });
    expect(await levels(server, sale.saleId)).toMatchObject({ sold: 1 });
  });
});

describe('refunded by the merchant', () => {
  it('needs an entry of that payment', async () => {
    const sale = await server.openSale();
    const order = await hold(sale);
    expectProblem(await refunded(order, 'pay-none'), 'not_found', 'wrong_state');
    const paymentId = `pay-${randomUUID()}`;
    expectOk(await server.pay(order, { paymentId }));
    expectProblem(await refunded(order, paymentId), 'not_found', 'wrong_state');
    expectOk(await merchantCancels(order));
    expectProblem(await refunded(order, 'pay-none'), 'not_found', 'wrong_state');
    expect((await read(order)).status).toBe('refund_due');
  });
});

describe('what is not in the table is not legal', () => {
  const ended: [string, (sale: Sale) => Promise<Order>][] = [
    [
      'cancelled',
      async (sale) => {
        const order = await hold(sale);
        return expectOk(await buyerCancels(order));
      },
    ],
    ['expired', async (sale) => expirePayment(await hold(sale))],
  ];
  it.each(ended)('an order that is %s stays so: failed and expired results change nothing', async (status, make) => {
    const sale = await server.openSale();
    const order = await make(sale);
    const before = await read(order);
    for (const result of ['failed', 'expired'])
      expect(expectOk(await server.pay(order, { result })).status).toBe(status);
    expect(await read(order)).toMatchObject({ status, refundsDue: [], closedAt: before.closedAt });
    const cancel = await merchantCancels(order);
    if (cancel.status !== 200) expectProblem(cancel, 'wrong_state');
    expect((await read(order)).status).toBe(status);
    expectProblem(await paymentStarted(order), 'wrong_state');
    expect(await levels(server, sale.saleId)).toEqual({ total: 10, available: 10, held: 0, sold: 0 });
  });
});
