/**
 * Files that were cut. The main database file shortened or missing: the start is refused, names the
 * file and the way out, and makes no new ledger in its place. The WAL cut or with a flipped bit: the
 * start succeeds on a prefix of whole batches with balanced books (what lies past the cut is gone).
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, type LedgerOrder } from './audit.ts';
import { Client, Load, type Sale } from './load.ts';
import { crashSale, listOrders, readBooks, stock } from './recover.ts';
import { newFolder, startServer, type TestServer, tryStart } from './served.ts';
import { type OrderAttempt, Tally } from './tally.ts';
import { runSeed, seededRandom, until } from './until.ts';
import { backfilledBytes, type WalLayout, walLayout } from './wal.ts';

const env = { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_LOG: 'error' };
const seed = runSeed();
const scratch = newFolder();
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A folder with some orders in it, stopped by the signal given. */
async function usedFolder(name: string, end: 'SIGTERM' | 'SIGKILL', orders: number) {
  const data = path.join(scratch, name);
  mkdirSync(data);
  const server = await startServer({ data, env });
  const sale = await server.openSale(crashSale);
  const client = new Client(server, sale);
  const tally = new Tally();
  const load = new Load({ client, tally, random: seededRandom(seed), lanes: 40 });
  await until('orders were taken', 20_000, () => tally.count('acknowledged') >= orders);
  load.halt();
  if (end === 'SIGTERM') await load.finished();
  await server.stop(end);
  await load.finished();
  await client.close();
  return { data, sale, tally };
}

let copies = 0;
function copyOf(data: string): string {
  copies += 1;
  const copy = path.join(scratch, `copy-${copies}`);
  cpSync(data, copy, { recursive: true });
  return copy;
}

async function refusal(data: string) {
  const started = await tryStart({ data, env });
  if ('stderr' in started) return started;
  await started.kill();
  return undefined;
}

/** The line that an operator reads: what is broken, and what to do; no stack, no second line. */
function expectWayOut(stderr: string): void {
  expect(stderr).toContain('doorbuster.db');
  expect(stderr).toMatch(/backup/i);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr.trim().split('\n')).toHaveLength(1);
}

describe('the main file of the ledger is cut', () => {
  let clean: Awaited<ReturnType<typeof usedFolder>>;
  let killed: Awaited<ReturnType<typeof usedFolder>>;
  beforeAll(async () => {
    clean = await usedFolder('clean', 'SIGTERM', 300);
    killed = await usedFolder('killed', 'SIGKILL', 300);
  }, 60_000);

  const cuts: { name: string; length: (bytes: number) => number }[] = [
    { name: '0 bytes', length: () => 0 },
    { name: 'inside the header', length: () => 57 },
    { name: 'the header alone', length: () => 100 },
    { name: 'one page', length: () => 4096 },
    { name: 'in the middle', length: (bytes) => Math.floor(bytes / 2) + 13 },
    { name: 'in the middle, at a page', length: (bytes) => Math.floor(bytes / 8192) * 4096 },
    { name: 'one page short', length: (bytes) => bytes - 4096 },
    { name: 'one byte short', length: (bytes) => bytes - 1 },
  ];

  test.each(cuts)('after a clean stop, $name: refused, with the way out', { timeout: 30_000 }, async ({ length }) => {
    const data = copyOf(clean.data);
    const file = path.join(data, 'doorbuster.db');
    const cutTo = length(statSync(file).size);
    truncateSync(file, cutTo);
    const refused = await refusal(data);
    expect(refused, 'it started on a cut ledger').toBeDefined();
    expect([1, 2]).toContain(refused?.exit.code);
    expectWayOut(refused?.stderr ?? '');
    expect(statSync(file).size).toBe(cutTo);
    // The refusal destroys nothing: with the file put back, all is there.
    copyFileSync(path.join(clean.data, 'doorbuster.db'), file);
    const server = await startServer({ data, env });
    expect((await server.books(clean.sale.saleId)).balanced).toBe(true);
    await server.kill();
  });

  test('missing although the folder was used: refused, no new ledger is made', { timeout: 30_000 }, async () => {
    for (const used of [clean, killed]) {
      const data = copyOf(used.data);
      rmSync(path.join(data, 'doorbuster.db'));
      const refused = await refusal(data);
      expect(refused, 'a new empty ledger was made').toBeDefined();
      expect([1, 2]).toContain(refused?.exit.code);
      expectWayOut(refused?.stderr ?? '');
      expect(statSync(path.join(data, 'doorbuster.db'), { throwIfNoEntry: false })).toBeUndefined();
    }
  });

  // After a crash the WAL may hold every page that the cut took: then the ledger is whole, and a start is right.
  test.each(cuts)(
    'after SIGKILL, $name: refused, or nothing is missing',
    { timeout: 30_000 },
    async ({ name, length }) => {
      const data = copyOf(killed.data);
      const file = path.join(data, 'doorbuster.db');
      truncateSync(file, Math.max(0, length(statSync(file).size)));
      const started = await tryStart({ data, env });
      if ('stderr' in started) {
        expect([1, 2]).toContain(started.exit.code);
        expectWayOut(started.stderr);
        return;
      }
      console.log(`main file cut after SIGKILL (${name}): started, the WAL held what was cut`);
      const state = await stateOf(started, killed.sale);
      expect(prefixFaults(state, killed.tally)).toEqual([]);
      const present = new Set(state.orders.map((order) => order.orderId));
      const lost = killed.tally.orders.filter(
        (one) => one.fate === 'acknowledged' && !present.has(one.orderId as string),
      );
      expect(lost).toEqual([]);
      await started.kill();
    },
  );
});

