/**
 * `doorbuster backup` while orders come in, and what it is for: a fresh folder with the backup as
 * `doorbuster.db` and the secrets beside it starts, with balanced books and every order that had been
 * acknowledged before the backup began. And the way back: an older binary refuses a newer ledger.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { Client, Load } from './load.ts';
import { crashSale, faultsOf, listOrders, readBooks, recover } from './recover.ts';
import { cliPath, newFolder, startServer, tryStart } from './served.ts';
import { Tally } from './tally.ts';
import { runSeed, seededRandom, until } from './until.ts';

const env = { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_LOG: 'error' };
const seed = runSeed();

const folders: string[] = [];
const folder = (): string => {
  const made = newFolder();
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the product's own command, without blocking the load that goes on beside it. */
const runCommand = (args: readonly string[], cwd: string): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [cliPath, ...args], {
      cwd,
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });

function restore(backup: string, from: string): string {
  const data = folder();
  copyFileSync(backup, path.join(data, 'doorbuster.db'));
  for (const secret of ['merchant-key', 'buyer-secret']) copyFileSync(path.join(from, secret), path.join(data, secret));
  return data;
}

describe(`backup (CRASH_SEED=${seed})`, () => {
  test('taken under load, it restores to balanced books with all that was acknowledged before', {
    timeout: 90_000,
  }, async () => {
    const data = folder();
    const file = path.join(folder(), 'copy.db');
    const server = await startServer({ data, env });
    const sale = await server.openSale(crashSale);
    const client = new Client(server, sale);
    const tally = new Tally();
    const load = new Load({ client, tally, random: seededRandom(seed), lanes: 40 });
    await until('the load gets answers', 10_000, () => tally.count('acknowledged') > 300);

    const acknowledgedBefore = tally.orders.filter((one) => one.fate === 'acknowledged').map((one) => one.orderId);
    const made = await runCommand(['backup', '--data', data, '--to', file], data);
    const during = tally.count('acknowledged') - acknowledgedBefore.length;
    expect(made).toMatchObject({ code: 0, stderr: '' });
    load.halt();
    await load.finished();
    console.log(
      `backup of ${statSync(file).size} bytes while ${during} orders were acknowledged: ${made.stdout.trim()}`,
    );
    expect(during).toBeGreaterThan(0);
    // The ledger holds what shoppers gave: nobody else on the machine may read the copy.
    expect(statSync(file).mode & 0o077).toBe(0);

    // The server that was backed up has lost nothing by it.
    expect(faultsOf(tally, await recover(client, tally))).toEqual([]);
    await client.close();
    expect((await server.stop()).code).toBe(0);

    const restored = await startServer({ data: restore(file, data), env });
    const there = new Client(restored, sale);
    const [orders, books] = [await listOrders(there), await readBooks(there)];
    const present = new Set(orders.map((order) => order.orderId));
    expect(acknowledgedBefore.filter((orderId) => !present.has(orderId as string))).toEqual([]);
    expect(books.balanced).toBe(true);
    for (const item of books.items) expect(item.available + item.held + item.sold).toBe(item.total);
    expect(Object.values(books.orders).reduce((sum, count) => sum + count, 0)).toBe(orders.length);
    // Keys replay, and the sale goes on.
    const known = tally.orders.find((one) => one.orderId === acknowledgedBefore[0]);
    if (known === undefined) throw new Error('no order was acknowledged before the backup');
    expect(await there.order(known)).toMatchObject({ status: 201, replayed: true, body: { orderId: known.orderId } });
    expect((await restored.order(sale, 'after-the-restore')).status).toBe(201);
    await there.close();
    expect((await restored.stop()).code).toBe(0);
  });

  test('of a folder that nobody serves; of none at all; onto a file that exists', { timeout: 60_000 }, async () => {
    const data = folder();
    const to = folder();
    const server = await startServer({ data, env });
    const sale = await server.openSale();
    expect((await server.order(sale, 'ann')).status).toBe(201);
    expect((await server.stop()).code).toBe(0);

    const file = path.join(to, 'copy.db');
    expect(await runCommand(['backup', '--data', data, '--to', file], to)).toMatchObject({ code: 0 });
    const restored = await startServer({ data: restore(file, data), env });
    expect(await restored.books(sale.saleId)).toMatchObject({ balanced: true, orders: { held: 1 } });
    expect((await restored.stop()).code).toBe(0);

    const taken = path.join(to, 'taken.db');
    writeFileSync(taken, 'something dear');
    const onto = await runCommand(['backup', '--data', data, '--to', taken], to);
    expect(onto.code).toBeGreaterThan(0);
    expect(onto.stderr).toContain(taken);
    expect(onto.stderr).not.toMatch(/\n\s+at /);
    expect(readFileSync(taken, 'utf8')).toBe('something dear');

    const nowhere = path.join(to, 'not-there');
    const none = await runCommand(['backup', '--data', nowhere, '--to', path.join(to, 'none.db')], to);
    expect(none.code).toBeGreaterThan(0);
    expect(none.stderr).toContain('not-there');
    expect(none.stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(path.join(to, 'none.db'))).toBe(false);
    expect(existsSync(nowhere)).toBe(false);
  });
});

describe('the schema of the ledger', () => {
  /** As a later release would leave it: one migration more than this program knows. */
  async function upgradedFolder(breaking: 0 | 1): Promise<{ data: string; known: number }> {
    const data = folder();
    expect((await (await startServer({ data, env })).stop()).code).toBe(0);
    const ledger = new DatabaseSync(path.join(data, 'doorbuster.db'));
    const { known } = ledger.prepare('SELECT max(number) AS known FROM migrations').get() as { known: number };
    ledger
      .prepare('INSERT INTO migrations (number, name, breaking, applied_at_ms) VALUES (?, ?, ?, ?)')
      .run(known + 41, 'of a later release', breaking, 0);
    ledger.close();
    return { data, known };
  }

  test('newer and breaking: the start is refused, naming both versions', { timeout: 60_000 }, async () => {
    const { data, known } = await upgradedFolder(1);
    const started = await tryStart({ data, env });
    if (!('stderr' in started)) {
      await started.kill();
      throw new Error('an older program was let at a newer ledger');
    }
    expect(started.exit.code).toBeGreaterThan(0);
    expect(started.stderr.trim().split('\n')).toHaveLength(1);
    expect(started.stderr).toMatch(new RegExp(`\\b${known + 41}\\b`));
    expect(started.stderr).toMatch(new RegExp(`\\b${known}\\b`));
    expect(started.stderr).toMatch(/newer/i);
    expect(started.stderr).not.toMatch(/\n\s+at /);
  });

  test('newer but compatible: it starts', { timeout: 60_000 }, async () => {
    const { data } = await upgradedFolder(0);
    const server = await startServer({ data, env });
    const sale = await server.openSale();
    expect((await server.order(sale, 'ann')).status).toBe(201);
    expect((await server.stop()).code).toBe(0);
  });
});
