/**
 * Every hot statement goes by a key: on an empty database that was never analysed, as in the opening minute, and on one
 * with many orders, before and after it was analysed. The statements are those of a real server, taken down on their
 * way to the database; none is copied here.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { DatabaseKind, TestDatabase } from '../support/database.ts';
import type { TestServer } from '../support/server.ts';
import { isWhole, onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, startOn, stopAll } from './support/shop.ts';
import { StatementProxy } from './support/statement-proxy.ts';

const ORDERS = isWhole ? 1_000_000 : 100_000;
/** What grows with the orders: reading one of them from end to end is what must not happen. */
const GROWING = ['orders', 'buyers', 'audit', 'payments', 'requests', 'outbox'];

endServersAtTheEnd();

interface Hot {
  readonly statement: string;
  /** On a connection of batches; on PostgreSQL these have settings of their own. */
  readonly isOfBatch: boolean;
}

/** What an order, its replay, its payment, a cancel, an expiry, and the looks of other processes say to the database. */
async function takeDown(server: TestServer, proxy: StatementProxy): Promise<Hot[]> {
  const sale = await server.openSale({ holdSeconds: 5, limitPerBuyer: 5 });
  const place = async () => {
    const [buyerId, key] = [randomUUID(), randomUUID()];
    const order = (await server.order(sale, buyerId, { key })).body;
    await server.order(sale, buyerId, { key });
    return { order, buyerId };
  };
  const [paid, cancelled] = [await place(), await place()];
  await place();
  await server.pay(paid.order);
  await server.shopper(cancelled.buyerId, 'POST', `/v1/orders/${cancelled.order.orderId}/cancel`);
  await server.shopper(paid.buyerId, 'GET', `/v1/orders/${paid.order.orderId}`);
  await server.shopper(paid.buyerId, 'GET', `/v1/sales/${sale.saleId}/orders`);
  await server.shopper(paid.buyerId, 'PUT', `/v1/orders/${paid.order.orderId}/details`, { contact: 'x' });
  // One hold runs out, and news are looked for meanwhile.
  await delay(7000);
  const hot = new Map<string, Hot>();
  for (const conversation of proxy.conversations) {
    const isOfBatch = conversation.includes('BEGIN');
    for (const statement of conversation) {
      const table = GROWING.some((name) => new RegExp(`(FROM|JOIN|UPDATE) ${name}\\b`).test(statement));
      if (!table || !/^(SELECT|UPDATE)/.test(statement) || statement.includes('GROUP BY')) continue;
      // One of each kind is enough: literals stand for parameters where the driver writes them out.
      const kind = statement.replace(/'(?:[^'\\]|\\.|'')*'|\b\d+\b/g, '?').replace(/\?(, \?)+/g, '?');
      hot.set(`${isOfBatch} ${kind}`, { statement, isOfBatch });
    }
  }
  return [...hot.values()];
}

const FORCED = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;';

function planOf(kind: DatabaseKind, db: TestDatabase, url: string, { statement, isOfBatch }: Hot): string {
  if (kind === 'mariadb') return db.ask(`SET sql_mode = 'ANSI_QUOTES'; EXPLAIN ${statement};`, url);
  const parameters = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const nothing = Array.from({ length: parameters }, () => 'NULL').join(', ');
  return db.ask(
    `${isOfBatch ? FORCED : ''} SET plan_cache_mode = force_generic_plan; PREPARE hot AS ${statement};
     EXPLAIN EXECUTE hot${parameters === 0 ? '' : `(${nothing})`};`,
    url,
  );
}

/** The growing tables that a plan reads from end to end. */
function walked(kind: DatabaseKind, plan: string): string[] {
  if (kind === 'postgres')
    return [...plan.matchAll(/Seq Scan on (\w+)/g)]
      .map(([, table]) => table as string)
      .filter((table) => GROWING.includes(table));
  return plan
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, , , type]) => type === 'ALL' || type === 'index')
    .map(([, , table]) => table as string)
    .filter((table) => GROWING.includes(table));
}

const series = (kind: DatabaseKind): string =>
  kind === 'postgres' ? `generate_series(1, ${ORDERS}) AS n (n)` : `(SELECT seq AS n FROM seq_1_to_${ORDERS}) AS n`;

/** Orders of the open sale and of another, with what belongs to them. */
function fill(kind: DatabaseKind, db: TestDatabase, url: string): void {
  const from = series(kind);
  const sale = kind === 'postgres' ? '1 + n % 2' : '1 + MOD(n, 2)';
  const text = (prefix: string): string => `concat('${prefix}', n)`;
  db.ask(
    `INSERT INTO orders (order_id, sale_no, sku, quantity, unit_price_minor, buyer_id, buyer_key, idempotency_key, status,
       placed_at_ms, updated_at_ms)
     SELECT ${text('filled-')}, ${sale}, 'tee-m', 1, 1, ${text('buyer-')}, ${text('buyer-')}, 'key', 'paid', n, n FROM ${from};
     INSERT INTO buyers (sale_no, buyer_key, units) SELECT ${sale}, ${text('buyer-')}, 1 FROM ${from};
     INSERT INTO payments (payment_id, result, order_id, sale_no, state, received_at_ms, updated_at_ms, refund)
     SELECT ${text('pay-')}, 'succeeded', ${text('filled-')}, ${sale}, 'applied', n, n, 'none' FROM ${from};
     INSERT INTO audit (sale_no, seq, at_ms, has_acts, entries, previous_hash, hash)
     SELECT ${sale}, 1000 + n, n, 0, '[]', 'a', 'b' FROM ${from};`,
    url,
  );
}

onEachDatabase((kind, database) => {
  it(`empty and never analysed, with ${ORDERS} orders, and analysed: no hot statement walks a growing table`, async () => {
    const db = await database();
    const url = db.create();
    const proxy = await StatementProxy.to(kind, db.port);
    const server = await startOn(proxy.through(url), { env: { DOORBUSTER_LOG: 'warn' } });
    const hot = await takeDown(server, proxy);
    await stopAll([server]);
    await proxy.close();
    expect(hot.length).toBeGreaterThan(10);

    const fresh = db.create();
    await stopAll([await startOn(fresh)]);
    const states: [string, string, () => void][] = [
      ['empty', fresh, () => {}],
      ['filled', url, () => fill(kind, db, url)],
      [
        'analysed',
        url,
        () => void db.ask(kind === 'postgres' ? 'ANALYZE' : `ANALYZE TABLE ${GROWING.join(', ')}`, url),
      ],
    ];
    for (const [state, at, prepare] of states) {
      prepare();
      // A look at what is empty is planned anew when it no longer is; a batch must be right from the first.
      const judged = state === 'empty' ? hot.filter(({ isOfBatch }) => isOfBatch) : hot;
      expect(judged.length).toBeGreaterThan(5);
      const walks = judged.flatMap((each) =>
        walked(kind, planOf(kind, db, at, each)).map((table) => `${state}: walks ${table}: ${each.statement}`),
      );
      expect(walks).toEqual([]);
    }
    console.log(`${kind}: ${hot.length} hot statements go by their keys`);

    // The check sees a statement that has no key to go by.
    const keyless = {
      statement: "SELECT order_id FROM orders WHERE sku = 'tee-m' AND quantity = 1",
      isOfBatch: false,
    };
    expect(walked(kind, planOf(kind, db, url, keyless))).toEqual(['orders']);
  });
});
