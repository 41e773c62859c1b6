/**
 * The classic ways to sell one hot item on a database, one order a transaction, as shops and tutorials write them; and
 * the product's engine on the same server. All use the ledger's own tables, so that rows and indexes are the same.
 */
import { randomBytes } from 'node:crypto';
import { claimOf, exampleItem, exampleSale, lifecycleOf } from '../dist/core/example.js';
import type { Order } from '../dist/core/order.js';
import { Batcher } from '../dist/inventory/batcher.js';
import { createSqlEngine } from '../dist/inventory/engines/sql/engine.js';
import { systemClock } from '../dist/kit/clock.js';
import { OrderIds } from '../dist/kit/ids.js';
import { partsOf as mysqlParts } from '../dist/ledger/dialects/mysql/open.js';
import { partsOf as postgresParts } from '../dist/ledger/dialects/postgres/open.js';
import { openServerLedger, type ServerLedger, type ServerLedgerParts } from '../dist/ledger/server/open.js';
import { BUYERS, ORDERS } from '../dist/ledger/server/rows.js';
import type { Connection } from '../dist/ledger/server/session.js';
import type { DatabaseKind } from '../test/support/database.ts';

const SKU = 'tee-m';
const STOCK = 10_000_000;
const IN_FLIGHT = 1024;
const BATCH = 512;
const QUEUE_WAIT_MS = 600_000;

interface OnServer {
  readonly ledger: ServerLedger;
  readonly parts: ServerLedgerParts;
  readonly saleNo: number;
  close(): Promise<void>;
}

const onBroken = (message: string): void => {
  throw new Error(message);
};

/** A ledger on a new database, and an open sale in it. */
export async function openOnServer(kind: DatabaseKind, url: string, stock: number, connections = 4): Promise<OnServer> {
  const options = { url, connectionsMax: connections, onBroken };
  const parts = kind === 'postgres' ? postgresParts(options) : mysqlParts(options);
  const ledger = await openServerLedger(parts);
  const items = [exampleItem(SKU, { stock })];
  const made = await ledger.desk.createSale(exampleSale({ holdSeconds: 86_400 }, items, 'bench'), null);
  if (made.outcome !== 'sale') throw new Error(`the sale was not made: ${JSON.stringify(made)}`);
  const { saleNo } = made.sale;
  await ledger.books.runBatch(saleNo, 'free', [lifecycleOf('open')]);
  return { ledger, parts, saleNo, close: () => ledger.close() };
}

