/**
 * The server that the field cases run against: a real `doorbuster serve` of its own per test file. Claims wait for the
 * engine as long as they must, so that a stampede on a small machine ends in verdicts and not in `busy`; everything
 * else is as shipped. FIELD_LEDGER names the ledger and the number of server processes, as `postgres:4`; without it
 * the cases run on the embedded default.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { type DatabaseKind, TestDatabase } from '../../support/database.ts';
import { newFolder, type Reply, type ServerOptions, startServer, type TestServer } from '../../support/server.ts';

/** What the manifest calls a way to run the product. */
export type Configuration = 'embedded' | 'postgres:1' | 'postgres:4' | 'mariadb:1' | 'mariadb:4';

const configuration = (process.env.FIELD_LEDGER ?? 'embedded') as Configuration;
export const isEmbedded = configuration === 'embedded';
const [kind, processes = '1'] = configuration.split(':');

export const patientEnv: Readonly<Record<string, string>> = { DOORBUSTER_QUEUE_WAIT_MS: '30000' };

/** Room for a start on a machine that is busy with other test files. */
export const startTimeoutMs = 120_000;

/** For cases that start several servers, or whose own numbers take long: it ends a test that hangs, it judges nothing. */
export const crowdedTimeoutMs = 300_000;

const started = new Set<TestServer>();
let database: Promise<TestDatabase> | null = null;
// A test that failed or ran out of time leaves no server behind.
afterAll(async () => {
  await Promise.all([...started].map((server) => server.stop('SIGKILL')));
  await (await database)?.close();
}, startTimeoutMs);

/** Secrets of the servers on a database, which keep none in a folder; of no use anywhere else. */
const sharedEnv: Readonly<Record<string, string>> = {
  DOORBUSTER_MERCHANT_KEY: randomBytes(24).toString('base64url'),
  DOORBUSTER_BUYER_SECRET: randomBytes(24).toString('base64url'),
};
/** A server that is started again on a folder finds its database again. */
const urls = new Map<string, string>();

/** What makes a server run on the configuration's ledger: its arguments, its secrets and a folder to be known by. */
async function onLedger(options: ServerOptions): Promise<ServerOptions> {
  if (isEmbedded) return options;
  database ??= TestDatabase.start(kind as DatabaseKind);
  const data = options.data ?? newFolder();
  const url = urls.get(data) ?? (await database).create();
  urls.set(data, url);
  const args = ['--database', url, '--processes', processes, ...(options.args ?? [])];
  return { ...options, data, args, env: { ...sharedEnv, ...options.env } };
}

/** The database of a server; null where it is the file in its folder. */
export async function databaseOf({ data }: TestServer): Promise<{ database: TestDatabase; url: string } | null> {
  const url = urls.get(data);
  return url === undefined || database === null ? null : { database: await database, url };
}

export async function startField(options: ServerOptions = {}): Promise<TestServer> {
  const server = await startServer(await onLedger({ ...options, env: { ...patientEnv, ...options.env } }));
  started.add(server);
  return server;
}

/** Ends a server that was started again on the data folder of an earlier one, and removes that folder. */
export async function discardField(server: TestServer): Promise<void> {
  await server.stop();
  rmSync(server.data, { recursive: true, force: true });
}

export interface Sale {
  readonly saleId: string;
  readonly purchaseKey: string;
}

export interface Problem {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the server answered
  readonly body: any;
}

/** A refusal took nothing, says so, and carries its stable code. */
export function expectRefusal(answer: Problem, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
  expect(answer.body).toMatchObject({ status, effect: 'none', requestId: expect.any(String) });
}

/** The books of a sale with one item, after checking what holds at every moment. */
export async function itemBooks(server: TestServer, saleId: string, sku = 'tee-m'): Promise<ItemBooks> {
  const books = await server.books(saleId);
  const faults = bookFaults(books);
  expect(faults).toEqual([]);
  return books.items.find((item: { sku: string }) => item.sku === sku);
}

export interface ItemBooks {
  readonly sku: string;
  readonly total: number;
  readonly available: number;
  readonly held: number;
  readonly sold: number;
  readonly inFlight: number;
}

/** What is wrong with one reading of the books (I1); an empty list when nothing is. */
export function bookFaults(books: Reply['body']): string[] {
  const faults: string[] = [];
  if (books?.balanced !== true) faults.push(`not balanced: ${JSON.stringify(books)}`);
  for (const item of (books?.items ?? []) as ItemBooks[]) {
    const { total, available, held, sold, inFlight } = item;
    if (available + held + sold + inFlight !== total) faults.push(`the sum is wrong: ${JSON.stringify(item)}`);
    if (Math.min(available, held, sold, inFlight) < 0) faults.push(`below zero: ${JSON.stringify(item)}`);
  }
  return faults;
}

/** Reads the books over and over until stopped; hands back every fault and every reading's items. */
export function watchBooks(server: TestServer, saleId: string): { stop: () => Promise<BooksWatch> } {
  const watch = { faults: [] as string[], readings: [] as ItemBooks[][] };
  let stopped = false;
  const run = (async () => {
    while (!stopped) {
      const books = await server.books(saleId);
      watch.faults.push(...bookFaults(books));
      watch.readings.push(books.items);
      await pauseMs(20);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await run;
      return watch;
    },
  };
}

export interface BooksWatch {
  readonly faults: readonly string[];
  readonly readings: readonly (readonly ItemBooks[])[];
}

export const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer is truthy; fails with the last answer when the deadline passes. */
export async function until<T>(what: string, deadlineMs: number, probe: () => Promise<T> | T): Promise<NonNullable<T>> {
  const endsAtMs = Date.now() + deadlineMs;
  let last: T;
  do {
    last = await probe();
    if (last) return last as NonNullable<T>;
    await pauseMs(50);
  } while (Date.now() < endsAtMs);
  throw new Error(`not within ${deadlineMs} ms: ${what} (last: ${JSON.stringify(last)})`);
}

/** How many of the answers have each status and code, as `201` or `409 sold_out`. */
export function tally(answers: readonly Problem[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status < 400 ? String(status) : `${status} ${body?.code ?? body}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
