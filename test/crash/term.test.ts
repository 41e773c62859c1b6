/**
 * SIGTERM under load: the server stops accepting, finishes what it accepted and exits 0 within the
 * grace time. Nothing acknowledged is lost, and nothing is committed without having been answered.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client, Load } from './load.ts';
import { crashSale, faultsOf, recover, sellOut } from './recover.ts';
import { newFolder, startServer } from './served.ts';
import { Tally } from './tally.ts';
import { runSeed, seededRandom } from './until.ts';

const stops = 10;
const graceSeconds = 10;
const env = {
  DOORBUSTER_QUEUE_WAIT_MS: '30000',
  DOORBUSTER_GRACE_SECONDS: String(graceSeconds),
  DOORBUSTER_LOG: 'warn',
};
const seed = runSeed();

describe(`SIGTERM under load (CRASH_SEED=${seed})`, () => {
  test(`${stops} stops: exit 0 in time, nothing acknowledged lost, the sale goes on`, {
    timeout: 240_000,
  }, async () => {
    const data = newFolder();
    const random = seededRandom(seed);
    const tally = new Tally();
    let server = await startServer({ data, env });
    const sale = await server.openSale(crashSale);

    for (let run = 1; run <= stops; run += 1) {
      const since = { orders: tally.orders.length, acts: tally.acts.length };
      const loading = new Client(server, sale);
      const load = new Load({ client: loading, tally, random, lanes: 56 });
      await delay(60 + Math.floor(random() * 180));
      const inFlight = load.ordersInFlight;
      const fromMs = performance.now();
      server.child.kill('SIGTERM');
      // Clients notice late: the lanes go on for a moment, and meet a server that is closing.
      await delay(run % 2 === 0 ? 0 : 30);
      load.halt();
      const exit = await server.exited;
      const tookMs = Math.round(performance.now() - fromMs);
      await load.finished();
      await loading.close();
      expect({ ...exit, log: exit.code === 0 ? '' : server.logs() }).toEqual({ code: 0, signal: null, log: '' });
      expect(tookMs).toBeLessThan(graceSeconds * 1000);

      server = await startServer({ data, env });
      const client = new Client(server, sale);
      const recovered = await recover(client, tally, since);
      console.log(
        `stop ${run}: ${inFlight} orders in flight, exit after ${tookMs} ms, ${recovered.unanswered} unanswered, ` +
          `of these ${recovered.ordersDiedAfterCommit + recovered.actsDiedAfterCommit} committed`,
      );
      expect(faultsOf(tally, recovered)).toEqual([]);
      expect(inFlight).toBeGreaterThanOrEqual(32);
      expect(recovered.ordersDiedAfterCommit + recovered.actsDiedAfterCommit).toBe(0);
      await client.close();
    }

    const client = new Client(server, sale);
    await sellOut(client, tally, 'tee-s');
    const end = await recover(client, tally, { orders: tally.orders.length, acts: tally.acts.length });
    expect(faultsOf(tally, end)).toEqual([]);
    await client.close();
    expect((await server.stop()).code).toBe(0);
    rmSync(data, { recursive: true, force: true });
  });

  test('an idle server with open connections exits 0 at once', { timeout: 30_000 }, async () => {
    const server = await startServer({ env });
    await Promise.all(Array.from({ length: 8 }, () => server.request('GET', '/v1/time')));
    const fromMs = performance.now();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - fromMs).toBeLessThan(3000);
  });
});
