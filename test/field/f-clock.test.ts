/** Field cases F: the server's clock alone decides, however far ahead, over restarts and over jumps of the clock. */
import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintToken, newFolder, type TestServer } from '../support/server.ts';
import { buyers, Crowd } from './support/crowd.ts';
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
import { cpuSeconds } from './support/process.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startField();
}, startTimeoutMs);
afterAll(() => server.stop());

const dayMs = 86_400_000;
const isoIn = (ms: number): string => new Date(Date.now() + ms).toISOString();
const item = { sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 10 };

async function scheduleSale(on: TestServer, settings: Record<string, unknown>): Promise<string> {
  const saleId = `sale-${randomUUID().slice(0, 8)}`;
  const body = { saleId, title: 'Scheduled', currency: 'EUR', items: [item], ...settings };
  const made = await on.merchant('POST', '/v1/merchant/sales', body);
  expect(made.status).toBe(201);
  const scheduled = await on.merchant('POST', `/v1/merchant/sales/${saleId}/schedule`);
  expect(scheduled.status).toBe(200);
  return saleId;
}
const stateOf = async (on: TestServer, saleId: string) => (await on.request('GET', `/v1/sales/${saleId}/state`)).body;
const openings = async (on: TestServer, saleId: string) => {
  const audit = await on.merchant('GET', `/v1/merchant/sales/${saleId}/audit?limit=500`);
  return audit.body.items.filter((row: { action: string }) => /open/i.test(row.action));
};

it('H037 the server alone decides: its time is public, and no header of a wrong clock opens the door', async () => {
  const time = await server.request('GET', '/v1/time');
  expect(Math.abs(Date.parse(time.body.now) - Date.now())).toBeLessThan(1_000);
  expect(time.headers.get('cache-control')).toContain('no-store');
  const opensAt = isoIn(3 * 3_600_000);
  const saleId = await scheduleSale(server, { opensAt });
  expect(await stateOf(server, saleId)).toMatchObject({ phase: 'scheduled', opensAt });
  const crowd = new Crowd(server);
  const threeHoursAhead = isoIn(3 * 3_600_000 + 60_000);
  const early = await crowd.orders({ saleId, purchaseKey: 'guess' }, [
    { buyerId: 'h037', headers: { date: new Date(threeHoursAhead).toUTCString(), 'x-client-time': threeHoursAhead } },
    { buyerId: 'h037' },
  ]);
  for (const answer of early) {
    expectRefusal(answer, 425, 'not_open');
    expect(answer.body.retryable).toBe(true);
  }
  await crowd.close();
});

it('H038 an unknown start is null and not a number; nothing can be bought and no purchase key exists', async () => {
  const saleId = await scheduleSale(server, { opensAt: null });
  const state = await stateOf(server, saleId);
  expect(state).toMatchObject({ phase: 'scheduled', opensAt: null });
  expect(state).not.toHaveProperty('purchaseKey');
  expectRefusal(await server.order({ saleId, purchaseKey: '' }, 'h038'), 425, 'not_open');
  expect(await itemBooks(server, saleId)).toMatchObject({ available: 10, held: 0 });
});

it('H039 a time without its zone names no instant: refused, whatever the zone of the sale', async () => {
  // 02:30 does not exist on that day in Berlin, and 01:30 on 1 November 2026 exists twice in New York.
  for (const [opensAt, timeZone] of [
    ['2027-03-28T02:30:00', 'Europe/Berlin'],
    ['2027-03-28T02:30', 'Europe/Berlin'],
    ['2026-11-01T01:30:00', 'America/New_York'],
    ['2027-02-30T12:00:00.000Z', 'UTC'],
  ]) {
    const body = { title: 'Gap', currency: 'EUR', items: [item], timeZone, opensAt };
    expectRefusal(await server.merchant('POST', '/v1/merchant/sales', body), 422, 'invalid');
  }
});

