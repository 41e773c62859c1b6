/**
 * SIGKILL in the middle of a stampede on four server processes: of the database server, whose processes all die at
 * once as in a power cut, and of server processes, one of four and all. After each, every 201 is there under its key,
 * what was unanswered is exactly one order when asked again, what was answered `busy` or with effect `none` was not
 * executed, the books balance, nothing is oversold (I1 to I4); and after the death of the database nobody starts the
 * server processes again.
 *
 * Between them lies a network that takes a while to bring the answer of a COMMIT, so that at any instant commits are in
 * flight. `died` counts effects that were committed and never answered; it must be above 0 over all runs, else the
 * kills never hit that gap.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Client, Load, type Sale } from '../crash/load.ts';
import { crashSale, faultsOf, listOrders, readBooks, recover, sellOut } from '../crash/recover.ts';
import { Tally } from '../crash/tally.ts';
import { runSeed, seededRandom, until } from '../crash/until.ts';
import type { DatabaseKind } from '../support/database.ts';
import { newFolder, type TestServer } from '../support/server.ts';
import { isWhole, onEachDatabase, PROCESSES } from './support/each-database.ts';
import { endServersAtTheEnd, killAll, stopAll, supervised, workersOf } from './support/shop.ts';
import { StatementProxy } from './support/statement-proxy.ts';

const KILLS = Number(process.env.TEST_KILLS ?? (isWhole ? 30 : 10));
const LANES = 56;
const COMMIT_ANSWER_MS = 50;
const SERVERS = PROCESSES.at(-1) ?? 4;
const TIMEOUT_MS = 600_000;
const READY_WITHIN_MS = 20_000;
const env = { DOORBUSTER_LOG: 'warn' };
const seed = runSeed();

endServersAtTheEnd();

interface Round {
  readonly client: Client;
  readonly tally: Tally;
  readonly random: () => number;
  readonly proxy: StatementProxy;
}

/** A stampede, and a blow in the middle of it: at a random instant, or while the answer of a COMMIT is on its way. */
async function strike(
  { client, tally, random, proxy }: Round,
  blow: () => Promise<void>,
): Promise<{ inFlight: number }> {
  const windowMs = 60 + Math.floor(random() * 240);
  const atCommit = random() < 0.75;
  const load = new Load({ client, tally, random, lanes: LANES });
  await until('the first answers', READY_WITHIN_MS, () => load.answers > 10);
  await delay(windowMs);
  if (atCommit) await until('a commit in flight', READY_WITHIN_MS, () => proxy.holding > 0);
  const inFlight = load.ordersInFlight;
  proxy.lose();
  await blow();
  // The stampede goes on for a moment against what is not there.
  await delay(100);
  load.halt();
  await load.finished();
  return { inFlight };
}

const isReady = async (server: TestServer): Promise<boolean> => (await server.request('GET', '/readyz')).status === 200;

/** With four processes behind one port: ready when a row of looks finds no other answer. */
async function allReady(server: TestServer): Promise<void> {
  await until('all processes ready again', READY_WITHIN_MS, async () => {
    for (let look = 0; look < 2 * SERVERS; look++) {
      const answer = await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } });
      await answer.text();
      if (answer.status !== 200) return false;
    }
    return true;
  });
}

const sinceNow = (tally: Tally): { orders: number; acts: number } => ({
  orders: tally.orders.length,
  acts: tally.acts.length,
});

const isCommitOfOrders = (statement: string, transaction: readonly string[]): boolean =>
  statement === 'COMMIT' && transaction.some((each) => each.startsWith('INSERT INTO orders'));

async function farAway(kind: DatabaseKind, port: number): Promise<StatementProxy> {
  const proxy = await StatementProxy.to(kind, port);
  proxy.befall({ kind: 'hold', ms: COMMIT_ANSWER_MS, match: isCommitOfOrders });
  return proxy;
}

async function goesOnToTheEnd(client: Client, tally: Tally): Promise<void> {
  const before = (await readBooks(client)).items.find((item) => item.sku === 'tee-s');
  expect(await sellOut(client, tally, 'tee-s')).toBe(before?.available);
  const after = await recover(client, tally, sinceNow(tally));
  expect(faultsOf(tally, after)).toEqual([]);
}

