/**
 * The write-ahead log cut or with a flipped bit: the start succeeds on a prefix of whole batches with
 * balanced books. What lies past the cut is gone, acknowledged or not: that is said in README's limits.
 */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  copyOf,
  env,
  expectExtends,
  expectWayOut,
  prefixFaults,
  type State,
  stateOf,
  type UsedFolder,
  usedFolder,
} from './cut.ts';
import { startServer, tryStart } from './served.ts';
import { inLanes, runSeed, seededRandom } from './until.ts';
import { backfilledBytes, type WalLayout, walLayout } from './wal.ts';

const seed = runSeed();
const servedCuts = 11;
const readCuts = 200;
const flips = 3;
/** Starts at the same time: a start is mostly waiting for Node to read the program. */
const lanes = 2;

describe(`the WAL is cut (CRASH_SEED=${seed})`, () => {
  let used: UsedFolder;
  let wal: Buffer;
  let layout: WalLayout;
  /** Boundaries of whole transactions that a crash could leave as the end of the log. */
  let boundaries: number[];
  /** What the ledger says when its log ends at a boundary. */
  const digests = new Map<number, string>();

  beforeAll(async () => {
    used = await usedFolder('wal', { end: 'SIGKILL', orders: 400, seed });
    wal = readFileSync(path.join(used.data, 'doorbuster.db-wal'));
    layout = walLayout(wal);
    const firstCut = backfilledBytes(readFileSync(path.join(used.data, 'doorbuster.db-shm')), layout);
    boundaries = layout.boundaries.filter((at) => at >= firstCut);
  }, 120_000);

  /** Starts on a copy whose WAL has these bytes; undefined when the sale is not in it yet. */
  async function startOn(bytes: Buffer): Promise<State | undefined> {
    const data = copyOf(used.data);
    writeFileSync(path.join(data, 'doorbuster.db-wal'), bytes);
    rmSync(path.join(data, 'doorbuster.db-shm'), { force: true });
    const server = await startServer({ data, env });
    try {
      const sale = await server.request('GET', `/v1/sales/${used.sale.saleId}/state`);
      if (sale.status === 404) return undefined;
      const state = await stateOf(server, used.sale);
      expect(prefixFaults(state, used.tally)).toEqual([]);
      return state;
    } finally {
      await server.kill();
      rmSync(data, { recursive: true, force: true });
    }
  }

  const digestOf = (state: State | undefined): string => state?.digest ?? 'no sale yet';
  const boundaryBefore = (length: number): number => boundaries.filter((at) => at <= length).at(-1) as number;

  /** Around some boundaries, at the end, and anywhere. */
  function lengths(): number[] {
    const random = seededRandom(seed);
    const first = boundaries[0] as number;
    const last = boundaries.at(-1) as number;
    const chosen = new Set([last, last - 1, last - layout.pageBytes]);
    for (const fraction of [0.4, 0.8]) {
      const at = boundaries[Math.floor(boundaries.length * fraction)] as number;
      for (const offset of [-1, 0, 24 + layout.pageBytes]) chosen.add(at + offset);
    }
    while (chosen.size < servedCuts) chosen.add(first + Math.floor(random() * (last - first)));
    return [...chosen].sort((a, b) => a - b);
  }

  test('the server starts on it: always a prefix of whole batches, with balanced books', {
    timeout: 180_000,
  }, async () => {
    expect(boundaries.length).toBeGreaterThan(8);
    const states = new Map<number, State | undefined>();
    await inLanes(lengths(), lanes, async (length) => {
      states.set(length, await startOn(wal.subarray(0, length)));
    });

    let previous: State | undefined;
    for (const length of lengths()) {
      const state = states.get(length);
      const boundary = boundaryBefore(length);
      // Between two boundaries nothing changes: no batch is there in part.
      expect(digests.get(boundary) ?? digestOf(state), `cut at ${length}`).toBe(digestOf(state));
      digests.set(boundary, digestOf(state));
      if (previous !== undefined) expectExtends(previous, state);
      previous = state;
    }
    console.log(
      `WAL of ${wal.length} bytes, ${layout.boundaries.length - 1} transactions, cut at ${states.size} lengths`,
    );
    expect(new Set(digests.values()).size).toBeGreaterThan(3);
    // The whole log has every acknowledged order.
    const acknowledged = used.tally.orders.filter((one) => one.fate === 'acknowledged');
    const present = new Set(previous?.orders.map((order) => order.orderId));
    expect(acknowledged.filter((one) => !present.has(one.orderId as string))).toEqual([]);
  });

  test(`at ${readCuts} lengths, read by SQLite itself: no batch is there in part`, { timeout: 60_000 }, () => {
    const random = seededRandom(seed + 2);
    const data = copyOf(used.data);
    const first = boundaries[0] as number;
    const last = boundaries.at(-1) as number;
    const lengthsDown = Array.from({ length: readCuts }, () => first + Math.floor(random() * (last - first + 1)));
    lengthsDown.sort((a, b) => b - a);

    const read = new Map<number, string>();
    let ordersBefore = Number.POSITIVE_INFINITY;
    for (const length of lengthsDown) {
      // A name of its own each time: SQLite keeps what it knows of a log while the process lives.
      const file = path.join(data, `cut-${length}.db`);
      copyFileSync(path.join(used.data, 'doorbuster.db'), file);
      writeFileSync(`${file}-wal`, wal.subarray(0, length));
      const { items, orders } = readLedger(file);
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      for (const item of items) {
        expect(item.free + item.held + item.sold).toBe(item.total);
        expect(item.held).toBe(orders.filter((one) => one.sku === item.sku && one.status === 'held').length);
        expect(item.sold).toBe(orders.filter((one) => one.sku === item.sku && one.status === 'paid').length);
      }
      const digest = JSON.stringify([items, orders]);
      expect(read.get(boundaryBefore(length)) ?? digest, `cut at ${length}`).toBe(digest);
      read.set(boundaryBefore(length), digest);
      expect(orders.length).toBeLessThanOrEqual(ordersBefore);
      ordersBefore = orders.length;
    }
    expect(new Set(read.values()).size).toBeGreaterThan(3);
  });

  test('with a flipped bit: exactly the batches before it', { timeout: 120_000 }, async () => {
    const random = seededRandom(seed + 1);
    const known = [...digests.keys()].filter((at) => at !== layout.boundaries.at(-1));
    expect(known.length).toBeGreaterThan(1);
    await inLanes(
      Array.from({ length: flips }, (_, run) => run),
      lanes,
      async (run) => {
        // In the first frame after a boundary whose state is known.
        const boundary = known[Math.floor((known.length * run) / flips)] as number;
        const at = boundary + Math.floor(random() * (24 + layout.pageBytes));
        const flipped = Buffer.from(wal);
        flipped[at] = (flipped[at] as number) ^ (1 << Math.floor(random() * 8));
        expect(digestOf(await startOn(flipped)), `bit flipped at ${at}`).toBe(digests.get(boundary));
      },
    );
  });

  test('missing or emptied: refused with the way out, or the same ledger, never a new one', {
    timeout: 60_000,
  }, async () => {
    const whole = await startServer({ data: copyOf(used.data), env });
    const keys = (await whole.request('GET', '/.well-known/jwks.json')).body;
    await whole.kill();
    expect(keys.keys).toHaveLength(1);
    for (const length of [undefined, 20]) {
      const data = copyOf(used.data);
      const log = path.join(data, 'doorbuster.db-wal');
      rmSync(path.join(data, 'doorbuster.db-shm'));
      if (length === undefined) rmSync(log);
      else truncateSync(log, length);
      const started = await tryStart({ data, env });
      if ('stderr' in started) {
        expectWayOut(started.stderr);
        continue;
      }
      // What was signed before (receipts) can still be verified: this is the ledger, only shorter.
      const after = (await started.request('GET', '/.well-known/jwks.json')).body;
      await started.kill();
      expect(after, `WAL of ${length} bytes: a new ledger was made`).toEqual(keys);
    }
  });
});

interface Ledger {
  readonly items: { sku: string; total: number; free: number; held: number; sold: number }[];
  readonly orders: { orderId: string; sku: string; status: string }[];
}

/** Items and orders as they lie in the file; none where the schema is past the cut. Changes nothing on the disk. */
function readLedger(file: string): Ledger {
  const ledger = new DatabaseSync(file, { readOnly: true });
  try {
    if (ledger.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'orders'").get() === undefined)
      return { items: [], orders: [] };
    return {
      items: ledger.prepare('SELECT sku, total, free, held, sold FROM items ORDER BY sku').all() as Ledger['items'],
      orders: ledger
        .prepare('SELECT order_id AS orderId, sku, status FROM orders ORDER BY seq')
        .all() as Ledger['orders'],
    };
  } finally {
    ledger.close();
  }
}
