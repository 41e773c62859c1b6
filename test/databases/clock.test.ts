/**
 * One clock, the database's (I6): servers whose own wall clocks are hours or a second and a half off tell its time,
 * open by it and sell nothing before it.
 */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { until } from '../crash/until.ts';
import { newFolder, type TestServer } from '../support/server.ts';
import { onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, startOn, stopAll } from './support/shop.ts';

const shiftedClock = fileURLToPath(new URL('../field/support/shifted-clock.mjs', import.meta.url));
const HOURS_MS = 3_600_000;
/** Of no matter here; a machine that stands still for a moment does. */
const NEAR_MS = 1000;

endServersAtTheEnd();

/** A server whose wall clock is this much ahead. */
async function startAhead(url: string, aheadMs: number): Promise<TestServer> {
  const folder = newFolder();
  const file = path.join(folder, 'ahead');
  writeFileSync(file, String(aheadMs));
  const env = { FIELD_CLOCK_FILE: file };
  const server = await startOn(url, { env, nodeArgs: ['--import', shiftedClock] });
  server.exited.then(() => rmSync(folder, { recursive: true, force: true })).catch(() => {});
  return server;
}

const timeOf = async (server: TestServer): Promise<number> =>
  Date.parse((await server.request('GET', '/v1/time')).body.now);

onEachDatabase((kind, database) => {
  it.each([
    ['1.5 s apart', 1500, 0],
    ['three hours apart, one ahead', 3 * HOURS_MS, 0],
    ['three hours apart, one behind', -3 * HOURS_MS, 0],
  ])('H044 two servers %s tell the database’s time, open by it, and take each other’s tokens', async (_how, a, b) => {
    const db = await database();
    const url = db.create();
    const servers = [await startAhead(url, a), await startAhead(url, b)] as const;
    for (const server of servers) expect(Math.abs((await timeOf(server)) - Date.now())).toBeLessThan(NEAR_MS);
    // The control: the clock of the first is really off, for what does not come from the database.
    const skewed = /"time":"?(\d{13}|[^",]+)/.exec(servers[0].logs())?.[1] ?? '';
    const toldMs = /^\d+$/.test(skewed) ? Number(skewed) : Date.parse(skewed);
    expect(Math.abs(toldMs - Date.now() - a)).toBeLessThan(60_000);

    const startsAtMs = Date.now() + 4000;
    const made = await servers[0].merchant('POST', '/v1/merchant/sales', {
      saleId: 'clock',
      title: 'At noon',
      currency: 'EUR',
      guests: true,
      opensAt: new Date(startsAtMs).toISOString(),
      items: [{ sku: 'tee-m', title: 'M', priceMinor: 1, stock: 1000 }],
    });
    expect(made.status, made.text).toBe(201);
    // Who is that far off may not be the one to decide on a start, and says why.
    const far = await servers[0].merchant('POST', '/v1/merchant/sales/clock/schedule');
    if (Math.abs(a) > HOURS_MS) expect(far).toMatchObject({ status: 503, body: { effect: 'none' } });
    else expect(far.status).toBe(200);
    expect((await servers[1].merchant('POST', '/v1/merchant/sales/clock/schedule')).status).toBe(200);
    const exp = 4_102_444_800;
    const early = { saleId: 'clock', purchaseKey: 'not-yet' };
    for (const server of servers) {
      const refused = await server.order(early, 'eager', { token: server.token('eager', { exp }) });
      expect(refused.status).toBeGreaterThanOrEqual(400);
    }
    const keys = await Promise.all(
      servers.map((server) =>
        until('open', 15_000, async () => (await server.request('GET', '/v1/sales/clock/state')).body.purchaseKey),
      ),
    );
    expect(Date.now()).toBeGreaterThanOrEqual(startsAtMs - 50);
    expect(Date.now()).toBeLessThan(startsAtMs + 5000);
    expect(new Set(keys).size).toBe(1);
    const sale = { saleId: 'clock', purchaseKey: keys[0] as string };
    for (const [at, server] of servers.entries()) {
      const token = server.token(`buyer-${at}`, { exp });
      const other = servers[1 - at] as TestServer;
      const order = await other.order(sale, `buyer-${at}`, { token, key: randomUUID() });
      expect({ kind, status: order.status }).toEqual({ kind, status: 201 });
      expect(Date.parse(order.body.placedAt)).toBeGreaterThanOrEqual(startsAtMs);
    }
    await stopAll(servers);
  });
});
