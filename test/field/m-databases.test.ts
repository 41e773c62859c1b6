/** Field cases M on SQLite: buyers, an open console and many starters on one file, and nobody hears of a lock. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type FailedStart, newFolder, TestServer, tryStart } from '../support/server.ts';
import { type Answer, Crowd, type Shot } from './support/crowd.ts';
import {
  bookFaults,
  crowdedTimeoutMs,
  discardField,
  isEmbedded,
  patientEnv,
  pauseMs,
  startField,
  tally,
} from './support/field-server.ts';

it.concurrent(
  'H085 50 parallel buyers and an open console for 90 s: no request fails, no lock is ever named',
  async ({ skip }) => {
    skip(!isEmbedded, 'of SQLite');
    const server = await startField();
    const sale = await server.openSale({
      limitPerBuyer: 1,
      holdSeconds: 5,
      items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 100_000 }],
    });
    const endsAtMs = Date.now() + 90_000;
    const crowd = new Crowd(server, 100);
    const counts: Record<string, number> = {};
    const failed: string[] = [];
    const note = (what: string, status: number, text: string) => {
      counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
      if (status === 0 || status >= 500) failed.push(`${what}: ${status} ${text}`);
    };
    const asMerchant = { authorization: `Bearer ${server.merchantKey}` };
    const send = async (what: string, shot: Shot): Promise<Answer> => {
      const answer = await crowd.send(shot);
      note(what, answer.status, answer.text);
      return answer;
    };
    // A buyer: orders under a new name, then pays, cancels or vanishes. Paced, so that the machine serves others too.
    const buyer = async (at: number): Promise<void> => {
      for (let turn = 0; Date.now() < endsAtMs; turn += 1) {
        const buyerId = `h085-${at}-${turn}`;
        const { body: order, status } = await send('order', crowd.orderShot(sale, { buyerId }));
        if (status === 201 && turn % 3 === 0) await send('pay', payment(order));
        if (status === 201 && turn % 3 === 1) {
          const headers = { authorization: `Bearer ${server.token(buyerId)}` };
          await send('cancel', { method: 'POST', path: `/v1/orders/${order.orderId}/cancel`, headers });
        }
        await pauseMs(400);
      }
    };
    const payment = (order: Answer['body']): Shot => ({
      method: 'POST',
      path: '/v1/merchant/payments',
      headers: asMerchant,
      body: {
        paymentId: randomUUID(),
        orderId: order.orderId,
        result: 'succeeded',
        amountMinor: order.amountMinor,
        currency: order.currency,
      },
    });
    const of = (rest: string) => `/v1/merchant/sales/${sale.saleId}${rest}`;
    const console = async (path: string, accept = 'application/json'): Promise<void> => {
      while (Date.now() < endsAtMs) {
        const answer = await send(`${accept} ${path}`, { path, headers: { ...asMerchant, accept } });
        if (path.endsWith('/books')) failed.push(...bookFaults(answer.body));
        await pauseMs(500);
      }
    };
    await Promise.all([
      ...Array.from({ length: 50 }, (_, at) => buyer(at)),
      console(of('/books')),
      console(of('/orders?limit=500')),
      console(of('/orders?status=held')),
      console(of('/orders?limit=500'), 'text/csv'),
      console(of('/audit?all=true')),
      console('/v1/merchant/sales'),
      console('/v1/merchant/payments'),
      console(`/v1/sales/${sale.saleId}/state`),
    ]);
    expect(failed).toEqual([]);
    expect(counts['order 201']).toBeGreaterThan(2_000);
    expect(server.logs()).not.toMatch(/database is locked|SQLITE_BUSY|SQLITE_LOCKED/i);
    expect(bookFaults(await server.books(sale.saleId))).toEqual([]);
    await crowd.close();
    await server.stop();
  },
  crowdedTimeoutMs,
);

it.concurrent(
  // A wait of more than 60 s ends as an answer with status 0 (crowd.ts), so it counts as bad.
  'H086 200 parallel requests on every endpoint: nothing hangs',
  async () => {
    const server = await startField({ env: { DOORBUSTER_DATABASE_CONNECTIONS: '5' } });
    const sale = await server.openSale({
      guests: true,
      items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 1_000 }],
    });
    const { orderId } = (await server.order(sale, 'h086')).body;
    const asMerchant = { authorization: `Bearer ${server.merchantKey}` };
    const asBuyer = { authorization: `Bearer ${server.token('h086')}` };
    const ofSale = `/v1/sales/${sale.saleId}`;
    const ofMerchant = `/v1/merchant/sales/${sale.saleId}`;
    const order = `/v1/merchant/orders/${orderId}`;
    const reason = 'two hundred at once';
    const draft = () => ({ title: 'x', currency: 'EUR', items: [{ sku: 'a', title: 'a', priceMinor: 1, stock: 1 }] });
    const pay = () => ({ paymentId: randomUUID(), orderId, result: 'failed' });
    const post =
      (path: string, body?: () => unknown, headers = asMerchant) =>
      (): Shot => ({
        method: 'POST',
        path,
        headers,
        ...(body === undefined ? {} : { body: body() }),
      });
    const get =
      (path: string, headers: Record<string, string> = {}) =>
      (): Shot => ({ path, headers });
    const endpoints: (() => Shot)[] = [
      get('/livez'),
      get('/readyz'),
      get('/metrics', asMerchant),
      get('/openapi.json'),
      get('/.well-known/jwks.json'),
      get('/v1/time'),
      get(`${ofSale}/state`),
      get(`${ofSale}/orders`, asBuyer),
      get(`/v1/orders/${orderId}`, asBuyer),
      get('/v1/merchant/sales', asMerchant),
      get(ofMerchant, asMerchant),
      get(`${ofMerchant}/orders?limit=50`, asMerchant),
      get(`${ofMerchant}/orders?limit=50`, { ...asMerchant, accept: 'text/csv' }),
      get(`${ofMerchant}/books`, asMerchant),
      get(`${ofMerchant}/audit`, asMerchant),
      get(order, asMerchant),
      get('/v1/merchant/payments', asMerchant),
      () => crowd.orderShot(sale, { buyerId: `h086-${randomUUID()}` }),
      post(`${ofSale}/guests`, undefined, {} as typeof asMerchant),
      () => ({ method: 'PUT', path: `/v1/orders/${orderId}/details`, headers: asBuyer, body: { contact: 'x' } }),
      post('/v1/merchant/buyer-tokens', () => ({ buyers: [{ id: 'h086' }] })),
      post('/v1/merchant/sales', draft),
      post('/v1/merchant/payments', pay),
      post(`${ofMerchant}/items/tee-m/stock`, () => ({ delta: 1, reason })),
      post(`${ofMerchant}/corrections`, () => ({ set: { title: 'y' }, reason })),
      post(`${order}/payment-started`),
      post(`/v1/orders/${orderId}/cancel`, undefined, asBuyer),
      post(`${order}/cancel`, () => ({ returnToStock: false, reason })),
      post(`${ofMerchant}/pause`),
      post(`${ofMerchant}/resume`),
      post(`${ofMerchant}/end`),
    ];
    const crowd = new Crowd(server, 200);
    await crowd.warm(200);
    for (const endpoint of endpoints) {
      const shots = Array.from({ length: 200 }, endpoint);
      const where = `${shots[0]?.method ?? 'GET'} ${shots[0]?.path}`;
      const answers = await crowd.sendAll(shots);
      const bad = answers.filter((answer) => answer.status === 0 || answer.status >= 500);
      expect({ where, bad: tally(bad) }).toEqual({ where, bad: {} });
      expect({ where, answers: answers.length }).toEqual({ where, answers: 200 });
    }
    expect(bookFaults(await server.books(sale.saleId))).toEqual([]);
    await crowd.close();
    await server.stop();
  },
  crowdedTimeoutMs,
);

it.concurrent(
  'H087 5 servers start at once on one empty data folder: one serves, the others are refused with the reason',
  async ({ skip }) => {
    skip(!isEmbedded, 'of the data folder; on databases: test/databases/start.test.ts');
    const data = newFolder();
    const starts = await Promise.all(Array.from({ length: 5 }, () => tryStart({ data, env: { ...patientEnv } })));
    const up = starts.filter((start) => start instanceof TestServer);
    const refused = starts.filter((start): start is FailedStart => !(start instanceof TestServer));
    expect(up).toHaveLength(1);
    for (const start of refused) {
      expect(start.exit.code).toBeGreaterThan(0);
      expect(start.stderr).toContain(data);
      expect(start.stderr).not.toMatch(/database is locked/i);
    }
    const server = up[0] as TestServer;
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    const sale = await server.openSale();
    expect((await server.order(sale, 'h087')).status).toBe(201);
    await discardField(server);
  },
  crowdedTimeoutMs,
);