onEachDatabase((kind, database) => {
  it(`the database server, ${KILLS} times (CRASH_SEED=${seed})`, { timeout: TIMEOUT_MS }, async () => {
    const db = await database();
    const random = seededRandom(seed);
    const tally = new Tally();
    const proxy = await farAway(kind, db.port);
    const server = await supervised(proxy.through(db.create()), SERVERS, { env });
    const workers = workersOf(server);
    expect(workers).toHaveLength(SERVERS);
    const sale: Sale = await server.openSale(crashSale);
    let died = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const since = sinceNow(tally);
      const client = new Client(server, sale);
      const { inFlight } = await strike({ client, tally, random, proxy }, () => db.kill());
      await until('readiness names the ledger', READY_WITHIN_MS, async () => !(await isReady(server)));
      await db.up();
      await allReady(server);
      const recovered = await recover(client, tally, since);
      expect(faultsOf(tally, recovered)).toEqual([]);
      died += recovered.ordersDiedAfterCommit + recovered.actsDiedAfterCommit;
      console.log(
        `${kind}, kill ${kill} of the database: ${inFlight} orders in flight, ${recovered.replayed} acknowledged, ` +
          `${recovered.unanswered} unanswered, ${died} died between commit and answer so far`,
      );
      expect(inFlight).toBeGreaterThan(16);
      await client.close();
    }
    const client = new Client(server, sale);
    await goesOnToTheEnd(client, tally);
    await client.close();
    expect(died).toBeGreaterThan(0);
    // Nobody was started again: the processes are those of the beginning.
    const why = server
      .logs()
      .split('\n')
      .filter((line) => line.includes('"fatal"'));
    expect(workersOf(server), why.join('\n')).toEqual(workers);
    await stopAll([server]);
    await proxy.close();
  });

  it(`server processes, one of four and all, ${KILLS} times`, { timeout: TIMEOUT_MS }, async () => {
    const db = await database();
    const proxy = await farAway(kind, db.port);
    const url = proxy.through(db.create());
    const random = seededRandom(seed + 1);
    const tally = new Tally();
    const data = newFolder();
    let server = await supervised(url, SERVERS, { env, data });
    const sale: Sale = await server.openSale(crashSale);
    let died = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const since = sinceNow(tally);
      const isAll = SERVERS === 1 || kill % 3 === 0;
      const client = new Client(server, sale);
      await strike({ client, tally, random, proxy }, async () => {
        if (isAll) return killAll(server);
        const victims = workersOf(server);
        process.kill(victims[Math.floor(random() * victims.length)] as number, 'SIGKILL');
      });
      await client.close();
      if (isAll) server = await supervised(url, SERVERS, { env, data });
      else await until('four again', READY_WITHIN_MS, () => workersOf(server).length === SERVERS);
      await allReady(server);
      const after = new Client(server, sale);
      const recovered = await recover(after, tally, since);
      expect(faultsOf(tally, recovered)).toEqual([]);
      died += recovered.ordersDiedAfterCommit + recovered.actsDiedAfterCommit;
      console.log(
        `${kind}, kill ${kill} of ${isAll ? 'all' : 'one'}: ${recovered.replayed} acknowledged, ` +
          `${recovered.unanswered} unanswered, ${died} died between commit and answer so far`,
      );
      await after.close();
    }
    const client = new Client(server, sale);
    await goesOnToTheEnd(client, tally);
    // The whole chain, broken on purpose: an acknowledged order that the database has never seen.
    const doctored = new Tally();
    doctored.orders.push(...tally.orders);
    doctored.acts.push(...tally.acts);
    const [first] = await listOrders(client);
    const lost = { key: 'never-sent', buyerId: 'nobody', sku: 'tee-m', quantity: 1, orderId: `${first?.orderId}x` };
    doctored.orders.push({ ...lost, fate: 'acknowledged' });
    const faults = faultsOf(doctored, await recover(client, doctored, sinceNow(doctored))).join('\n');
    expect(faults).toContain(`acknowledged order ${first?.orderId}x is missing`);
    await client.close();
    expect(died).toBeGreaterThan(0);
    await stopAll([server]);
    await proxy.close();
    rmSync(data, { recursive: true, force: true });
  });
});