interface State {
  readonly orders: LedgerOrder[];
  readonly books: Awaited<ReturnType<typeof readBooks>>;
  /** Order ids with their statuses, in one comparable line. */
  readonly digest: string;
}

async function stateOf(server: TestServer, sale: Sale): Promise<State> {
  const client = new Client(server, sale);
  const orders = await listOrders(client);
  const books = await readBooks(client);
  await client.close();
  const digest = orders.map((order) => `${order.orderId}=${order.status}`).sort();
  return { orders, books, digest: digest.join(' ') };
}

/** Judges books and limits alone: of the promises only those that the cut left can be there. */
function prefixFaults(state: State, tally: Tally): string[] {
  const present = new Set(state.orders.map((order) => order.orderId));
  const asked = new Map(tally.orders.map((attempt) => [attempt.buyerId, attempt]));
  const left = new Tally();
  const told = new Set<string>();
  for (const attempt of tally.orders) {
    if (attempt.fate !== 'acknowledged' || !present.has(attempt.orderId as string)) continue;
    left.orders.push(attempt);
    told.add(attempt.orderId as string);
  }
  for (const order of state.orders) {
    const attempt = asked.get(order.buyerId);
    if (!told.has(order.orderId) && attempt !== undefined)
      left.orders.push({ ...attempt, sku: order.sku, fate: 'acknowledged', orderId: order.orderId } as OrderAttempt);
    const kind = order.status === 'paid' ? 'pay' : order.status === 'cancelled' ? 'cancel' : undefined;
    const of = left.orders.find((one) => one.orderId === order.orderId);
    if (kind !== undefined && of !== undefined) left.acts.push({ kind, attempt: of, id: '', fate: 'acknowledged' });
  }
  return audit({ tally: left, orders: state.orders, books: state.books, stock, limitPerBuyer: 1 });
}

