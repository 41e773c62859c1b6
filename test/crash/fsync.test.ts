/**
 * A failing fsync under load (RELIABILITY hazard 22): what was written is in doubt, so the process
 * must stop instead of trying again, and after a restart nothing acknowledged is missing.
 */
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Client, Load } from './load.ts';
import { crashSale, faultsOf, recover } from './recover.ts';
import { newFolder, startServer } from './served.ts';
import { Faults, type FsyncFault } from './shim.ts';
import { Tally } from './tally.ts';
import { runSeed, seededRandom, until } from './until.ts';

const env = { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_LOG: 'warn' };
const stopsWithinMs = 10_000;
const seed = runSeed();

describe(`fsync fails with EIO under load (CRASH_SEED=${seed})`, () => {
  const rows: { which: FsyncFault; at: string }[] = [
    { which: 'wal', at: 'a commit' },
    { which: 'any-file', at: 'whatever comes first' },
    { which: 'wal', at: 'a commit, on the same folder again' },
  ];
  test('the process stops; nothing acknowledged is missing', { timeout: 90_000 }, async () => {
    const data = newFolder();
    const faults = new Faults(data);
    const tally = new Tally();
    let server = await startServer({ data, env: { ...env, ...faults.env } });
    const sale = await server.openSale(crashSale);

    for (const { which, at } of rows) {
      const since = { orders: tally.orders.length, acts: tally.acts.length };
      const before = faults.injected().fsyncs;
      const loading = new Client(server, sale);
      const load = new Load({ client: loading, tally, random: seededRandom(seed), lanes: 48 });
      await until('the load gets answers', 10_000, () => tally.count('acknowledged') > since.orders + 100);
      const fromMs = performance.now();
      faults.failFsync(which);
      const exit = await Promise.race([
        server.exited,
        until('exit', stopsWithinMs, () => false).catch(() => 'runs on'),
      ]);
      load.halt();
      const tookMs = Math.round(performance.now() - fromMs);
      if (exit === 'runs on') server.child.kill('SIGKILL');
      await load.finished();
      await loading.close();
      const injected = faults.injected().fsyncs - before;
      console.log(`fsync failed at ${at}: ${injected} faults, stopped after ${tookMs} ms`);
      expect(injected).toBeGreaterThan(0);
      expect(exit).not.toBe('runs on');
      expect((exit as { code: number | null }).code).toBeGreaterThan(0);
      expect(server.logs()).toMatch(/fsync|I\/O|ledger/i);

      faults.failFsync('none');
      server = await startServer({ data, env: { ...env, ...faults.env } });
      const client = new Client(server, sale);
      expect(faultsOf(tally, await recover(client, tally, since))).toEqual([]);
      await client.close();
    }
    expect((await server.stop()).code).toBe(0);
    faults.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('at a checkpoint (main file only): stopped or going on, nothing acknowledged is missing', {
    timeout: 90_000,
  }, async () => {
    const data = newFolder();
    const faults = new Faults(data);
    const tally = new Tally();
    let server = await startServer({ data, env: { ...env, ...faults.env } });
    const sale = await server.openSale(crashSale);
    const loading = new Client(server, sale);
    faults.failFsync('main-file');
    const load = new Load({ client: loading, tally, random: seededRandom(seed), lanes: 48 });
    await until('a checkpoint meets the fault', 60_000, () => faults.injected().fsyncs > 0);
    // Some more load on top: a checkpoint that was believed would drop these from the WAL.
    const sent = tally.orders.length;
    await until(
      'more load, or the exit',
      20_000,
      () => server.child.exitCode !== null || tally.orders.length > sent + 1000,
    );
    load.halt();
    const stopped = server.child.exitCode;
    if (stopped === null) await server.kill();
    await load.finished();
    await loading.close();
    console.log(
      `fsync failed at a checkpoint: ${faults.injected().fsyncs} faults, exit code ${stopped ?? 'none, killed'}`,
    );
    if (stopped !== null) expect(stopped).toBeGreaterThan(0);

    faults.failFsync('none');
    server = await startServer({ data, env: { ...env, ...faults.env } });
    const client = new Client(server, sale);
    expect(faultsOf(tally, await recover(client, tally))).toEqual([]);
    await client.close();
    expect((await server.stop()).code).toBe(0);
    faults.close();
    rmSync(data, { recursive: true, force: true });
  });
});
