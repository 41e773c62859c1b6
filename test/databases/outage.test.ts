/**
 * H102: the database is away for a while in the middle of a stampede on four server processes: every answer comes
 * soon and says that nothing was taken, memory stays flat, readiness names the ledger while liveness stays up, and it
 * goes on by itself. H083, H084: writers meet on one row with others that lock in the other order; the database picks
 * victims, which are tried again, and every order that was accepted is stored whole.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Client, Load } from '../crash/load.ts';
import { crashSale, faultsOf, recover } from '../crash/recover.ts';
import { Tally } from '../crash/tally.ts';
import { runSeed, seededRandom, until } from '../crash/until.ts';
import { residentMiB } from '../field/support/process.ts';
import { isWhole, onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, several, stopAll, supervised, workersOf } from './support/shop.ts';

const PROCESSES = 4;
const LANES = 12;
const AWAY_MS = isWhole ? 60_000 : 8000;
/** What a shopper waits for a `503`, beside a look that needs no database, which tells how slow the machine is. */
const ANSWERED_WITHIN_MS = 3000;
const GROWTH_MIB = 96;

endServersAtTheEnd();
const seed = runSeed();

onEachDatabase((kind, database) => {
  it('H102 the database is away: quick refusals, flat memory, honest probes, and it goes on by itself', async () => {
    const db = await database();
    const server = await supervised(db.create(), PROCESSES, { env: { DOORBUSTER_LOG: 'fatal' } });
    const workers = workersOf(server);
    const sale = await server.openSale(crashSale);
    const client = new Client(server, sale);
    const tally = new Tally();
    const load = new Load({ client, tally, random: seededRandom(seed), lanes: LANES });
    await until('a stampede', 20_000, () => load.answers > 100);
    await db.kill();
    const [answeredBefore, awaySinceMs] = [load.answers, performance.now()];
    await delay(1500);
    const memory = () => Math.max(...workers.map(residentMiB));
    const memoryThen = memory();
    const took: number[] = [];
    const control: number[] = [];
    const answers: { status: number; code: string; effect: string }[] = [];
    const timed = async <T>(into: number[], ask: () => Promise<T>): Promise<T> => {
      const startedMs = performance.now();
      const answer = await ask();
      into.push(performance.now() - startedMs);
      return answer;
    };
    for (let at = 0; at < 10 || performance.now() - awaySinceMs < AWAY_MS; at++) {
      expect((await timed(control, () => server.request('GET', '/livez'))).status).toBe(200);
      const { status, body } = await timed(took, () => server.order(sale, `away-${at}`));
      answers.push({ status, code: body.code, effect: body.effect });
      const ready = await server.request('GET', '/readyz');
      expect(ready.status).toBe(503);
      expect(ready.text).toContain('ledger');
      await delay(100);
    }
    expect(new Set(answers.map(({ status, effect }) => `${status} ${effect}`))).toEqual(new Set(['503 none']));
    expect(Math.max(...took)).toBeLessThan(ANSWERED_WITHIN_MS + Math.max(...control));
    expect(memory() - memoryThen).toBeLessThan(GROWTH_MIB);
    console.log(
      `${kind}: ${answers.length} refusals, the slowest ${Math.round(Math.max(...took))} ms beside ` +
        `${Math.round(Math.max(...control))} ms; ${load.answers - answeredBefore} answers while away; ` +
        `memory ${Math.round(memoryThen)} to ${Math.round(memory())} MiB`,
    );
    await db.up();
    await until('orders again', 20_000, async () => (await server.order(sale, 'back', { key: 'back' })).status === 201);
    tally.orders.push({ key: 'back', buyerId: 'back', sku: 'tee-m', quantity: 1, fate: 'unanswered' });
    load.halt();
    await load.finished();
    const recovered = await recover(client, tally);
    expect(faultsOf(tally, recovered)).toEqual([]);
    expect(workersOf(server)).toEqual(workers);
    await client.close();
    await stopAll([server]);
  });

  it('H083 H084 50 writers, and others that lock in the other order: victims are tried again, orders are whole', async () => {
    const db = await database();
    const url = db.create();
    const servers = await several(url, PROCESSES, { env: { DOORBUSTER_LOG: 'fatal' } });
    const [first] = servers;
    if (first === undefined) throw new Error('no server');
    const sale = await first.openSale(crashSale);
    const deadlocks = (): number =>
      kind === 'postgres'
        ? Number(db.ask('SELECT sum(deadlocks) FROM pg_stat_database'))
        : Number(db.ask("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'").trim().split(/\s+/)[1]);
    const before = deadlocks();
    let isOver = false;
    // A batch locks the sale, then writes the item; these take the item first.
    const rival = async (): Promise<number> => {
      for (let turns = 0; ; turns++) {
        if (isOver) return turns;
        const session = db.session(url);
        try {
          await session.run('BEGIN');
          await session.run("UPDATE items SET title = 'of a rival' WHERE sku = 'tee-m'");
          await session.run('SELECT 1 FROM sales WHERE sale_no = 1 FOR UPDATE');
          await session.run('ROLLBACK');
        } catch {
          // It was the victim, and its client has ended.
        }
        await session.close();
        await delay(100);
      }
    };
    const rivals = [rival()];
    const tally = new Tally();
    const clients = servers.map((server) => new Client(server, sale));
    const loads = clients.map(
      (client, at) => new Load({ client, tally, random: seededRandom(seed + at), lanes: Math.ceil(50 / PROCESSES) }),
    );
    await until('the database has picked victims', 60_000, async () => {
      await delay(500);
      return deadlocks() - before >= 3 && tally.count('acknowledged') > 60;
    });
    for (const load of loads) load.halt();
    await Promise.all(loads.map((load) => load.finished()));
    isOver = true;
    await Promise.all(rivals);
    const [client] = clients as [Client];
    const recovered = await recover(client, tally);
    expect(faultsOf(tally, recovered)).toEqual([]);
    console.log(
      `${kind}: ${deadlocks() - before} victims, ${recovered.replayed} orders, ${JSON.stringify([...tally.refusals])}`,
    );
    expect(recovered.replayed).toBeGreaterThan(50);
    for (const each of clients) await each.close();
    await stopAll(servers);
  });
});
