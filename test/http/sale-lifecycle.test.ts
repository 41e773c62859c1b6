/**
 * Phases of a sale: every act from every phase, opening and ending by themselves, what the public sees in each
 * phase, and the purchase key (I6: none before the opening, one and the same afterwards, shown only while open).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Code } from '../support/contract.ts';
import {
  draftSale,
  expectOk,
  expectProblem,
  inSeconds,
  item,
  type Phase,
  saleIn,
  until,
} from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
});
afterAll(async () => {
  await server.stop();
});

const act = (saleId: string, name: string) => server.merchant('POST', `/v1/merchant/sales/${saleId}/${name}`);
const sale = async (saleId: string) => expectOk(await server.merchant('GET', `/v1/merchant/sales/${saleId}`));
const state = (saleId: string) => server.request('GET', `/v1/sales/${saleId}/state`);

type Act = 'schedule' | 'open' | 'pause' | 'resume' | 'end';

/** The phase that the act leads to; `same` where the result is already there; else the refusal. */
const table: Record<Act, Record<Phase, Phase | 'same' | Code>> = {
  schedule: { draft: 'scheduled', scheduled: 'same', open: 'wrong_state', paused: 'wrong_state', ended: 'wrong_state' },
  open: { draft: 'open', scheduled: 'open', open: 'same', paused: 'wrong_state', ended: 'wrong_state' },
  pause: { draft: 'wrong_state', scheduled: 'wrong_state', open: 'paused', paused: 'same', ended: 'wrong_state' },
  resume: { draft: 'wrong_state', scheduled: 'wrong_state', open: 'same', paused: 'open', ended: 'wrong_state' },
  end: { draft: 'wrong_state', scheduled: 'ended', open: 'ended', paused: 'ended', ended: 'same' },
};

const rows = Object.entries(table).flatMap(([name, row]) =>
  Object.entries(row).map(([from, to]) => [name, from as Phase, to] as const),
);

describe('every act from every phase', () => {
  it.each(rows)('%s of a sale that is %s: %s', async (name, from, to) => {
    const saleId = await saleIn(server, from);
    const before = await sale(saleId);
    expect(before.phase).toBe(from);
    const reply = await act(saleId, name);
    if (to === 'wrong_state') {
      expectProblem(reply, 'wrong_state');
      expect(await sale(saleId)).toEqual(before);
    } else if (to === 'same') {
      expect(expectOk(reply)).toEqual(before);
      expect(await sale(saleId)).toEqual(before);
    } else {
      expect(expectOk(reply).phase).toBe(to);
      expect((await sale(saleId)).phase).toBe(to);
    }
  });

  it.each(['scheduled', 'open', 'paused', 'ended'] as const)('PATCH of a sale that is %s is refused', async (phase) => {
    const saleId = await saleIn(server, phase);
    const before = await sale(saleId);
    expectProblem(await server.merchant('PATCH', `/v1/merchant/sales/${saleId}`, { title: 'New' }), 'sale_frozen');
    expect(await sale(saleId)).toEqual(before);
  });

  it.each(['schedule', 'open', 'pause', 'resume', 'end'])('%s of a sale that is not there', async (name) => {
    expectProblem(await act('nobody', name), 'not_found');
  });

  it('open sets opensAt to now', async () => {
    const saleId = await draftSale(server, { opensAt: '2099-01-01T00:00:00.000Z' });
    const before = Date.parse((await server.request('GET', '/v1/time')).body.now);
    const opened = expectOk(await act(saleId, 'open'));
    const after = Date.parse((await server.request('GET', '/v1/time')).body.now);
    expect(Date.parse(opened.opensAt)).toBeGreaterThanOrEqual(before - 5);
    expect(Date.parse(opened.opensAt)).toBeLessThanOrEqual(after + 5);
  });

  it('schedule with an opensAt that has passed opens at once', async () => {
    const saleId = await draftSale(server, { opensAt: inSeconds(-60) });
    expect(expectOk(await act(saleId, 'schedule')).phase).toBe('open');
    expect((await state(saleId)).body.purchaseKey).toEqual(expect.any(String));
  });

  it.each(['schedule', 'open'])('%s with an end that has passed is invalid', async (name) => {
    const saleId = await draftSale(server, { opensAt: inSeconds(-120), endsAt: inSeconds(-60) });
    expectProblem(await act(saleId, name), 'invalid');
    expect((await sale(saleId)).phase).toBe('draft');
  });

  it('two opens at once open once', async () => {
    const saleId = await draftSale(server);
    const replies = await Promise.all(Array.from({ length: 8 }, () => act(saleId, 'open')));
    const keys = new Set(replies.map((reply) => JSON.stringify(expectOk(reply))));
    expect(keys.size).toBe(1);
  });
});

