/** Field cases Q: restarts, shutdown, and what must never be written down. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { type Answer, Crowd, type OrderWish, type Shot } from './support/crowd.ts';
import {
  crowdedTimeoutMs,
  discardField,
  itemBooks,
  pauseMs,
  type Sale,
  startField,
  tally,
  until,
} from './support/field-server.ts';
import { openLedger } from './support/ledger-access.ts';

const stockOf = (stock: number) => ({ items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock }] });

/** A shopper who repeats the same request until it gets an answer, whatever happens to the connection. */
async function insist(current: () => Crowd, sale: Sale, wish: OrderWish, deadlineMs = 120_000): Promise<Answer> {
  return until(`an answer for ${wish.buyerId}`, deadlineMs, async () => {
    const crowd = current();
    const answer = await crowd.send(crowd.orderShot(sale, wish));
    return answer.status === 0 || answer.status === 503 ? null : answer;
  });
}

it(
  'H100 a restart under load: no accepted order is lost, and a reset connection gets one result under its key',
  async () => {
    let server = await startField();
    const port = new URL(server.url).port;
    const sale = await server.openSale(stockOf(5_000));
    const current = () => crowd;
    let crowd = new Crowd(server, 64);
    const firstAnswers = new Map<string, string>();
    const results = new Map<string, Answer>();
    const lost: string[] = [];
    let on = true;
    const secretOf = (buyerId: string) => server.token(buyerId);
    // 48 shoppers one after another in 48 lines, while the server is restarted twice below them.
    const lines = Array.from({ length: 48 }, async (_, line) => {
      for (let turn = 0; on; turn += 1) {
        const buyerId = `h100-${line}-${turn}`;
        const wish = { buyerId, key: buyerId, token: secretOf(buyerId) };
        const first = await crowd.send(crowd.orderShot(sale, wish));
        if (first.status === 201) firstAnswers.set(buyerId, first.body.orderId);
        if (first.status === 0) lost.push(buyerId);
        results.set(buyerId, first.status === 201 ? first : await insist(current, sale, wish));
        await pauseMs(20);
      }
    });
    for (const _restart of [1, 2]) {
      const before = results.size;
      await until('the load is on', 60_000, () => results.size > before + 200);
      const old = { server, crowd };
      const exit = await stopKeepingData(old.server);
      expect(exit).toEqual({ code: 0, signal: null });
      server = await startField({ data: old.server.data, args: ['--port', port] });
      crowd = new Crowd(server, 64);
      void old.crowd.close();
    }
    const before = results.size;
    await until('it goes on after the restarts', 60_000, () => results.size > before + 200);
    on = false;
    await Promise.all(lines);
    expect(tally([...results.values()])).toEqual({ '201': results.size });
    expect(lost.length).toBeGreaterThan(0);
    for (const [buyerId, orderId] of firstAnswers) expect(results.get(buyerId)?.body.orderId).toBe(orderId);
    // Every key once more: the same order, and not a unit more.
    const wishes = [...results.keys()].map((buyerId) => ({ buyerId, key: buyerId }));
    const again = await crowd.orders(sale, wishes);
    for (const [at, { buyerId }] of wishes.entries())
      expect(again[at]?.body.orderId).toBe(results.get(buyerId)?.body.orderId);
    expect(new Set(again.map((answer) => answer.body.orderId)).size).toBe(results.size);
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: 5_000, held: results.size, sold: 0 });
    await crowd.close();
    await discardField(server);
  },
  crowdedTimeoutMs,
);

