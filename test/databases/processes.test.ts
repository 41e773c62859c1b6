/**
 * Four server processes on one database, each asked by its own address: what one does, all keep (I3 to I6). `pause` and
 * `end` answer only when nobody can grant any more; limits, keys, latch, corrections and the opening hold over all.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { until } from '../crash/until.ts';
import type { Reply, TestServer } from '../support/server.ts';
import { onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, several, startOn, stopAll } from './support/shop.ts';

const SERVERS = 4;
/** News of other processes are at most this old. */
const NEWS_MS = 1000;

endServersAtTheEnd();

interface Sale {
  readonly saleId: string;
  readonly purchaseKey: string;
}

interface ListedOrder {
  readonly orderId: string;
  readonly placedAt: string;
}

async function ordersOf(server: TestServer, { saleId }: Sale): Promise<ListedOrder[]> {
  const orders: ListedOrder[] = [];
  let cursor = '';
  do {
    const page = (await server.merchant('GET', `/v1/merchant/sales/${saleId}/orders?limit=500${cursor}`)).body;
    orders.push(...page.items);
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== '');
  return orders;
}

/** Lanes of new buyers on every server, until told to stop. */
function sellEverywhere(servers: readonly TestServer[], sale: Sale, lanes = 4) {
  const answers: Reply[] = [];
  let isOver = false;
  const lane = async (server: TestServer): Promise<void> => {
    while (!isOver) answers.push(await server.order(sale, randomUUID()));
  };
  const done = Promise.all(servers.flatMap((server) => Array.from({ length: lanes }, () => lane(server))));
  return {
    made: () => answers.filter(({ status }) => status === 201).length,
    stop: async (): Promise<Reply[]> => {
      isOver = true;
      await done;
      return answers;
    },
  };
}

/** Orders that were placed after the answer to an act that allows none any more. */
const placedAfter = (orders: readonly ListedOrder[], answeredMs: number): ListedOrder[] =>
  orders.filter(({ placedAt }) => Date.parse(placedAt) > answeredMs);

