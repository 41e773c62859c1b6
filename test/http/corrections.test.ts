/**
 * What may change after `schedule` has frozen a sale: stock by delta, named corrections, each with a reason and
 * an audit row; and the audit's chain of hashes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, inSeconds, item, levels, newId, saleIn, until } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
});
afterAll(async () => {
  await server.stop();
});

const stock = (saleId: string, body: unknown, headers: Record<string, string> = {}, sku = 'tee-m') =>
  server.merchant('POST', `/v1/merchant/sales/${saleId}/items/${sku}/stock`, body, headers);
const correct = (saleId: string, set: Record<string, unknown>, reason: string | undefined = 'because') =>
  server.merchant('POST', `/v1/merchant/sales/${saleId}/corrections`, {
    set,
    ...(reason === undefined ? {} : { reason }),
  });
const sale = async (saleId: string) => expectOk(await server.merchant('GET', `/v1/merchant/sales/${saleId}`));
const audit = async (saleId: string, query = '?limit=500') =>
  expectOk(await server.merchant('GET', `/v1/merchant/sales/${saleId}/audit${query}`)).items;

/** A sale with 10 units: 2 sold, 3 held. */
async function halfSold(): Promise<{ saleId: string; purchaseKey: string }> {
  const opened = await server.openSale({ limitPerBuyer: null });
  for (let index = 0; index < 2; index++) {
    expectOk(await server.pay(expectOk(await server.order(opened, `paid-${index}`), 201)));
  }
  expectOk(await server.order(opened, 'holder', { quantity: 3 }), 201);
  expect(await levels(server, opened.saleId)).toEqual({ total: 10, available: 5, held: 3, sold: 2 });
  return opened;
}

describe('stock by delta', () => {
  it.each(['scheduled', 'open', 'paused'] as const)('adds to a sale that is %s', async (phase) => {
    const saleId = await saleIn(server, phase);
    expectOk(await stock(saleId, { delta: 20, reason: 'found a box' }));
    expect(await levels(server, saleId)).toEqual({ total: 30, available: 30, held: 0, sold: 0 });
  });

  it('takes away no more than is free', async () => {
    const { saleId } = await halfSold();
    const refused = await stock(saleId, { delta: -6, reason: 'too many' });
    expect(refused.status).toBe(409);
    expectProblem(refused, 'not_enough', 'wrong_state');
    expect(await levels(server, saleId)).toEqual({ total: 10, available: 5, held: 3, sold: 2 });
    expectOk(await stock(saleId, { delta: -5, reason: 'just enough' }));
    expect(await levels(server, saleId)).toEqual({ total: 5, available: 0, held: 3, sold: 2 });
    expectProblem(await stock(saleId, { delta: -1, reason: 'one more' }), 'not_enough', 'wrong_state');
  });

  it('new units are sold, each once', async () => {
    const opened = await server.openSale({ items: [item({ stock: 1 })] });
    expectOk(await server.order(opened, 'ann'), 201);
    expectProblem(await server.order(opened, 'ben'), 'sold_out');
    expectOk(await stock(opened.saleId, { delta: 1, reason: 'one more' }));
    await until('ben gets the new unit', 10_000, async () => (await server.order(opened, 'ben')).status === 201);
    expectProblem(await server.order(opened, 'cid'), 'sold_out');
    expect(await levels(server, opened.saleId)).toEqual({ total: 2, available: 0, held: 2, sold: 0 });
  });

  it('one key, one effect', async () => {
    const saleId = await saleIn(server, 'open');
    const headers = { 'idempotency-key': newId('key') };
    const body = { delta: 7, reason: 'box' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => stock(saleId, body, headers)));
    for (const reply of replies) expectOk(reply);
    expect(replies.filter((reply) => reply.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await levels(server, saleId)).toMatchObject({ total: 17 });
    expectProblem(await stock(saleId, { ...body, delta: 8 }, headers), 'idempotency_conflict');
    expect(await levels(server, saleId)).toMatchObject({ total: 17 });
  });

  it.each([
    ['no reason', { delta: 1 }],
    ['no delta', { reason: 'x' }],
    ['half a unit', { delta: 0.5, reason: 'x' }],
    ['a string', { delta: '1', reason: 'x' }],
    ['an absolute number', { stock: 5, reason: 'x' }],
    ['past every bound', { delta: 1e21, reason: 'x' }],
  ])('refuses %s', async (_, body) => {
    const saleId = await saleIn(server, 'open');
    expectProblem(await stock(saleId, body), 'invalid');
    expect(await levels(server, saleId)).toMatchObject({ total: 10 });
  });

  it('keeps the total at or below 100,000,000', async () => {
    const saleId = await saleIn(server, 'open');
    const reply = await stock(saleId, { delta: 100_000_000 - 9, reason: 'one too many' });
    expectProblem(reply, 'invalid', 'wrong_state', 'not_enough');
    expectOk(await stock(saleId, { delta: 100_000_000 - 10, reason: 'to the brim' }));
    expect(await levels(server, saleId)).toMatchObject({ total: 100_000_000 });
  });

  it('is not found for an unknown item or sale', async () => {
    const saleId = await saleIn(server, 'open');
    expectProblem(await stock(saleId, { delta: 1, reason: 'x' }, {}, 'nothing'), 'not_found');
    expectProblem(await stock('nobody', { delta: 1, reason: 'x' }), 'not_found');
  });
});

