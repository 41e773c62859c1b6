/**
 * Background work under leases (I3, I5): the holder is stopped in its tracks, another takes over and the units come
 * back; the old holder, going on, changes nothing. A process that stops in the middle of a transaction does not keep
 * the sale locked. `H073` is this on every database.
 */
import { expect, it } from 'vitest';
import { openMysqlLedger } from '../../dist/ledger/dialects/mysql/open.js';
import { openPostgresLedger } from '../../dist/ledger/dialects/postgres/open.js';
import { until } from '../crash/until.ts';
import type { TestServer } from '../support/server.ts';
import { onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, several, startOn, stopAll } from './support/shop.ts';
import { StatementProxy } from './support/statement-proxy.ts';

const BACK_WITHIN_MS = 10_000;
const HOLD_SECONDS = 5;

endServersAtTheEnd();

/** Who has taken the lease, by its own log. */
function hasSweep(server: TestServer): boolean {
  const changes = server
    .logs()
    .split('\n')
    .filter((line) => line.includes('"lease":"sweep"'));
  return changes.at(-1)?.includes('"isHeld":true') === true;
}

onEachDatabase((kind, database) => {
  it('H073 the holder of the sweep is stopped: units are back 10 s after expiry; going on, it changes nothing', async () => {
    const db = await database();
    const url = db.create();
    const servers = await several(url, 3);
    const holder = await until('a holder', 10_000, () => servers.find(hasSweep));
    const others = servers.filter((server) => server !== holder);
    const [other] = others as [TestServer];
    const sale = await other.openSale({
      holdSeconds: HOLD_SECONDS,
      items: [{ sku: 'tee-m', title: 'M', priceMinor: 1, stock: 20 }],
    });
    const fenceOf = (): number => Number(db.ask("SELECT fence FROM leases WHERE name = 'sweep'", url));
    const before = fenceOf();
    holder.child.kill('SIGSTOP');
    const orders = await Promise.all(Array.from({ length: 20 }, (_, at) => other.order(sale, `buyer-${at}`)));
    expect(orders.map(({ status }) => status)).toEqual(orders.map(() => 201));
    const expiresMs = Math.max(...orders.map(({ body }) => Date.parse(body.expiresAt)));
    await until('all units back', HOLD_SECONDS * 1000 + BACK_WITHIN_MS, async () => {
      return (await other.books(sale.saleId)).items[0].available === 20;
    });
    expect(Date.now()).toBeLessThan(expiresMs + BACK_WITHIN_MS);
    expect(fenceOf()).toBeGreaterThan(before);
    // The units are sold anew, and the old holder wakes up beside that.
    const anew = await Promise.all(Array.from({ length: 20 }, (_, at) => other.order(sale, `anew-${at}`)));
    expect(anew.map(({ status }) => status)).toEqual(anew.map(() => 201));
    const fence = fenceOf();
    holder.child.kill('SIGCONT');
    expect((await holder.request('GET', '/livez')).status).toBe(200);
    const books = await until('it sees what the others did', 5000, async () => {
      const seen = await holder.books(sale.saleId);
      return seen.items[0].held === 20 && seen;
    });
    expect(books).toMatchObject({ balanced: true, orders: { held: 20, expired: 20 } });
    expect(fenceOf()).toBe(fence);
    await stopAll(servers);
  });

  it('what comes under an old fence is refused; under the good one, and under none, it is done', async () => {
    const url = (await database()).create();
    // Nobody sweeps here but the test.
    const server = await startOn(url, { env: { DOORBUSTER_ROLES: 'web' } });
    const sale = await server.openSale({ holdSeconds: HOLD_SECONDS });
    const [first, second] = [await server.order(sale, 'first'), await server.order(sale, 'second')];
    const options = { url, connectionsMax: 4, onBroken: (message: string) => expect.fail(message) };
    const ledger = await (kind === 'postgres' ? openPostgresLedger(options) : openMysqlLedger(options));
    const old = await ledger.leases.take('sweep', 'old', 1);
    expect(old).not.toBeNull();
    expect(await ledger.leases.take('sweep', 'new', 1)).toBeNull();
    const good = await until('the lease has run out', 5000, async () => {
      return (await ledger.leases.take('sweep', 'new', 60)) ?? undefined;
    });
    expect(good.fence).toBe((old?.fence ?? 0) + 1);
    expect(await ledger.leases.take('sweep', 'old', 60)).toBeNull();
    await until('the holds have run out', 10_000, () => Date.now() > Date.parse(second.body.expiresAt) + 50);
    const expire = async (orderId: string, fence: typeof good | null): Promise<string> => {
      const act = { kind: 'expire', orderId, ...(fence === null ? {} : { fence }) } as never;
      const [verdict] = (await ledger.books.runBatch(1, null as never, [act])).verdicts;
      return verdict?.outcome === 'refused' ? (verdict as { code: string }).code : (verdict?.outcome ?? '');
    };
    expect(await expire(first.body.orderId, old)).toBe('wrong_state');
    expect((await server.books(sale.saleId)).orders).toMatchObject({ held: 2 });
    expect(await expire(first.body.orderId, good)).toBe('order');
    // The canary: an engine that sends no fence is not held back by it.
    expect(await expire(second.body.orderId, null)).toBe('order');
    expect((await server.books(sale.saleId)).orders).toMatchObject({ expired: 2 });
    await ledger.close();
    await stopAll([server]);
  });

  it('a process that stops in the middle of a transaction keeps the sale locked for seconds, not for ever', async () => {
    const db = await database();
    const url = db.create();
    const proxy = await StatementProxy.to(kind, db.port);
    const env = { DOORBUSTER_ROLES: 'web' };
    const [stopped, other] = [await startOn(proxy.through(url), { env }), await startOn(url, { env })];
    const sale = await stopped.openSale();
    await until('the other knows it', 5000, async () => {
      return (await other.request('GET', `/v1/sales/${sale.saleId}/state`)).body.phase === 'open';
    });
    // It has the sale's row, and its next statement never leaves it.
    proxy.befall({ kind: 'delay', ms: 60_000, times: 1, match: (statement) => /^INSERT INTO orders/.test(statement) });
    const asked = stopped.order(sale, 'slow', { key: 'slow' });
    await until('it stands still', 5000, () => proxy.befallen === 1);
    const stoppedMs = performance.now();
    const made = await until('an order at the other', 15_000, async () => {
      const answer = await other.order(sale, 'quick', { key: 'quick' });
      return answer.status === 201 && answer;
    });
    const tookMs = performance.now() - stoppedMs;
    console.log(`${kind}: the sale was free again ${(tookMs / 1000).toFixed(1)} s after its holder stood still`);
    // The control: until the bound it was locked.
    expect(tookMs).toBeGreaterThan(1000);
    expect(made.headers.get('idempotent-replayed')).not.toBe('true');
    const answer = await asked;
    const orders = (await other.books(sale.saleId)).orders;
    expect(orders.held).toBe(answer.status === 201 ? 2 : 1);
    await proxy.close();
    await stopped.stop('SIGKILL');
    await stopAll([other]);
  });
});