onEachDatabase((kind, database) => {
  let started: Promise<TestServer[]> | null = null;
  const shop = (): Promise<TestServer[]> => {
    started ??= database().then((db) => several(db.create(), SERVERS, { env: { DOORBUSTER_LOG: 'warn' } }));
    return started;
  };
  const at = async (index: number): Promise<TestServer> => (await shop())[index] as TestServer;
  afterAll(async () => stopAll((await started) ?? []));
  const plenty = (stock: number) => ({ items: [{ sku: 'tee-m', title: 'M', priceMinor: 1, stock }] });

  /** The purchase key reaches every process. */
  const openEverywhere = async (settings: Record<string, unknown>): Promise<Sale> => {
    const servers = await shop();
    const sale = await (servers[0] as TestServer).openSale(settings);
    for (const server of servers)
      await until('the sale is open everywhere', 5 * NEWS_MS, async () => {
        const state = await server.request('GET', `/v1/sales/${sale.saleId}/state`);
        return state.body.phase === 'open' && state.body.purchaseKey === sale.purchaseKey;
      });
    return sale;
  };

  it.each(['pause', 'end'])('%s, while four sell: after its answer no order is made, on any of them', async (act) => {
    const servers = await shop();
    const sale = await openEverywhere(plenty(1_000_000));
    const crowd = sellEverywhere(servers, sale);
    await until('a stampede', 20_000, () => crowd.made() > 40);
    const answer = await (await at(1)).merchant('POST', `/v1/merchant/sales/${sale.saleId}/${act}`);
    expect(answer.status).toBe(200);
    const time = await (await at(2)).request('GET', '/v1/time');
    const answeredMs = Date.parse(time.body.now ?? time.body.time);
    const countThen = (await ordersOf(await at(3), sale)).length;
    await delay(NEWS_MS);
    const answers = await crowd.stop();
    const orders = await ordersOf(await at(0), sale);
    expect(orders.length).toBe(countThen);
    expect(placedAfter(orders, answeredMs)).toEqual([]);
    // The control: the same check sees the orders that were placed after an earlier moment.
    expect(placedAfter(orders, Date.parse(orders[0]?.placedAt ?? '')).length).toBeGreaterThan(0);
    const refusals = new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code));
    expect([...refusals]).toEqual([act === 'pause' ? 'sale_paused' : 'sale_ended']);
    expect(orders.length).toBe(answers.filter(({ status }) => status === 201).length);
  });

  it('H023 50 identical requests over four servers: one order, one unit, one id', async () => {
    const servers = await shop();
    const sale = await openEverywhere(plenty(100));
    const [buyerId, key] = ['h023', 'the-key'];
    const asked = Array.from({ length: 50 }, (_, each) =>
      (servers[each % SERVERS] as TestServer).order(sale, buyerId, { key }),
    );
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.orderId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
    expect((await (await at(0)).books(sale.saleId)).items[0]).toMatchObject({ available: 99, held: 1 });
  });

  it('64 orders of one buyer over four servers, limit 1: one', async () => {
    const servers = await shop();
    const sale = await openEverywhere({ ...plenty(100), limitPerBuyer: 1 });
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, each) => (servers[each % SERVERS] as TestServer).order(sale, 'greedy')),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(['limit_reached']),
    );
    expect((await (await at(0)).books(sale.saleId)).items[0]).toMatchObject({ available: 99, held: 1 });
  });

  it('the last unit, wanted by 40 at four servers: one has it; his retry elsewhere is his order, not `sold_out`', async () => {
    const servers = await shop();
    const sale = await openEverywhere(plenty(1));
    const asked = await Promise.all(
      Array.from({ length: 40 }, async (_, each) => {
        const [buyerId, key] = [`last-${each}`, randomUUID()];
        return { buyerId, key, answer: await (servers[each % SERVERS] as TestServer).order(sale, buyerId, { key }) };
      }),
    );
    const winners = asked.filter(({ answer }) => answer.status === 201);
    expect(winners).toHaveLength(1);
    expect(new Set(asked.map(({ answer }) => answer.body.code))).toEqual(new Set([undefined, 'sold_out']));
    const [winner] = winners;
    // The latch is up on all of them by now, and must let the winner through.
    for (const server of servers) {
      expect((await server.order(sale, 'too-late')).body.code).toBe('sold_out');
      await delay(NEWS_MS / SERVERS);
    }
    for (const server of servers) {
      const again = await server.order(sale, winner?.buyerId ?? '', { key: winner?.key ?? '' });
      expect(again.status).toBe(201);
      expect(again.body.orderId).toBe(winner?.answer.body.orderId);
    }
  });

  it('a correction, a pause and stock that came back reach the state of every server within a second', async () => {
    const servers = await shop();
    const sale = await openEverywhere({ ...plenty(1), showStock: true });
    expect((await (await at(3)).order(sale, 'first')).status).toBe(201);
    const everywhere = async (what: string, isThere: (state: Reply['body']) => boolean): Promise<void> => {
      const fromMs = performance.now();
      await Promise.all(
        servers.map((server) =>
          until(what, 5 * NEWS_MS, async () =>
            isThere((await server.request('GET', `/v1/sales/${sale.saleId}/state`)).body),
          ),
        ),
      );
      expect(performance.now() - fromMs, what).toBeLessThan(NEWS_MS);
    };
    const of = `/v1/merchant/sales/${sale.saleId}`;
    await everywhere('sold out', ({ items }) => items[0].available === 0);
    const corrected = await (await at(1)).merchant('POST', `${of}/items/tee-m/stock`, { delta: 5, reason: 'found' });
    expect(corrected.status).toBe(200);
    await everywhere('five more', ({ items }) => items[0].available === 5);
    expect((await (await at(2)).merchant('POST', `${of}/pause`)).status).toBe(200);
    await everywhere('paused', ({ phase }) => phase === 'paused');
    expect((await (await at(3)).merchant('POST', `${of}/resume`)).status).toBe(200);
    await everywhere('open again', ({ phase }) => phase === 'open');
    expect((await (await at(0)).order(sale, 'second')).status).toBe(201);
  });

  it('H043 the opening under the clock on three servers, one killed around it: one start, one key, stock once', async () => {
    const url = (await database()).create();
    const servers = await several(url, 3);
    const [first, second, third] = servers as [TestServer, TestServer, TestServer];
    const startsAt = new Date(Date.now() + 2500).toISOString();
    const made = await first.merchant('POST', '/v1/merchant/sales', {
      saleId: 'h043',
      title: 'At noon',
      currency: 'EUR',
      opensAt: startsAt,
      items: [{ sku: 'tee-m', title: 'M', priceMinor: 1, stock: 100 }],
    });
    expect(made.status).toBe(201);
    expect((await first.merchant('POST', '/v1/merchant/sales/h043/schedule')).status).toBe(200);
    // The first has the leases; it dies at the start itself.
    await delay(Date.parse(startsAt) - Date.now() - 5);
    await first.kill();
    const others = [second, third];
    const keys = await Promise.all(
      others.map((server) =>
        until('open', 10_000, async () => (await server.request('GET', '/v1/sales/h043/state')).body.purchaseKey),
      ),
    );
    expect(new Set(keys).size).toBe(1);
    const late = await startOn(url);
    expect((await late.request('GET', '/v1/sales/h043/state')).body.purchaseKey).toBe(keys[0]);
    const audit = await late.merchant('GET', '/v1/merchant/sales/h043/audit?limit=500');
    const starts = audit.body.items.filter((row: { action: string }) => row.action === 'sale.opened');
    expect(starts).toHaveLength(1);
    const sale = { saleId: 'h043', purchaseKey: keys[0] as string };
    const orders = await Promise.all([...others, late].map((server) => server.order(sale, randomUUID())));
    expect(orders.map(({ status }) => status)).toEqual([201, 201, 201]);
    const [item] = (await late.books('h043')).items;
    expect(item).toMatchObject({ total: 100, available: 97, held: 3 });
    // I6: nobody bought before the start.
    for (const { placedAt } of await ordersOf(late, sale))
      expect(Date.parse(placedAt)).toBeGreaterThanOrEqual(Date.parse(startsAt));
    await stopAll([second, third, late]);
  });

  it('H029 5,000 orders at four servers: every number is unique, and the database refuses a second of one', async () => {
    const servers = await shop();
    const sale = await openEverywhere(plenty(5000));
    const ids: string[] = [];
    let left = 5000;
    const lane = async (server: TestServer): Promise<void> => {
      while (left-- > 0) {
        const [buyer, key] = [randomUUID(), randomUUID()];
        let answer = await server.order(sale, buyer, { key });
        // A machine that is slow enough makes a batch wait too long for the row; who is told so asks again.
        while (answer.status === 503) answer = await server.order(sale, buyer, { key });
        ids.push(answer.body.orderId);
      }
    };
    await Promise.all(servers.flatMap((server) => Array.from({ length: 32 }, () => lane(server))));
    expect(ids).toHaveLength(5000);
    expect(new Set(ids).size).toBe(5000);
    expect((await (await at(0)).books(sale.saleId)).items[0]).toMatchObject({ available: 0, held: 5000 });
    console.log(`${kind}: 5,000 orders over ${SERVERS} servers, ${new Set(ids).size} numbers`);
  });
});
