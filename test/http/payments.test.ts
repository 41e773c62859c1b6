/**
 * Payments as messages: known by paymentId and result, parked when they do not fit, resolved by the merchant. None
 * is ever lost, none applied twice (I3), none changes an order that it does not fit.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, levels } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let sale: { saleId: string; purchaseKey: string };

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
  sale = await server.openSale({
    limitPerBuyer: null,
    items: [{ sku: 'tee-m', title: 'T', priceMinor: 2500, stock: 1000 }],
  });
});
afterAll(async () => {
  await server.stop();
});

interface Order {
  readonly orderId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

const hold = async (): Promise<Order> => expectOk(await server.order(sale, 'ann'), 201);
const read = async (order: Order) => expectOk(await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`));
const newPayment = () => `pay-${randomUUID()}`;
const send = (body: Record<string, unknown>) => server.merchant('POST', '/v1/merchant/payments', body);
const parked = async (): Promise<{ paymentId: string }[]> =>
  expectOk(await server.merchant('GET', '/v1/merchant/payments?state=parked&limit=500')).items;
const isParked = async (paymentId: string) => (await parked()).filter((row) => row.paymentId === paymentId).length;
const resolve = (paymentId: string, as: string) =>
  server.merchant('POST', `/v1/merchant/payments/${paymentId}/resolve`, { as, reason: 'looked into it' });
const unknownPayment = (paymentId: string, change: Record<string, unknown> = {}) =>
  send({ paymentId, orderId: 'no-such-order', result: 'succeeded', amountMinor: 2500, currency: 'EUR', ...change });

describe('a payment is known by its id and result', () => {
  it('the same success again changes nothing, in parallel too', async () => {
    const order = await hold();
    const paymentId = newPayment();
    const replies = await Promise.all(Array.from({ length: 10 }, () => server.pay(order, { paymentId })));
    for (const reply of replies) expect(expectOk(reply)).toMatchObject({ status: 'paid', refundsDue: [] });
    const before = await read(order);
    expectOk(await server.pay(order, { paymentId }));
    expect(await read(order)).toEqual(before);
  });

  it('failed, then succeeded is applied', async () => {
    const order = await hold();
    const paymentId = newPayment();
    expect(expectOk(await server.pay(order, { paymentId, result: 'failed' })).status).toBe('held');
    expect(expectOk(await server.pay(order, { paymentId })).status).toBe('paid');
  });

  it('out of order: succeeded, then the failed that came before it', async () => {
    const order = await hold();
    const paymentId = newPayment();
    expectOk(await server.pay(order, { paymentId }));
    expect(expectOk(await server.pay(order, { paymentId, result: 'failed' })).status).toBe('paid');
    expect(await read(order)).toMatchObject({ status: 'paid', refundsDue: [] });
  });

  it('failed and expired need no amount; succeeded does', async () => {
    const order = await hold();
    const base = { paymentId: newPayment(), orderId: order.orderId };
    expect(expectOk(await send({ ...base, result: 'failed' })).status).toBe('held');
    expectProblem(await send({ ...base, result: 'succeeded' }), 'invalid');
    expectProblem(await send({ ...base, result: 'succeeded', amountMinor: 2500 }), 'invalid');
    expect(expectOk(await send({ ...base, result: 'expired' })).status).toBe('expired');
  });

  it.each([
    ['no paymentId', { paymentId: undefined }],
    ['an empty paymentId', { paymentId: '' }],
    ['no orderId', { orderId: undefined }],
    ['a result that is none', { result: 'pending' }],
    ['an amount below 0', { amountMinor: -1 }],
    ['half a cent', { amountMinor: 2500.5 }],
    ['an amount as text', { amountMinor: '2500' }],
    ['an amount past what a number can count', { amountMinor: 1e21 }],
    ['an unknown field', { note: 'x' }],
  ])('refuses %s', async (_, change) => {
    const order = await hold();
    expectProblem(await server.pay(order, change), 'invalid');
    expect((await read(order)).status).toBe('held');
  });
});

describe('a mismatch', () => {
  it.each([
    ['amount', { amountMinor: 2499 }],
    ['amount, too much', { amountMinor: 2501 }],
    ['amount 0', { amountMinor: 0 }],
    ['currency', { currency: 'USD' }],
  ])('of the %s is refused, parked, and changes nothing', async (_, change) => {
    const order = await hold();
    const before = await read(order);
    const paymentId = newPayment();
    expectProblem(await server.pay(order, { paymentId, ...change }), 'payment_mismatch');
    expect(await isParked(paymentId)).toBe(1);
    expectProblem(await server.pay(order, { paymentId, ...change }), 'payment_mismatch');
    expect(await isParked(paymentId)).toBe(1);
    expect(await read(order)).toEqual(before);
  });

  it('does not use its id up: the right figures are applied and close it', async () => {
    const order = await hold();
    const paymentId = newPayment();
    expectProblem(await server.pay(order, { paymentId, amountMinor: 1 }), 'payment_mismatch');
    expect(expectOk(await server.pay(order, { paymentId }))).toMatchObject({ status: 'paid', refundsDue: [] });
    expect(await isParked(paymentId)).toBe(0);
  });

  it('resolved as refund_due adds an entry and leaves the order as it is', async () => {
    const order = await hold();
    const paymentId = newPayment();
    expectProblem(await server.pay(order, { paymentId, amountMinor: 99 }), 'payment_mismatch');
    expectOk(await resolve(paymentId, 'refund_due'));
    expect(await isParked(paymentId)).toBe(0);
    expect(await read(order)).toMatchObject({
      status: 'held',
      refundsDue: [{ paymentId, amountMinor: 99, currency: 'EUR', reason: expect.any(String) }],
    });
    const body = { paymentId, reason: 'sent back' };
    expect(
      expectOk(await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/refunded`, body)),
    ).toMatchObject({
      status: 'held',
      refundsDue: [],
    });
    expect(expectOk(await server.pay(order)).status).toBe('paid');
  });

  it('resolved as ignored is gone', async () => {
    const order = await hold();
    const paymentId = newPayment();
    expectProblem(await server.pay(order, { paymentId, currency: 'USD' }), 'payment_mismatch');
    expectOk(await resolve(paymentId, 'ignored'));
    expect(await isParked(paymentId)).toBe(0);
    expect(await read(order)).toMatchObject({ status: 'held', refundsDue: [] });
  });

  it('an id that was applied cannot pay another order, or another amount', async () => {
    const first = await hold();
    const second = await hold();
    const paymentId = newPayment();
    expectOk(await server.pay(first, { paymentId }));
    expectProblem(await server.pay(second, { paymentId }), 'payment_mismatch');
    expectProblem(await server.pay(first, { paymentId, amountMinor: 1 }), 'payment_mismatch');
    expect((await read(second)).status).toBe('held');
    expect(await read(first)).toMatchObject({ status: 'paid', refundsDue: [] });
    expect(expectOk(await server.pay(first, { paymentId })).status).toBe('paid');
  });
});

describe('an unknown order', () => {
  it('is acknowledged with 202 and parked, once', async () => {
    const paymentId = newPayment();
    expectOk(await unknownPayment(paymentId), 202);
    expectOk(await unknownPayment(paymentId), 202);
    expect(await isParked(paymentId)).toBe(1);
    const row = (await parked()).find((entry) => entry.paymentId === paymentId);
    expect(row).toMatchObject({
      paymentId,
      orderId: 'no-such-order',
      result: 'succeeded',
      amountMinor: 2500,
      currency: 'EUR',
    });
  });

  it('resolved as ignored is gone', async () => {
    const paymentId = newPayment();
    expectOk(await unknownPayment(paymentId), 202);
    expectOk(await resolve(paymentId, 'ignored'));
    expect(await isParked(paymentId)).toBe(0);
  });

  it('resolved as refund_due carries the refund itself, closed by refunded', async () => {
    const paymentId = newPayment();
    expectOk(await unknownPayment(paymentId), 202);
    const refunded = () =>
      server.merchant('POST', `/v1/merchant/payments/${paymentId}/refunded`, { reason: 'sent back' });
    expectProblem(await refunded(), 'wrong_state', 'not_found');
    expectOk(await resolve(paymentId, 'refund_due'));
    expect(await isParked(paymentId)).toBe(0);
    expectOk(await refunded());
  });

  it('resolve wants a payment that is parked', async () => {
    expectProblem(await resolve(newPayment(), 'ignored'), 'not_found');
    const order = await hold();
    const paymentId = newPayment();
    expectOk(await server.pay(order, { paymentId }));
    expectProblem(await resolve(paymentId, 'ignored'), 'wrong_state', 'not_found');
    expect((await read(order)).status).toBe('paid');
  });

  it.each([
    ['as', { as: 'paid', reason: 'x' }],
    ['reason', { as: 'ignored' }],
    ['body', {}],
  ])('resolve refuses a wrong %s', async (_, body) => {
    const paymentId = newPayment();
    expectOk(await unknownPayment(paymentId), 202);
    expectProblem(await server.merchant('POST', `/v1/merchant/payments/${paymentId}/resolve`, body), 'invalid');
    expect(await isParked(paymentId)).toBe(1);
  });

  it('ids of any script and shape are ids', async () => {
    for (const paymentId of ['ch_3Nk/+=?&#%25', '支払い-1', 'a b', '__proto__', '..', 'x'.repeat(100)]) {
      const unique = `${paymentId}${randomUUID()}`;
      expectOk(await unknownPayment(unique), 202);
      expect(await isParked(unique)).toBe(1);
      expectOk(await resolve(encodeURIComponent(unique), 'ignored'));
      expect(await isParked(unique)).toBe(0);
    }
  });
});

it('after all of this the books balance, and sold is what was paid', async () => {
  const books = await server.books(sale.saleId);
  const { sold, held } = await levels(server, sale.saleId);
  expect(sold).toBe(books.orders.paid);
  expect(held).toBe(books.orders.held);
});