it(
  'H101 endless keep-alive traffic, then SIGTERM: the process is gone within the grace time, accepted orders are not',
  async () => {
    const graceSeconds = 10;
    const server = await startField();
    const sale = await server.openSale(stockOf(20_000));
    const crowd = new Crowd(server, 40);
    const accepted = new Map<string, string>();
    let on = true;
    const clients = Array.from({ length: 40 }, async (_, at) => {
      for (let turn = 0; on; turn += 1) {
        const buyerId = `h101-${at}-${turn}`;
        const shot =
          at % 2 === 0 ? { path: `/v1/sales/${sale.saleId}/state` } : crowd.orderShot(sale, { buyerId, key: buyerId });
        const answer = await crowd.send(shot);
        if (answer.status === 201) accepted.set(buyerId, answer.body.orderId);
        if (answer.status === 0) await pauseMs(10);
      }
    });
    await until('the traffic is on', 60_000, () => accepted.size > 200);
    const termAtMs = performance.now();
    const exit = await Promise.race([stopKeepingData(server), pauseMs((graceSeconds + 5) * 1_000)]);
    const tookMs = performance.now() - termAtMs;
    on = false;
    await Promise.all(clients);
    await crowd.close();
    expect(exit).toEqual({ code: 0, signal: null });
    expect(tookMs).toBeLessThan(graceSeconds * 1_000);
    const second = await startField({ data: server.data });
    const again = new Crowd(second);
    const replays = await again.orders(
      sale,
      [...accepted.keys()].map((buyerId) => ({ buyerId, key: buyerId })),
    );
    for (const [at, orderId] of [...accepted.values()].entries()) expect(replays[at]?.body.orderId).toBe(orderId);
    const books = await itemBooks(second, sale.saleId);
    expect(books.total).toBe(20_000);
    expect(books.held).toBeGreaterThanOrEqual(accepted.size);
    await again.close();
    await discardField(second);
  },
  crowdedTimeoutMs,
);

/** SIGTERM without removing the data folder, which the harness does for a folder of its own. */
function stopKeepingData(server: TestServer) {
  server.child.kill('SIGTERM');
  return server.exited;
}