/** Orders per second through batcher and engine. */
export async function holdOnServer({ ledger, saleNo }: OnServer, count: number): Promise<number> {
  const ids = new OrderIds(randomBytes(32));
  const claims = Array.from({ length: count }, (_, n) =>
    claimOf(ids.make({ saleNo, segment: 0, epoch: 1 }, Date.now()), { buyer: `buyer-${n}`, sku: SKU }),
  );
  const batcher = new Batcher({
    saleNo,
    engine: createSqlEngine(ledger),
    clock: systemClock,
    queueWaitMs: QUEUE_WAIT_MS,
  });
  let next = 0;
  const keepAsking = async (): Promise<void> => {
    for (let claim = claims[next]; claim !== undefined; claim = claims[next]) {
      next += 1;
      const verdict = await batcher.submit(claim);
      if (verdict.outcome !== 'order' || !verdict.changed)
        throw new Error(`a claim was answered ${JSON.stringify(verdict)}`);
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
  return (count / (performance.now() - startedMs)) * 1000;
}

/** Rows per second of the same orders and buyers, in the same batches, by multi-row inserts that decide nothing. */
export async function insertRaw({ parts, saleNo }: OnServer, count: number): Promise<number> {
  const { dialect, pools } = parts;
  const ids = new OrderIds(randomBytes(32));
  const orders = Array.from({ length: count }, (_, n) => orderOf(ids, saleNo, `raw-${n}`));
  const connection = await pools.write.take();
  try {
    const startedMs = performance.now();
    for (let at = 0; at < count; at += BATCH) {
      const rows = orders.slice(at, at + BATCH);
      await connection.run('BEGIN');
      await dialect.insertRows(connection, ORDERS, rows);
      const { onConflict, ...plain } = BUYERS;
      const buyers = rows.map(({ buyerKey }) => ({ saleNo, buyerKey, units: 1, unitLimit: 1 }));
      await dialect.insertRows(connection, plain, buyers);
      await connection.run('COMMIT');
    }
    return (count / (performance.now() - startedMs)) * 1000;
  } finally {
    connection.release();
  }
}

function orderOf(ids: OrderIds, saleNo: number, buyer: string): Order {
  const now = Date.now();
  return {
    orderId: ids.make({ saleNo, segment: 0, epoch: 1 }, now),
    saleNo,
    sku: SKU,
    quantity: 1,
    unitPriceMinor: 2500,
    buyerId: buyer,
    buyerKey: buyer,
    key: `key-${buyer}`,
    status: 'held',
    placedAtMs: now,
    updatedAtMs: now,
    expiresAtMs: now + 86_400_000,
    paidAtMs: null,
    closedAtMs: null,
    graceUsed: false,
    details: null,
    parkedReason: null,
  } as Order;
}

export interface Contender {
  readonly name: string;
  readonly open: (
    url: string,
    connections: number,
  ) => Promise<{ ordersPerSecond: (seconds: number) => Promise<number>; close: () => Promise<void> }>;
}

/** One order in one transaction on its own connection; false: somebody was faster, try again. */
type PlaceOne = (connection: Connection, on: OnServer, order: Order) => Promise<boolean>;

const ONE_LESS = 'UPDATE items SET free = free - 1, held = held + 1 WHERE sale_no = ? AND sku = ?';

const WAYS: Readonly<Record<string, PlaceOne>> = {
  'conditional UPDATE': async (connection, { saleNo, parts }, order) => {
    await connection.run('BEGIN');
    const taken = await connection.run(`${ONE_LESS} AND free >= 1`, [saleNo, SKU]);
    if (taken === 1) await parts.dialect.insertRows(connection, ORDERS, [order]);
    await connection.run('COMMIT');
    return taken === 1;
  },
  'SELECT FOR UPDATE': async (connection, { saleNo, parts }, order) => {
    await connection.run('BEGIN');
    const sql = 'SELECT free AS "free" FROM items WHERE sale_no = ? AND sku = ? FOR UPDATE';
    const [item] = await connection.rows<{ free: number }>(sql, [saleNo, SKU]);
    if ((item?.free ?? 0) < 1) throw new Error('sold out in a bench');
    await connection.run(ONE_LESS, [saleNo, SKU]);
    await parts.dialect.insertRows(connection, ORDERS, [order]);
    await connection.run('COMMIT');
    return true;
  },
  // The level itself is the version: it changes with every order.
  'optimistic version': async (connection, { saleNo, parts }, order) => {
    await connection.run('BEGIN');
    const sql = 'SELECT free AS "free" FROM items WHERE sale_no = ? AND sku = ?';
    const [item] = await connection.rows<{ free: number }>(sql, [saleNo, SKU]);
    const taken = await connection.run(`${ONE_LESS} AND free = ?`, [saleNo, SKU, item?.free ?? 0]);
    if (taken === 1) await parts.dialect.insertRows(connection, ORDERS, [order]);
    await connection.run(taken === 1 ? 'COMMIT' : 'ROLLBACK');
    return taken === 1;
  },
};

export const classics = (kind: DatabaseKind): readonly Contender[] =>
  Object.entries(WAYS).map(([name, placeOne]) => ({
    name,
    open: async (url, connections) => {
      // Half of the connections of a ledger are for batches.
      const on = await openOnServer(kind, url, STOCK, connections * 2);
      const taken = await Promise.all(Array.from({ length: connections }, () => on.parts.pools.write.take()));
      return {
        ordersPerSecond: (seconds) => race(placeOne, on, taken, seconds),
        close: async () => {
          for (const connection of taken) connection.release();
          await on.close();
        },
      };
    },
  }));

async function race(placeOne: PlaceOne, on: OnServer, taken: readonly Connection[], seconds: number): Promise<number> {
  const ids = new OrderIds(randomBytes(32));
  let orders = 0;
  let buyers = 0;
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  const work = async (connection: Connection): Promise<void> => {
    while (performance.now() < untilMs) {
      const order = orderOf(ids, on.saleNo, `buyer-${buyers++}`);
      let isPlaced = false;
      while (!isPlaced && performance.now() < untilMs) isPlaced = await placeOne(connection, on, order);
      if (isPlaced) orders += 1;
    }
  };
  await Promise.all(taken.map(work));
  return (orders / (performance.now() - startedMs)) * 1000;
}
