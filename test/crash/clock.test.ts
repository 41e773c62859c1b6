/**
 * A wall clock that jumps while the server runs (I6, RELIABILITY hazard 24). The library of shim.c
 * moves the process's wall clock and leaves the monotonic one alone, as a clock set by hand or by a
 * late time service does.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newFolder, type Reply, startServer, type TestServer } from './served.ts';
import { Faults } from './shim.ts';
import { until } from './until.ts';

const hourMs = 3_600_000;
const holdSeconds = 5;

let data: string;
let faults: Faults;
let server: TestServer;

const start = (): Promise<TestServer> =>
  startServer({ data, env: { ...faults.env, DOORBUSTER_QUEUE_WAIT_MS: '30000' } });

beforeEach(async () => {
  data = newFolder();
  faults = new Faults(data);
  server = await start();
}, 30_000);

afterEach(async () => {
  await server.stop('SIGKILL');
  faults.close();
  rmSync(data, { recursive: true, force: true });
});

/** The time that sales go by, as the server tells it: never below its last commit, whatever the wall clock says. */
const serverNowMs = async (): Promise<number> => Date.parse((await server.request('GET', '/v1/time')).body.now);

/** The wall clock that the process sees: Node puts it into the Date header (and keeps it for up to a second). */
const wallClockMs = async (): Promise<number> =>
  Date.parse((await server.request('GET', '/v1/time')).headers.get('date') ?? '');

/** Shifts the clock and sees to it that the process reads the new time: else the test proves nothing. */
async function jump(byMs: number): Promise<void> {
  faults.shiftClock(byMs);
  await seesClock(byMs);
}

async function seesClock(byMs: number): Promise<void> {
  const reads = faults.injected().clockReads;
  await until(`the process sees a clock that is off by ${byMs} ms`, 10_000, async () => {
    const offMs = (await wallClockMs()) - Date.now() - byMs;
    return Math.abs(offMs) < 5_000;
  });
  expect(faults.injected().clockReads).toBeGreaterThan(reads);
}

// Tokens that outlive every jump.
const token = (buyerId: string): string => server.token(buyerId, { exp: 4_102_444_800 });

type Sale = { saleId: string; purchaseKey: string };
const order = (sale: Sale, buyerId: string): Promise<Reply> => server.order(sale, buyerId, { token: token(buyerId) });
const orderNow = (buyerId: string, orderId: string): Promise<Reply> =>
  server.request('GET', `/v1/orders/${orderId}`, { headers: { authorization: `Bearer ${token(buyerId)}` } });
const state = async (saleId: string): Promise<Reply['body']> =>
  (await server.request('GET', `/v1/sales/${saleId}/state`)).body;

async function schedule(settings: Record<string, unknown>): Promise<string> {
  const made = await server.merchant('POST', '/v1/merchant/sales', {
    title: 'Clock',
    currency: 'EUR',
    items: [{ sku: 'tee-m', title: 'Tee', priceMinor: 2500, stock: 10 }],
    ...settings,
  });
  expect(made.status).toBe(201);
  const { saleId } = made.body;
  expect((await server.merchant('POST', `/v1/merchant/sales/${saleId}/schedule`)).status).toBe(200);
  return saleId;
}

test('forward 1 h: no hold ends before its seconds have really passed, then it does', { timeout: 40_000 }, async () => {
  const sale = await server.openSale({ holdSeconds });
  const before = await order(sale, 'ann');
  expect(before.status).toBe(201);
  const heldFromMs = performance.now();
  await jump(hourMs);
  const after = await order(sale, 'ben');
  expect(after.status).toBe(201);
  const laterHeldFromMs = performance.now();

  // Answered before `held` was seen: every sighting of `expired` must come after the hold's own seconds.
  const endOf = async (buyerId: string, orderId: string): Promise<number> =>
    until(`the hold of ${buyerId} ends`, (holdSeconds + 6) * 1000, async () => {
      const { status } = (await orderNow(buyerId, orderId)).body;
      expect(['held', 'expired']).toContain(status);
      return status === 'expired' ? performance.now() : false;
    });
  const ends = await Promise.all([endOf('ann', before.body.orderId), endOf('ben', after.body.orderId)]);
  // 250 ms: from the commit to our reading of the answer.
  expect(ends[0] - heldFromMs).toBeGreaterThan(holdSeconds * 1000 - 250);
  expect(ends[1] - laterHeldFromMs).toBeGreaterThan(holdSeconds * 1000 - 250);
  // Units are back within 2 s of the end.
  expect(ends[0] - heldFromMs).toBeLessThan((holdSeconds + 4) * 1000);
  expect((await server.books(sale.saleId)).items[0]).toMatchObject({ available: 10, held: 0, sold: 0 });
});