describe(`the WAL is cut (CRASH_SEED=${seed})`, () => {
  let used: Awaited<ReturnType<typeof usedFolder>>;
  let wal: Buffer;
  let layout: WalLayout;
  let firstCut: number;
  beforeAll(async () => {
    used = await usedFolder('wal', 'SIGKILL', 150);
    wal = readFileSync(path.join(used.data, 'doorbuster.db-wal'));
    layout = walLayout(wal);
    firstCut = backfilledBytes(readFileSync(path.join(used.data, 'doorbuster.db-shm')), layout);
  }, 60_000);

  /** Starts on a copy whose WAL has these bytes; undefined when the sale is not in it yet. */
  async function startOn(bytes: Buffer): Promise<State | undefined> {
    const data = copyOf(used.data);
    writeFileSync(path.join(data, 'doorbuster.db-wal'), bytes);
    rmSync(path.join(data, 'doorbuster.db-shm'), { force: true });
    const server = await startServer({ data, env });
    try {
      const state = await server.request('GET', `/v1/sales/${used.sale.saleId}/state`);
      if (state.status === 404) return undefined;
      const found = await stateOf(server, used.sale);
      expect(prefixFaults(found, used.tally)).toEqual([]);
      return found;
    } finally {
      await server.kill();
      rmSync(data, { recursive: true, force: true });
    }
  }

  /** The last boundary of whole transactions that is not past `length`. */
  const boundaryBefore = (length: number): number => layout.boundaries.filter((at) => at <= length).at(-1) ?? 0;

  test('at many lengths: always a prefix of whole batches, with balanced books', { timeout: 120_000 }, async () => {
    const random = seededRandom(seed);
    const usable = layout.boundaries.filter((at) => at >= firstCut);
    expect(usable.length).toBeGreaterThan(8);
    const lengths = new Set<number>();
    const last = usable.at(-1) as number;
    for (const fraction of [0.25, 0.5, 0.75]) {
      const at = usable[Math.floor(usable.length * fraction)] as number;
      for (const offset of [-1, 0, 1, 24, 24 + layout.pageBytes]) lengths.add(at + offset);
    }
    for (const at of [last, last - 1, last - layout.pageBytes]) lengths.add(at);
    while (lengths.size < 24) lengths.add(firstCut + Math.floor(random() * (last - firstCut)));
    const sorted = [...lengths].filter((at) => at >= firstCut && at <= last).sort((a, b) => a - b);

    let previous: State | undefined;
    const byBoundary = new Map<number, string>();
    let withSale = 0;
    for (const length of sorted) {
      const state = await startOn(wal.subarray(0, length));
      const boundary = boundaryBefore(length);
      const digest = state?.digest ?? 'no sale yet';
      // Between two boundaries nothing changes: no batch is there in part.
      expect(byBoundary.get(boundary) ?? digest, `cut at ${length}`).toBe(digest);
      byBoundary.set(boundary, digest);
      if (previous !== undefined) expectExtends(previous, state);
      if (state !== undefined) withSale += 1;
      previous = state ?? previous;
    }
    console.log(
      `WAL of ${wal.length} bytes, ${layout.boundaries.length - 1} transactions, cut at ${sorted.length} lengths`,
    );
    expect(withSale).toBeGreaterThan(10);
    expect(new Set(byBoundary.values()).size).toBeGreaterThan(3);
    // The whole log has every acknowledged order.
    const acknowledged = used.tally.orders.filter((one) => one.fate === 'acknowledged');
    const present = new Set(previous?.orders.map((order) => order.orderId));
    expect(acknowledged.filter((one) => !present.has(one.orderId as string))).toEqual([]);
  });

  test('with a flipped bit: the batches before it, or a refusal; never a wrong book', {
    timeout: 120_000,
  }, async () => {
    const random = seededRandom(seed + 1);
    const usable = layout.frames.filter((at) => at >= firstCut);
    for (let run = 0; run < 6; run += 1) {
      const frame = usable[Math.floor((usable.length * (run + random())) / 6)] as number;
      const at = frame + Math.floor(random() * (24 + layout.pageBytes));
      const flipped = Buffer.from(wal);
      flipped[at] = (flipped[at] as number) ^ (1 << Math.floor(random() * 8));
      const state = await startOn(flipped);
      const expected = await startOn(wal.subarray(0, boundaryBefore(frame)));
      expect(state?.digest, `bit flipped at ${at}`).toBe(expected?.digest);
    }
  });
});

/** A longer log holds all orders of a shorter one, and none is older than what was there before. */
function expectExtends(shorter: State, longer: State | undefined): void {
  const present = new Map(longer?.orders.map((order) => [order.orderId, order]));
  const lastBefore =
    shorter.orders
      .map((order) => order.placedAt)
      .sort()
      .at(-1) ?? '';
  for (const order of shorter.orders) expect(present.has(order.orderId)).toBe(true);
  const known = new Set(shorter.orders.map((order) => order.orderId));
  for (const order of longer?.orders ?? [])
    if (!known.has(order.orderId)) expect(order.placedAt >= lastBefore).toBe(true);
}