it('H044 a token minted 1.5 s ahead of this clock is accepted; nobody buys before the start by our clock', async () => {
  const opensAtMs = Date.now() + 1_500;
  const saleId = await scheduleSale(server, { opensAt: new Date(opensAtMs).toISOString() });
  const second = Math.floor((Date.now() + 1_500) / 1000);
  const token = mintToken(server.buyerSecret, 'h044', { iat: second, exp: second + 3_600 });
  const bought = await until('the first order is accepted', 6_000, async () => {
    const { purchaseKey = '' } = await stateOf(server, saleId);
    const answer = await server.order({ saleId, purchaseKey }, 'h044', { token });
    // Between the two requests it may have opened: then the empty key is what is wrong.
    if (answer.status === 403) expect(Date.now()).toBeGreaterThanOrEqual(opensAtMs);
    else if (answer.status !== 201) expectRefusal(answer, 425, 'not_open');
    return answer.status === 201 ? answer.body : null;
  });
  expect(Date.parse(bought.placedAt)).toBeGreaterThanOrEqual(opensAtMs);
  expect(Date.now()).toBeGreaterThanOrEqual(opensAtMs);
});

it.concurrent(
  'H036 40 days ahead: not early, no spinning CPU, and open at the exact time',
  async () => {
    const data = newFolder();
    const clockFile = path.join(data, 'clock');
    const shift = fileURLToPath(new URL('./support/shifted-clock.mjs', import.meta.url));
    const far = await startField({ data, nodeArgs: ['--import', shift], env: { FIELD_CLOCK_FILE: clockFile } });
    const opensAtMs = Date.now() + 40 * dayMs;
    const opensAt = new Date(opensAtMs).toISOString();
    const saleId = await scheduleSale(far, { opensAt });
    const before = cpuSeconds(far.pid);
    await pauseMs(2_000);
    expect(cpuSeconds(far.pid) - before).toBeLessThan(0.5);
    expect(far.logs()).not.toMatch(/TimeoutOverflow/);
    expect(await stateOf(far, saleId)).toMatchObject({ phase: 'scheduled', opensAt });
    expectRefusal(await far.order({ saleId, purchaseKey: '' }, 'h036'), 425, 'not_open');
    // The clock arrives at three seconds before the opening.
    writeFileSync(`${clockFile}.new`, String(opensAtMs - 3_000 - Date.now()));
    renameSync(`${clockFile}.new`, clockFile);
    const serverNowMs = async () => Date.parse((await far.request('GET', '/v1/time')).body.now);
    await until('the clock has moved', 2_000, async () => (await serverNowMs()) > opensAtMs - 4_000);
    const exp = Math.floor(opensAtMs / 1000) + 3_600;
    const order = await until('the first order is accepted', 10_000, async () => {
      const askedAtMs = await serverNowMs();
      const state = await stateOf(far, saleId);
      const answeredAtMs = await serverNowMs();
      if (answeredAtMs < opensAtMs) expect(state).toMatchObject({ phase: 'scheduled' });
      if (state.phase === 'scheduled') expect(state).not.toHaveProperty('purchaseKey');
      if (askedAtMs >= opensAtMs + 2_000) expect(state.phase).toBe('open');
      if (state.phase !== 'open') return null;
      const answer = await far.order({ saleId, purchaseKey: state.purchaseKey }, 'h036', {
        token: far.token('h036', { exp }),
      });
      return answer.status === 201 ? answer.body : null;
    });
    expect(Date.parse(order.placedAt)).toBeGreaterThanOrEqual(opensAtMs);
    expect(Date.parse(order.placedAt)).toBeLessThan(opensAtMs + 2_000);
    await discardField(far);
  },
  crowdedTimeoutMs,
);

it.concurrent('H041 a sale with only a start, or only an end, refuses just the same', async () => {
  const onlyStart = await scheduleSale(server, { opensAt: isoIn(2_500) });
  expectRefusal(await server.order({ saleId: onlyStart, purchaseKey: '' }, 'h041'), 425, 'not_open');
  const endsAt = isoIn(4_000);
  const onlyEnd = await server.openSale({ endsAt });
  expect((await server.order(onlyEnd, 'h041')).status).toBe(201);
  const state = await until('the start has come', 6_000, async () => {
    const now = await stateOf(server, onlyStart);
    return now.phase === 'open' ? now : null;
  });
  expect((await server.order(state, 'h041')).status).toBe(201);
  await until('the end has come', 8_000, () => Date.now() > Date.parse(endsAt));
  expectRefusal(await server.order(onlyEnd, 'h041-late'), 410, 'sale_ended');
  await until('the page says so', 3_000, async () => (await stateOf(server, onlyEnd.saleId)).phase === 'ended');
  expect(await stateOf(server, onlyEnd.saleId)).not.toHaveProperty('purchaseKey');
  expect(await itemBooks(server, onlyEnd.saleId)).toMatchObject({ total: 10, held: 1 });
});