describe('the clock', () => {
  it('opens and ends by itself, with no key before', async () => {
    const opensAt = inSeconds(2);
    const endsAt = inSeconds(4);
    const saleId = await draftSale(server, { opensAt, endsAt });
    expect(expectOk(await act(saleId, 'schedule')).phase).toBe('scheduled');
    const early = await state(saleId);
    expect(early.body).toMatchObject({ phase: 'scheduled', opensAt, endsAt });
    expect(early.body).not.toHaveProperty('purchaseKey');
    expect(expectProblem(await server.order({ saleId, purchaseKey: 'guess' }, 'early'), 'not_open').effect).toBe(
      'none',
    );

    const opened = await until('the sale opens', 10_000, async () => {
      const now = Date.parse((await server.request('GET', '/v1/time')).body.now);
      const seen = (await state(saleId)).body;
      if (now < Date.parse(opensAt)) expect(seen).not.toHaveProperty('purchaseKey');
      return seen.phase === 'open' && seen;
    });
    const made = expectOk(await server.order({ saleId, purchaseKey: opened.purchaseKey }, 'first'), 201);
    expect(Date.parse(made.placedAt)).toBeGreaterThanOrEqual(Date.parse(opensAt));

    await until('the sale ends', 10_000, async () => (await sale(saleId)).phase === 'ended');
    expect((await state(saleId)).body).not.toHaveProperty('purchaseKey');
    expectProblem(await server.order({ saleId, purchaseKey: opened.purchaseKey }, 'late'), 'sale_ended');
    expectProblem(await act(saleId, 'resume'), 'wrong_state');
  });

  it('no order is placed at or after endsAt, however many are in flight', async () => {
    const endsAt = inSeconds(2);
    const opened = await server.openSale({ endsAt, items: [item({ stock: 100_000 })], limitPerBuyer: null });
    const placed: number[] = [];
    let ended = 0;
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (let turn = 0; turn < 10_000; turn++) {
          const reply = await server.order(opened, `buyer-${lane}`);
          if (reply.status === 201) placed.push(Date.parse(reply.body.placedAt));
          else {
            expectProblem(reply, 'sale_ended');
            ended += 1;
            return;
          }
        }
      }),
    );
    expect(ended).toBe(8);
    expect(placed.length).toBeGreaterThan(0);
    expect(Math.max(...placed)).toBeLessThan(Date.parse(endsAt));
  });

  it('a paused sale whose end passes is ended', async () => {
    const saleId = await draftSale(server, { endsAt: inSeconds(2) });
    expectOk(await act(saleId, 'open'));
    expectOk(await act(saleId, 'pause'));
    await until('the sale ends', 10_000, async () => (await sale(saleId)).phase === 'ended');
    expectProblem(await act(saleId, 'resume'), 'wrong_state');
  });
});

describe('what the public sees', () => {
  it('a draft is not found', async () => {
    const saleId = await draftSale(server, { guests: true });
    expectProblem(await state(saleId), 'not_found');
    expectProblem(await server.order({ saleId, purchaseKey: 'x' }, 'ann'), 'not_found');
    expectProblem(await server.shopper('ann', 'GET', `/v1/sales/${saleId}/orders`), 'not_found');
    expectProblem(await server.request('POST', `/v1/sales/${saleId}/guests`), 'not_found');
  });

  it('the purchase key shows only while open, and is the same after a pause', async () => {
    const saleId = await saleIn(server, 'scheduled');
    expect((await state(saleId)).body).not.toHaveProperty('purchaseKey');
    expectOk(await act(saleId, 'open'));
    const key = (await state(saleId)).body.purchaseKey;
    expect(key).toMatch(/^.{16,}$/);
    expectOk(await act(saleId, 'pause'));
    const paused = (await state(saleId)).body;
    expect(paused.phase).toBe('paused');
    expect(paused).not.toHaveProperty('purchaseKey');
    expectProblem(await server.order({ saleId, purchaseKey: key }, 'ann'), 'sale_paused');
    expectOk(await act(saleId, 'resume'));
    expect((await state(saleId)).body.purchaseKey).toBe(key);
    expectOk(await server.order({ saleId, purchaseKey: key }, 'ann'), 201);
    expectOk(await act(saleId, 'end'));
    expect((await state(saleId)).body).not.toHaveProperty('purchaseKey');
  });

  it('no two sales have the same key', async () => {
    const keys = new Set((await Promise.all([1, 2, 3].map(() => server.openSale()))).map((entry) => entry.purchaseKey));
    expect(keys.size).toBe(3);
  });

  it('shows what the contract lists, and stock only where the sale says so', async () => {
    const { saleId, purchaseKey } = await server.openSale({
      title: 'Shown',
      timeZone: 'Europe/Berlin',
      limitPerBuyer: 2,
      items: [item({ stock: 5 })],
    });
    const seen = (await state(saleId)).body;
    expect(seen).toMatchObject({
      saleId,
      title: 'Shown',
      timeZone: 'Europe/Berlin',
      phase: 'open',
      endsAt: null,
      purchaseKey,
      limitPerBuyer: 2,
      guests: false,
      demoPayment: false,
      payUrl: null,
      look: null,
      submitEverySeconds: 2,
      room: null,
    });
    expect(Number.isInteger(seen.version)).toBe(true);
    expect(seen.poll).toEqual({ afterMs: expect.any(Number), jitterMs: expect.any(Number) });
    expect(seen.items).toEqual([
      {
        sku: 'tee-m',
        title: 'Tee M',
        description: '',
        imageUrl: null,
        priceMinor: 2500,
        currency: 'EUR',
        availability: 'available',
      },
    ]);
    const open = await server.openSale({ showStock: true, items: [item({ stock: 5 })] });
    expect((await state(open.saleId)).body.items[0]).toMatchObject({ availability: 'available', available: 5 });
  });

  it('availability goes available, all_held, sold_out, and back when units return', async () => {
    const opened = await server.openSale({ items: [item({ stock: 1 })] });
    const availability = async () => (await state(opened.saleId)).body.items[0].availability;
    const becomes = (wanted: string) =>
      until(`availability becomes ${wanted}`, 10_000, async () => (await availability()) === wanted);
    await becomes('available');
    const first = expectOk(await server.order(opened, 'ann'), 201);
    await becomes('all_held');
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${first.orderId}/cancel`));
    await becomes('available');
    const second = await until('the unit sells again', 10_000, async () => {
      const reply = await server.order(opened, 'ben');
      return reply.status === 201 && reply.body;
    });
    expectOk(await server.pay(second));
    await becomes('sold_out');
  });
});