test('forward 1 h: a payment right after the jump still meets its hold', { timeout: 30_000 }, async () => {
  const sale = await server.openSale({ holdSeconds });
  const held = await order(sale, 'ann');
  await jump(hourMs);
  await delay(1500); // the expiry has had its turn
  const paid = await server.pay(held.body);
  expect(paid).toMatchObject({ status: 200, body: { status: 'paid' } });
});

test('forward 1 h: a scheduled sale whose time is reached opens, and sells', { timeout: 30_000 }, async () => {
  const opensAt = new Date((await serverNowMs()) + hourMs / 2).toISOString();
  const saleId = await schedule({ opensAt });
  const early = await order({ saleId, purchaseKey: 'guess' }, 'ann');
  expect(early).toMatchObject({ status: 425, body: { code: 'not_open' } });
  expect(await state(saleId)).toMatchObject({ phase: 'scheduled' });
  expect((await state(saleId)).purchaseKey).toBeUndefined();

  await jump(hourMs);
  const { purchaseKey } = await until('the sale opens', 5_000, async () => {
    const now = await state(saleId);
    return now.phase === 'open' && now;
  });
  const made = await order({ saleId, purchaseKey }, 'ann');
  expect(made.status).toBe(201);
  expect(made.body.placedAt >= opensAt).toBe(true);
});

test('backward 1 h: an open sale stays open, its key the same, order times never go back', {
  timeout: 30_000,
}, async () => {
  const sale = await server.openSale();
  const times: string[] = [];
  for (const [buyerId, shiftMs] of [
    ['ann', 0],
    ['ben', -hourMs],
    ['cem', -2 * hourMs],
    ['dan', -hourMs / 2],
    ['eve', 0],
  ] as const) {
    await jump(shiftMs);
    const made = await order(sale, buyerId);
    expect(made.status).toBe(201);
    times.push(made.body.placedAt);
    expect(await serverNowMs()).toBeGreaterThanOrEqual(Date.parse(made.body.placedAt));
    expect(Date.parse(made.body.expiresAt)).toBeGreaterThan(Date.parse(made.body.placedAt));
    expect(await state(sale.saleId)).toMatchObject({ phase: 'open', purchaseKey: sale.purchaseKey });
  }
  expect([...times].sort()).toEqual(times);
});

test('backward 1 h: a hold still ends after its seconds, not an hour later', { timeout: 40_000 }, async () => {
  const sale = await server.openSale({ holdSeconds });
  const held = await order(sale, 'ann');
  const fromMs = performance.now();
  await jump(-hourMs);
  await until('the hold ends', (holdSeconds + 8) * 1000, async () => {
    const { status } = (await orderNow('ann', held.body.orderId)).body;
    return status === 'expired';
  });
  expect(performance.now() - fromMs).toBeGreaterThan(holdSeconds * 1000 - 250);
});

test('backward over a restart: still open, the same key, later orders are not older', { timeout: 40_000 }, async () => {
  const sale = await server.openSale();
  const first = await order(sale, 'ann');
  await server.kill();
  faults.shiftClock(-hourMs);
  server = await start();
  await seesClock(-hourMs);
  expect(await serverNowMs()).toBeGreaterThanOrEqual(Date.parse(first.body.placedAt));
  expect(await state(sale.saleId)).toMatchObject({ phase: 'open', purchaseKey: sale.purchaseKey });
  const second = await order(sale, 'ben');
  expect(second.status).toBe(201);
  expect(second.body.placedAt >= first.body.placedAt).toBe(true);
});

test('endsAt is honoured: reached by a jump the sale ends, and does not come back with the clock', {
  timeout: 40_000,
}, async () => {
  const endsAt = new Date((await serverNowMs()) + hourMs / 2).toISOString();
  const sale = await server.openSale({ endsAt });
  const held = await order(sale, 'ann');
  expect(held.status).toBe(201);

  await jump(hourMs);
  // At once, by the atomic step itself, not only when a timer has noticed.
  expect(await order(sale, 'ben')).toMatchObject({ status: 410, body: { code: 'sale_ended' } });
  await until('the state says so', 5_000, async () => (await state(sale.saleId)).phase === 'ended');
  await jump(0);
  expect(await order(sale, 'cem')).toMatchObject({ status: 410, body: { code: 'sale_ended' } });
  expect((await state(sale.saleId)).phase).toBe('ended');
  // Payments of held orders go on.
  expect(await server.pay(held.body)).toMatchObject({ status: 200, body: { status: 'paid' } });
});

test('a jump of 400 days each way: nothing ends early, the books balance', { timeout: 40_000 }, async () => {
  const sale = await server.openSale({ holdSeconds: 300 });
  const orders: Reply[] = [];
  for (const days of [400, -400, 0]) {
    await jump(days * 24 * hourMs);
    orders.push(await order(sale, `buyer-${days}`));
  }
  await delay(1500); // the expiry has had its turn
  expect(orders.map((made) => made.status)).toEqual([201, 201, 201]);
  expect(await server.books(sale.saleId)).toMatchObject({ balanced: true, items: [{ held: 3, available: 7 }] });
});