it.concurrent('H042 the sale ended during a hold: it may be finished within its own time, and nothing is extended, made or revived', async () => {
  const endsAtMs = Date.now() + 2_500;
  const sale = await server.openSale({
    endsAt: new Date(endsAtMs).toISOString(),
    holdSeconds: 6,
    paymentGraceSeconds: 60,
    latePayment: 'retake',
    limitPerBuyer: 5,
  });
  const [a, b, c, d] = await Promise.all(
    buyers('h042', 4).map(async ({ buyerId }) => (await server.order(sale, buyerId, { key: buyerId })).body),
  );
  await until('the sale has ended', 5_000, () => Date.now() > endsAtMs);
  expectRefusal(await server.order(sale, 'h042-new'), 410, 'sale_ended');
  expectRefusal(await server.order(sale, 'h042-0', { key: 'another' }), 410, 'sale_ended');
  // Extending: refused, and the time stays.
  const extended = await server.merchant('POST', `/v1/merchant/orders/${b.orderId}/payment-started`);
  expect([409, 410]).toContain(extended.status);
  expect((await server.shopper('h042-1', 'GET', `/v1/orders/${b.orderId}`)).body.expiresAt).toBe(b.expiresAt);
  // Re-creating: a cancelled hold cannot be had again, the old key shows the old order.
  await server.shopper('h042-3', 'POST', `/v1/orders/${d.orderId}/cancel`);
  const recreated = await server.order(sale, 'h042-3', { key: 'h042-3' });
  expect(recreated.body).toMatchObject({ orderId: d.orderId, status: 'cancelled' });
  expectRefusal(await server.order(sale, 'h042-3'), 410, 'sale_ended');
  // Opening again or moving the end.
  for (const act of ['open', 'resume', 'schedule'])
    expectRefusal(await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/${act}`), 409, 'wrong_state');
  const moved = await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/corrections`, {
    set: { endsAt: isoIn(60_000) },
    reason: 'too late',
  });
  expect(moved.status).toBeGreaterThanOrEqual(400);
  // Finishing within the hold's own time is allowed.
  expect((await server.pay(a)).body.status).toBe('paid');
  // Reviving: a late success after the hold's end is a refund, though `retake` is on and units are free.
  await until('the hold has expired', 9_000, async () => {
    return (await server.merchant('GET', `/v1/merchant/orders/${c.orderId}`)).body.status === 'expired';
  });
  expect((await server.pay(c)).body.status).toBe('refund_due');
  expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 10, available: 9, held: 0, sold: 1 });
});

it.concurrent(
  'H043 restarts around the start: the sale opens once, with one purchase key and its stock loaded once',
  async () => {
    const first = await startField();
    const opensAtMs = Date.now() + 2_000;
    const opensAt = new Date(opensAtMs).toISOString();
    const saleId = await scheduleSale(first, { opensAt });
    expect((await first.kill()).signal).toBe('SIGKILL');
    const second = await startField({ data: first.data });
    const opened = await until('the sale opened by itself', 10_000, async () => {
      const state = await stateOf(second, saleId);
      return state.phase === 'open' ? state : null;
    });
    expect(Date.now()).toBeGreaterThanOrEqual(opensAtMs);
    const client = new Crowd(second);
    expect(tally(await client.orders(opened, buyers('h043', 4)))).toEqual({ '201': 4 });
    await client.close();
    expect(await openings(second, saleId)).toHaveLength(1);
    // The one who led dies again; the next finds the sale open and changes nothing.
    await second.kill();
    const third = await startField({ data: first.data });
    expect(await stateOf(third, saleId)).toMatchObject({ phase: 'open', opensAt, purchaseKey: opened.purchaseKey });
    expect((await third.merchant('POST', `/v1/merchant/sales/${saleId}/open`)).status).toBe(200);
    expect(await stateOf(third, saleId)).toMatchObject({ opensAt, purchaseKey: opened.purchaseKey });
    expect(await openings(third, saleId)).toHaveLength(1);
    expect(await itemBooks(third, saleId)).toMatchObject({ total: 10, available: 6, held: 4 });
    await discardField(third);
  },
  crowdedTimeoutMs,
);