describe('corrections', () => {
  it('moves the end while the sale has not ended', async () => {
    const saleId = await saleIn(server, 'open', { endsAt: inSeconds(3600) });
    const endsAt = inSeconds(7200);
    expectOk(await correct(saleId, { endsAt }));
    expect((await sale(saleId)).endsAt).toBe(endsAt);
    expect((await server.request('GET', `/v1/sales/${saleId}/state`)).body.endsAt).toBe(endsAt);
  });

  it('an end moved nearer ends the sale then', async () => {
    const opened = await server.openSale({ endsAt: inSeconds(3600) });
    const endsAt = inSeconds(1.5);
    expectOk(await correct(opened.saleId, { endsAt }));
    await until('the sale ends', 10_000, async () => (await sale(opened.saleId)).phase === 'ended');
    expectProblem(await server.order(opened, 'late'), 'sale_ended');
  });

  it('title and description may change at any time, opensAt only before the opening', async () => {
    const saleId = await saleIn(server, 'scheduled', { opensAt: inSeconds(3600) });
    const opensAt = inSeconds(7200);
    expectOk(await correct(saleId, { title: 'Right title', opensAt }));
    expect(await sale(saleId)).toMatchObject({ title: 'Right title', opensAt });
    expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/open`));
    expectProblem(await correct(saleId, { opensAt: inSeconds(9000) }), 'wrong_state');
    expectOk(await correct(saleId, { title: 'Better title' }));
    expect((await server.request('GET', `/v1/sales/${saleId}/state`)).body.title).toBe('Better title');
  });

  it('an opening moved nearer opens then', async () => {
    const saleId = await saleIn(server, 'scheduled', { opensAt: inSeconds(3600) });
    const opensAt = inSeconds(1.5);
    expectOk(await correct(saleId, { opensAt }));
    await until('the sale opens', 10_000, async () => (await sale(saleId)).phase === 'open');
  });

  it('segments only grow', async () => {
    const saleId = await saleIn(server, 'open', { segments: 4 });
    expectOk(await correct(saleId, { segments: 8 }));
    expect((await sale(saleId)).segments).toBe(8);
    expectProblem(await correct(saleId, { segments: 4 }), 'invalid', 'wrong_state');
    expect((await sale(saleId)).segments).toBe(8);
  });

  it('the end cannot be moved once the sale has ended', async () => {
    const saleId = await saleIn(server, 'ended');
    expectProblem(await correct(saleId, { endsAt: inSeconds(3600) }), 'sale_ended', 'wrong_state');
    expect((await sale(saleId)).phase).toBe('ended');
  });

  it.each([
    ['a price', { items: [item({ priceMinor: 1 })] }],
    ['the limit', { limitPerBuyer: 5 }],
    ['the currency', { currency: 'USD' }],
    ['the hold', { holdSeconds: 10 }],
    ['stock', { stock: 5 }],
    ['an end that is no time', { endsAt: 'soon' }],
    ['a title that is no text', { title: 7 }],
  ])('refuses %s', async (_, set) => {
    const saleId = await saleIn(server, 'open');
    const before = await sale(saleId);
    expectProblem(await correct(saleId, set), 'invalid');
    expect(await sale(saleId)).toEqual(before);
  });

  it('needs a reason', async () => {
    const saleId = await saleIn(server, 'open');
    expectProblem(
      await server.merchant('POST', `/v1/merchant/sales/${saleId}/corrections`, { set: { title: 'x' } }),
      'invalid',
    );
  });
});

describe('audit', () => {
  it('says who did what, when and why, in a chain', async () => {
    const opened = await halfSold();
    expectOk(await stock(opened.saleId, { delta: 20, reason: 'found a box' }));
    expectOk(await correct(opened.saleId, { title: 'New' }, 'a typo'));
    expectOk(await server.merchant('POST', `/v1/merchant/sales/${opened.saleId}/end`));
    const rows = await audit(opened.saleId, '?all=true&limit=500');
    const reasons = rows.map((row: { reason: unknown }) => row.reason);
    expect(reasons).toContain('found a box');
    expect(reasons).toContain('a typo');
    for (const row of rows) {
      expect(row).toMatchObject({ at: expect.any(String), action: expect.any(String), actor: expect.anything() });
    }
    const bySeq = [...rows].sort((left, right) => left.seq - right.seq);
    for (const [index, row] of bySeq.entries()) {
      const previous = bySeq[index - 1];
      if (previous !== undefined && previous.seq === row.seq - 1) expect(row.previousHash).toBe(previous.hash);
    }
    expect(new Set(rows.map((row: { hash: string }) => row.hash)).size).toBeGreaterThan(5);
  });

  it('keeps refused changes out', async () => {
    const saleId = await saleIn(server, 'open');
    const before = await audit(saleId);
    expectProblem(await stock(saleId, { delta: -11, reason: 'nonsense' }), 'not_enough', 'wrong_state');
    expectProblem(await correct(saleId, { currency: 'USD' }, 'nonsense'), 'invalid');
    expect(await audit(saleId)).toEqual(before);
  });

  it('is not found for an unknown sale', async () => {
    expectProblem(await server.merchant('GET', '/v1/merchant/sales/nobody/audit'), 'not_found');
  });
});
