/** Field cases C: payment callbacks that are late, wrong, twofold or out of order. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { csvRecords } from './support/csv.ts';
import { itemBooks, startField, startTimeoutMs, until } from './support/field-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startField();
}, startTimeoutMs);
afterAll(() => server.stop());

const stockOf = (stock: number, priceMinor = 2_500) => ({
  items: [{ sku: 'tee-m', title: 'Tee M', priceMinor, stock }],
});
const seenByMerchant = async (orderId: string) => (await server.merchant('GET', `/v1/merchant/orders/${orderId}`)).body;

it('H018 a payment that cannot be filled is refund due, with amount and reason, everywhere until marked refunded', async () => {
  const sale = await server.openSale({ ...stockOf(1), demoPayment: true, payUrl: 'https://shop.example/pay' });
  const order = (await server.order(sale, 'h018')).body;
  await server.shopper('h018', 'POST', `/v1/orders/${order.orderId}/cancel`);
  const paymentId = 'pay-h018';
  const late = await server.pay(order, { paymentId });
  expect(late.status).toBe(200);
  const due = { status: 'refund_due', refundsDue: [{ paymentId, amountMinor: 2_500, currency: 'EUR' }] };
  for (const view of [
    late.body,
    await seenByMerchant(order.orderId),
    (await server.shopper('h018', 'GET', `/v1/orders/${order.orderId}`)).body,
    (await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?status=refund_due`)).body.items[0],
  ]) {
    expect(view).toMatchObject(due);
    expect(view.refundsDue[0].reason).toMatch(/\S/);
  }
  const csv = async () => {
    const answer = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders`, undefined, {
      accept: 'text/csv',
    });
    return csvRecords(answer.text).find((record) => record.orderId === order.orderId);
  };
  const exported = await csv();
  expect(exported?.status).toBe('refund_due');
  expect(JSON.stringify(exported)).toContain(late.body.refundsDue[0].reason);
  expect(JSON.stringify(exported)).toContain('2500');
  // Nothing lets the buyer pay again.
  const demo = await server.shopper('h018', 'POST', `/v1/orders/${order.orderId}/demo-payment`, {
    result: 'succeeded',
  });
  expect(demo.status).toBe(409);
  expect((await seenByMerchant(order.orderId)).refundsDue).toHaveLength(1);
  const refunded = await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/refunded`, {
    paymentId,
    reason: 'sent back by the bank',
  });
  expect(refunded.body).toMatchObject({ status: 'refunded', refundsDue: [] });
  expect((await csv())?.status).toBe('refunded');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 1, available: 1, held: 0, sold: 0 });
});

it('H019 a delayed failed or expired callback for a confirmed order changes nothing and is on record as ignored', async () => {
  const sale = await server.openSale(stockOf(2));
  const order = (await server.order(sale, 'h019')).body;
  const paid = await server.pay(order, { paymentId: 'pay-h019' });
  expect(paid.body.status).toBe('paid');
  const late = ['failed', 'expired'].flatMap((result) =>
    ['pay-h019', `late-h019-${result}`].map((paymentId) => ({ result, paymentId })),
  );
  for (const change of late) {
    const answer = await server.pay(order, change);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'paid', paidAt: paid.body.paidAt, refundsDue: [] });
  }
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 2, available: 1, held: 0, sold: 1 });
  expect(await seenByMerchant(order.orderId)).toMatchObject({ status: 'paid', refundsDue: [] });
  const record = await server.merchant('GET', '/v1/merchant/payments?limit=500');
  const rows = record.body.items.filter((row: { orderId: string }) => row.orderId === order.orderId);
  for (const change of late) expect(rows).toContainEqual(expect.objectContaining(change));
});

it('H020 an order of 100.00 EUR: 99.99, 100.01 and 100.00 USD are parked as a mismatch and confirm nothing', async () => {
  const sale = await server.openSale(stockOf(1, 10_000));
  const order = (await server.order(sale, 'h020')).body;
  expect(order).toMatchObject({ amountMinor: 10_000, currency: 'EUR' });
  const wrong = [{ amountMinor: 9_999 }, { amountMinor: 10_001 }, { currency: 'USD' }];
  for (const [at, change] of wrong.entries()) {
    const answer = await server.pay(order, { paymentId: `pay-h020-${at}`, ...change });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 409, code: 'payment_mismatch' });
    expect((await seenByMerchant(order.orderId)).status).toBe('held');
  }
  const parked = await server.merchant('GET', '/v1/merchant/payments?state=parked&limit=500');
  const rows = parked.body.items.filter((row: { orderId: string }) => row.orderId === order.orderId);
  expect(rows.map((row: { paymentId: string }) => row.paymentId).sort()).toEqual([
    'pay-h020-0',
    'pay-h020-1',
    'pay-h020-2',
  ]);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ held: 1, sold: 0 });
  expect((await server.pay(order, { paymentId: 'pay-h020-0' })).body.status).toBe('paid');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ held: 0, sold: 1 });
});

it('H021 a confirmation for an order that is not known yet is kept and shown, not lost', async () => {
  const unknown = { orderId: '653247040368672768', amountMinor: 2_500, currency: 'EUR' };
  const paymentId = `pay-h021-${randomUUID()}`;
  for (const _redelivery of [1, 2]) expect((await server.pay(unknown, { paymentId })).status).toBe(202);
  const parked = await server.merchant('GET', '/v1/merchant/payments?state=parked&limit=500');
  const rows = parked.body.items.filter((row: { paymentId: string }) => row.paymentId === paymentId);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ orderId: unknown.orderId, amountMinor: 2_500, currency: 'EUR', result: 'succeeded' });
});

it('H022 the same confirmation arrives 20 times at once: one change of state, the same success answer for all', async () => {
  const sale = await server.openSale(stockOf(2));
  const order = (await server.order(sale, 'h022')).body;
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.pay(order, { paymentId: 'pay-h022' })));
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  expect(answers[0]?.body).toMatchObject({ orderId: order.orderId, status: 'paid', refundsDue: [] });
  for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 2, available: 1, held: 0, sold: 1 });
  const audit = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/audit?all=true&limit=500`);
  const payments = audit.body.items.filter(
    (row: object) => JSON.stringify(row).includes(order.orderId) && /pa(id|y)/i.test(JSON.stringify(row)),
  );
  expect(payments).toHaveLength(1);
});

for (const latePayment of ['refund', 'retake']) {
  it.concurrent(`H017 a hold expired, another buyer took the last unit, then the payment comes (latePayment ${latePayment})`, async () => {
    const sale = await server.openSale({ ...stockOf(1), holdSeconds: 5, latePayment, showStock: true });
    const first = (await server.order(sale, 'h017-a')).body;
    const second = await until('the unit is back and B takes it', 12_000, async () => {
      const answer = await server.order(sale, 'h017-b');
      return answer.status === 201 ? answer.body : null;
    });
    const paidB = await server.pay(second);
    expect(paidB.body.status).toBe('paid');
    expect((await seenByMerchant(first.orderId)).status).toBe('expired');
    const late = await server.pay(first, { paymentId: `late-${latePayment}` });
    expect(late.status).toBe(200);
    expect(late.body).toMatchObject({
      status: 'refund_due',
      refundsDue: [{ paymentId: `late-${latePayment}`, amountMinor: 2_500, currency: 'EUR' }],
    });
    expect(late.body.refundsDue[0].reason).toMatch(/\S/);
    const due = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?status=refund_due`);
    expect(due.body.items.map((order: { orderId: string }) => order.orderId)).toEqual([first.orderId]);
    expect(await seenByMerchant(second.orderId)).toMatchObject({ status: 'paid', updatedAt: paidB.body.updatedAt });
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 1, available: 0, held: 0, sold: 1 });
  });
}
