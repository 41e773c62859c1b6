/**
 * A full disk (RELIABILITY hazard 23): writes fail with ENOSPC while the server runs. New orders are
 * answered 503 `unavailable`, reads go on, and once there is space again selling goes on in the same
 * process, with balanced books and nothing acknowledged lost.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client, Load, noteOrder } from './load.ts';
import { crashSale, faultsOf, readBooks, recover } from './recover.ts';
import { newFolder, startServer, tryStart } from './served.ts';
import { Faults, type WriteFault } from './shim.ts';
import { type OrderAttempt, Tally } from './tally.ts';
import { runSeed, seededRandom, until } from './until.ts';

const env = { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_LOG: 'error' };
const seed = runSeed();

const freshOrder = (): OrderAttempt => {
  const key = crypto.randomUUID();
  return { key, buyerId: `full-${key}`, sku: 'tee-m', quantity: 1, fate: 'unanswered' };
};

describe(`the disk is full (CRASH_SEED=${seed})`, () => {
  test.each<{ which: WriteFault }>([{ which: 'every-write' }, { which: 'growth' }])(
    '$which fails: refused while full, sold again afterwards, by the same process',
    { timeout: 90_000 },
    async ({ which }) => {
      const data = newFolder();
      const faults = new Faults(data);
      const tally = new Tally();
      let server = await startServer({ data, env: { ...env, ...faults.env } });
      const sale = await server.openSale(crashSale);
      const client = new Client(server, sale);
      const load = new Load({ client, tally, random: seededRandom(seed), lanes: 48 });
      await until('the load gets answers', 10_000, () => tally.count('acknowledged') > 100);

      faults.fillDisk(which);
      await until('the server meets the fault', 30_000, () => faults.injected().writes > 0);
      await refusesOrdersButReads(client, tally);
      await delay(300); // the load goes on against the full disk
      load.halt();
      await load.finished();
      expect(faults.injected().writes).toBeGreaterThan(0);
      expect(server.child.exitCode).toBeNull();

      faults.fillDisk('none');
      await sellsAgain(client, tally);
      const refused = [...tally.refusals].map(([code, times]) => `${times} x ${code}`).join(', ');
      console.log(`disk full (${which}): ${faults.injected().writes} faults; refusals: ${refused}`);
      expect(server.child.exitCode).toBeNull();
      const recovered = await recover(client, tally);
      expect(faultsOf(tally, recovered)).toEqual([]);
      await client.close();

      // What was told while the disk was full holds over a crash, too.
      await server.kill();
      server = await startServer({ data, env });
      const again = new Client(server, sale);
      expect(faultsOf(tally, await recover(again, tally))).toEqual([]);
      await again.close();
      expect((await server.stop()).code).toBe(0);
      faults.close();
      rmSync(data, { recursive: true, force: true });
    },
  );

  test('a start on a full disk ends with a clear line, and the folder is whole afterwards', {
    timeout: 60_000,
  }, async () => {
    const data = newFolder();
    let server = await startServer({ data, env });
    const sale = await server.openSale(crashSale);
    const client = new Client(server, sale);
    const tally = new Tally();
    const load = new Load({ client, tally, random: seededRandom(seed), lanes: 40 });
    await until('the load gets answers', 10_000, () => tally.count('acknowledged') > 100);
    load.halt();
    await server.kill();
    await load.finished();
    await client.close();

    const faults = new Faults(data);
    faults.fillDisk('every-write');
    const started = await tryStart({ data, env: { ...env, ...faults.env } });
    // It may come up and serve reads, or say why it does not; it must not hang or leave a stack trace.
    if ('stderr' in started) {
      expect(started.exit.code).toBeGreaterThan(0);
      expect(started.stderr).toContain(data);
      expect(started.stderr).not.toMatch(/\n\s+at /);
    } else await started.kill();
    console.log(`start on a full disk: ${'stderr' in started ? started.stderr.trim() : 'it came up'}`);
    faults.close();

    server = await startServer({ data, env });
    const again = new Client(server, sale);
    expect(faultsOf(tally, await recover(again, tally))).toEqual([]);
    await again.close();
    expect((await server.stop()).code).toBe(0);
    rmSync(data, { recursive: true, force: true });
  });
});

/** While the disk is full: a new order is `unavailable` and says what was taken; books, orders and state are served. */
async function refusesOrdersButReads(client: Client, tally: Tally): Promise<void> {
  const paidFor = tally.orders.find((order) => order.fate === 'acknowledged') as OrderAttempt;
  await until('an order is answered 503 unavailable', 20_000, async () => {
    const attempt = freshOrder();
    tally.orders.push(attempt);
    const answer = await client.order(attempt);
    noteOrder(tally, attempt, answer);
    if (answer?.status !== 503) return false;
    expect(answer.body).toMatchObject({ status: 503, code: 'unavailable', retryable: true });
    expect(['none', 'unknown']).toContain(answer.body.effect);
    return true;
  });
  const token = client.server.token(paidFor.buyerId, { exp: 4_102_444_800 });
  const order = await client.send('GET', `/v1/orders/${paidFor.orderId}`, token);
  expect(order).toMatchObject({ status: 200, body: { orderId: paidFor.orderId } });
  expect(await client.send('GET', `/v1/sales/${client.sale.saleId}/state`, '')).toMatchObject({ status: 200 });
  expect(await client.send('GET', '/v1/time', '')).toMatchObject({ status: 200 });
  expect(await readBooks(client)).toMatchObject({ balanced: true });
}

/** Space is back: without a restart an order is taken, within a few seconds. */
async function sellsAgain(client: Client, tally: Tally): Promise<void> {
  const attempt = freshOrder();
  tally.orders.push(attempt);
  await until('selling goes on', 10_000, async () => {
    noteOrder(tally, attempt, await client.order(attempt));
    return attempt.fate === 'acknowledged';
  });
}
