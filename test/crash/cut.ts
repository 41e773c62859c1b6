/** Folders with a past, to be cut, and how to look at what is left in them. Used by the cut-*.test.ts files. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { audit, type LedgerOrder } from './audit.ts';
import { Client, Load, type Sale } from './load.ts';
import { crashSale, listOrders, readBooks, stock } from './recover.ts';
import { newFolder, startServer, type TestServer } from './served.ts';
import { type OrderAttempt, Tally } from './tally.ts';
import { seededRandom, until } from './until.ts';

export const env = { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_LOG: 'error' };

const scratch = newFolder();
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

export interface UsedFolder {
  readonly data: string;
  readonly sale: Sale;
  readonly tally: Tally;
}

/** A folder with some orders in it, stopped by the signal given. */
export async function usedFolder(
  name: string,
  how: { end: 'SIGTERM' | 'SIGKILL'; orders: number; seed: number },
): Promise<UsedFolder> {
  const { end, orders, seed } = how;
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
export function copyOf(data: string): string {
  copies += 1;
  const copy = path.join(scratch, `copy-${copies}`);
  cpSync(data, copy, { recursive: true });
  return copy;
}

/** The line that an operator reads: what is broken, and what to do; no stack, no second line. */
export function expectWayOut(stderr: string): void {
  expect(stderr).toContain('doorbuster.db');
  expect(stderr).toMatch(/backup/i);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr.trim().split('\n')).toHaveLength(1);
}

export interface State {
  readonly orders: LedgerOrder[];
  readonly books: Awaited<ReturnType<typeof readBooks>>;
  /** Order ids with their statuses, in one comparable line. */
  readonly digest: string;
}

export async function stateOf(server: TestServer, sale: Sale): Promise<State> {
  const client = new Client(server, sale);
  const orders = await listOrders(client);
  const books = await readBooks(client);
  await client.close();
  const digest = orders.map((order) => `${order.orderId}=${order.status}`).sort();
  return { orders, books, digest: digest.join(' ') };
}

/** Judges books and limits alone: of the promises only those that the cut left can be there. */
export function prefixFaults(state: State, tally: Tally): string[] {
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

/** A longer log holds all orders of a shorter one, and none is older than what was there before. */
export function expectExtends(shorter: State, longer: State | undefined): void {
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