it.concurrent(
  'H065 H102 the ledger cannot be written: refused with a retry hint, limits on, readiness red, liveness green, healed alone',
  async () => {
    const server = await startField({ env: { DOORBUSTER_QUEUE_WAIT_MS: '100' } });
    const sale = await server.openSale(stockOf(10));
    expect((await server.order(sale, 'h065-has-one')).status).toBe(201);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    const crowd = new Crowd(server, 200);
    const asked: Promise<Answer>[] = [];
    const ledger = await openLedger(server);
    const letGo = await ledger.holdUp(sale.saleId);
    try {
      const red = await until('readiness is red', 15_000, async () => {
        for (const buyerId of ['h065-has-one', 'h065-new']) asked.push(crowd.send(crowd.orderShot(sale, { buyerId })));
        await pauseMs(100);
        expect((await server.request('GET', '/livez')).status).toBe(200);
        const ready = await server.request('GET', '/readyz');
        return ready.status === 503 ? ready : null;
      });
      expect(red.text).toMatch(/ledger|database/i);
    } finally {
      await letGo();
      ledger.close();
    }
    const answers = await Promise.all(asked);
    const refused = answers.filter((answer) => answer.status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.body).toMatchObject({ retryable: true, retryAfterMs: expect.any(Number) });
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      expect(['busy', 'unavailable']).toContain(answer.body.code);
    }
    // The limit was never off: whoever had one has one, whoever asked many times has at most one.
    expect(answers.filter((answer) => answer.status === 201).length).toBeLessThanOrEqual(1);
    await until(
      'readiness is green again',
      15_000,
      async () => (await server.request('GET', '/readyz')).status === 200,
    );
    const after = await until('buying goes on', 5_000, async () => {
      const answer = await server.order(sale, 'h065-after');
      return answer.status === 201 ? answer : null;
    });
    expect(after.body.status).toBe('held');
    expect((await server.order(sale, 'h065-has-one')).body.code).toBe('limit_reached');
    const list = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?buyerId=h065-new`);
    expect(list.body.items.length).toBeLessThanOrEqual(1);
    expect((await itemBooks(server, sale.saleId)).held).toBe(2 + list.body.items.length);
    await crowd.close();
    await server.stop();
  },
  crowdedTimeoutMs,
);

it('H104 keys, secrets, tokens and purchase keys, rightly and wrongly placed, appear in no log, metric or error page', async () => {
  const merchantKey = `canary-merchant-${randomUUID()}`;
  const buyerSecret = `canary-buyer-secret-${randomUUID()}`;
  const server = await startField({
    env: { DOORBUSTER_MERCHANT_KEY: merchantKey, DOORBUSTER_BUYER_SECRET: buyerSecret, DOORBUSTER_LOG: 'trace' },
  });
  const sale = await server.openSale({ guests: true });
  const token = server.token('h104');
  const guest = (await server.request('POST', `/v1/sales/${sale.saleId}/guests`)).body.token as string;
  const idempotencyKey = `canary-key-${randomUUID()}`;
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  // Rightly placed.
  expect((await server.order(sale, 'h104', { token, key: idempotencyKey })).status).toBe(201);
  expect((await server.order(sale, 'h104', { token: guest })).status).toBe(201);
  const secrets = { merchantKey, buyerSecret, token, guest, purchaseKey: sale.purchaseKey };
  // Wrongly placed: each secret where each of the others belongs, and where none does.
  const crowd = new Crowd(server, 20);
  const orders = `/v1/sales/${sale.saleId}/orders`;
  const shots: Shot[] = Object.values(secrets).flatMap((secret) => [
    { path: '/v1/merchant/sales', headers: bearer(secret) },
    { path: '/v1/merchant/sales', headers: { authorization: secret } },
    {
      path: '/v1/merchant/sales',
      headers: { authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` },
    },
    { path: `/v1/merchant/sales?key=${secret}&access_token=${secret}` },
    { path: `/v1/merchant/sales/${secret}`, headers: bearer(merchantKey) },
    { path: `/v1/orders/${secret}`, headers: bearer(token) },
    { path: `/v1/orders/h104?token=${secret}`, headers: bearer(secret) },
    { path: `/${secret}` },
    {
      path: `/sales/${sale.saleId}?key=${secret}`,
      headers: { referer: `https://shop.example/?token=${secret}`, cookie: `session=${secret}` },
    },
    { path: '/metrics', headers: bearer(secret) },
    {
      method: 'POST',
      path: `${orders}?key=${secret}`,
      headers: { ...bearer(secret), 'idempotency-key': 'k' },
      body: { sku: 'tee-m', quantity: 1 },
    },
    {
      method: 'POST',
      path: `${orders}?key=${secret}`,
      headers: { ...bearer(server.token('h104-b')), 'idempotency-key': secret },
      body: { sku: secret, quantity: secret, [secret]: secret },
    },
    { method: 'POST', path: '/v1/merchant/payments', headers: bearer(secret), rawBody: `{"paymentId": ${secret}` },
    {
      method: 'POST',
      path: '/v1/merchant/sales',
      headers: bearer(merchantKey),
      body: { title: 1, currency: secret, items: secret, [secret]: 1 },
    },
    {
      method: 'PATCH',
      path: `/v1/merchant/sales/${sale.saleId}`,
      headers: { ...bearer(merchantKey), 'content-type': secret.slice(0, 20) },
      rawBody: secret,
    },
    {
      path: '/v1/merchant/sales',
      headers: { ...bearer(merchantKey), 'x-request-id': secret, 'x-forwarded-for': secret },
    },
  ]);
  const answers = await crowd.sendAll(shots);
  await crowd.close();
  const metrics = await server.merchant('GET', '/metrics');
  expect(metrics.status).toBe(200);
  const openapi = await server.request('GET', '/openapi.json');
  await server.stop();
  const places: Record<string, string> = { log: server.logs(), metrics: metrics.text, openapi: openapi.text };
  for (const [at, answer] of answers.entries())
    if (answer.status >= 400)
      places[`answer ${at} (${shots[at]?.path.slice(0, 24)})`] = JSON.stringify(answer.headers) + answer.text;
  // A token is its signature: header and claims alone open nothing, but neither has a place in a log.
  const forbidden = {
    ...secrets,
    signature: token.split('.')[2] as string,
    guestSignature: guest.split('.')[2] as string,
  };
  const leaks = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(forbidden).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
  );
  expect(leaks).toEqual([]);
  expect(answers.filter((answer) => answer.status === 0 || answer.status >= 500)).toEqual([]);
});
