/**
 * A fault at every statement of the order path, between the server and its database (I2, I3): the connection is cut
 * before the database hears of it, or after it has answered; answers are swallowed; statements are late. Whatever
 * comes of it, each key has one truth: what was said to be an order is that order, what was said to have had no effect
 * had none, and what is unknown the retry finds out.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { until } from '../crash/until.ts';
import type { Reply, TestServer } from '../support/server.ts';
import { isWhole, onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, startOn } from './support/shop.ts';
import { type Fault, StatementProxy } from './support/statement-proxy.ts';

/** Each is a step of the batch that makes an order; in this order. */
const STEPS: Readonly<Record<string, RegExp>> = {
  begin: /^BEGIN$/,
  'lock the sale': /FROM sales WHERE sale_no = \S+ FOR UPDATE$/,
  'clock and end of the chain': /AS here LEFT JOIN/,
  items: /FROM items WHERE sale_no = \S+$/,
  buyers: /^SELECT .* FROM buyers/,
  'write items': /^UPDATE items/,
  'write orders': /^INSERT INTO orders/,
  'write buyers': /^INSERT INTO buyers/,
  'write audit': /^INSERT INTO audit/,
  'write outbox': /^INSERT INTO outbox/,
  commit: /^COMMIT$/,
};

const ORDERS_AT_ONCE = 3;
const DELAY_MS = 150;
/** The driver waits 6 s for an answer, then the batch is given up and may be tried once more. */
const SWALLOWED_WITHIN_MS = 16_000;

endServersAtTheEnd();

interface Asked {
  readonly buyerId: string;
  readonly key: string;
  readonly answer: Reply;
}

onEachDatabase((kind, database) => {
  let started: Promise<{ server: TestServer; proxy: StatementProxy }> | null = null;
  const shop = () => {
    started ??= (async () => {
      const db = await database();
      const proxy = await StatementProxy.to(kind, db.port);
      // No background work: every transaction on the wire is one of ours.
      const env = { DOORBUSTER_LOG: 'fatal', DOORBUSTER_ROLES: 'web' };
      return { proxy, server: await startOn(proxy.through(db.create()), { env }) };
    })();
    return started;
  };
  afterAll(async () => (await started)?.proxy.close());

  const openSale = async (server: TestServer) =>
    server.openSale({ items: [{ sku: 'tee-m', title: 'M', priceMinor: 1, stock: 10_000 }] });

  /** The one truth of each key: what the answer says, what the books say, what a retry says. */
  async function judge(server: TestServer, sale: { saleId: string; purchaseKey: string }, asked: readonly Asked[]) {
    for (const { buyerId, key, answer } of asked) {
      const said = answer.status === 201 ? 'made' : answer.body.effect;
      expect(['made', 'none', 'unknown'], answer.text).toContain(said);
      const ordersOf = async (): Promise<{ orderId: string }[]> =>
        (await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?buyerId=${buyerId}`)).body.items;
      const before = await ordersOf();
      if (said === 'made') expect(before.map(({ orderId }) => orderId)).toEqual([answer.body.orderId]);
      if (said === 'none') expect(before).toEqual([]);
      const again = await until('an answer to the retry', 10_000, async () => {
        const retried = await server.order(sale, buyerId, { key });
        return retried.status === 503 ? undefined : retried;
      });
      expect(again.status).toBe(201);
      expect(again.headers.get('idempotent-replayed') === 'true').toBe(before.length === 1);
      const after = await ordersOf();
      expect(after.map(({ orderId }) => orderId)).toEqual([again.body.orderId]);
      if (before[0] !== undefined) expect(again.body.orderId).toBe(before[0].orderId);
    }
    const books = await server.books(sale.saleId);
    expect(books.balanced).toBe(true);
    return books.items[0].held as number;
  }

  async function order(server: TestServer, sale: { saleId: string; purchaseKey: string }): Promise<Asked> {
    const [buyerId, key] = [randomUUID(), randomUUID()];
    return { buyerId, key, answer: await server.order(sale, buyerId, { key }) };
  }

  const faults: readonly { what: string; fault: Omit<Fault, 'match'> }[] = [
    { what: 'cut before, once', fault: { kind: 'cut-before', times: 1 } },
    { what: 'cut before, again and again', fault: { kind: 'cut-before', times: 4 } },
    { what: 'cut after, once', fault: { kind: 'cut-after', times: 1 } },
    { what: 'cut after, again and again', fault: { kind: 'cut-after', times: 4 } },
    { what: 'late', fault: { kind: 'delay', ms: DELAY_MS, times: 1 } },
  ];

  it('an order is made of these statements', async () => {
    const { server, proxy } = await shop();
    const sale = await openSale(server);
    proxy.seen.length = 0;
    await order(server, sale);
    for (const [step, pattern] of Object.entries(STEPS))
      expect(proxy.seen.filter((statement) => pattern.test(statement)).length, step).toBeGreaterThan(0);
  });

  const said: Record<string, number> = {};
  for (const { what, fault } of faults)
    it(`every statement ${what}: each key has one truth`, async () => {
      const { server, proxy } = await shop();
      const sale = await openSale(server);
      let held = 0;
      for (const [step, pattern] of Object.entries(STEPS)) {
        const before = proxy.befallen;
        proxy.befall({ ...fault, match: (statement) => pattern.test(statement) });
        const asked = await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, () => order(server, sale)));
        proxy.heal();
        expect(proxy.befallen, step).toBeGreaterThan(before);
        held += asked.length;
        expect(await judge(server, sale, asked), step).toBe(held);
        for (const { answer } of asked) {
          const name = answer.status === 201 ? 'made' : `effect ${answer.body.effect}`;
          said[name] = (said[name] ?? 0) + 1;
        }
      }
    });

  it('all three answers were met: made, effect none, effect unknown', () => {
    console.log(`${kind}: ${JSON.stringify(said)}`);
    expect(Object.keys(said).sort()).toEqual(['effect none', 'effect unknown', 'made']);
  });

  it('answers that never come: the request is answered in time, and the key is settled by the retry', async () => {
    const { server, proxy } = await shop();
    const steps = isWhole ? Object.keys(STEPS) : ['lock the sale', 'write orders', 'commit'];
    const rounds = await Promise.all(
      steps.map(async (step) => {
        const sale = await openSale(server);
        const pattern = STEPS[step] as RegExp;
        return { step, sale, pattern };
      }),
    );
    const startedMs = performance.now();
    for (const { pattern } of rounds)
      proxy.befall({ kind: 'swallow', times: 1, match: (statement) => pattern.test(statement) });
    const asked = await Promise.all(rounds.map(({ sale }) => order(server, sale)));
    expect(performance.now() - startedMs).toBeLessThan(SWALLOWED_WITHIN_MS);
    expect(asked.filter(({ answer }) => answer.status !== 201).length).toBeGreaterThan(0);
    proxy.heal();
    for (const [at, { sale }] of rounds.entries()) expect(await judge(server, sale, [asked[at] as Asked])).toBe(1);
  });

  it('the check notices an answer that lies', async () => {
    const { server } = await shop();
    const sale = await openSale(server);
    const asked = await order(server, sale);
    const none = { ...asked.answer, status: 503, body: { effect: 'none' } };
    await expect(judge(server, sale, [{ ...asked, answer: none }])).rejects.toThrow();
    const other = { ...asked.answer, body: { ...asked.answer.body, orderId: 'another' } };
    await expect(judge(server, sale, [{ ...asked, answer: other }])).rejects.toThrow();
  });
});
