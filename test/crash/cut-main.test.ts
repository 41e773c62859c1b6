/**
 * The main file of the ledger shortened, emptied or missing: the start is refused, names the file and
 * the way out, changes nothing, and above all makes no new ledger in its place (I2, I8).
 */
import { copyFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyOf, env, expectWayOut, prefixFaults, stateOf, type UsedFolder, usedFolder } from './cut.ts';
import { startServer, tryStart } from './served.ts';
import { runSeed } from './until.ts';

const seed = runSeed();

const cuts: { name: string; length: (bytes: number) => number }[] = [
  { name: '0 bytes', length: () => 0 },
  { name: 'one page', length: () => 4096 },
  { name: 'in the middle', length: (bytes) => Math.floor(bytes / 2) + 13 },
  { name: 'one page short', length: (bytes) => bytes - 4096 },
];
const moreCuts: typeof cuts = [
  ...cuts,
  { name: 'inside the header', length: () => 57 },
  { name: 'the header alone', length: () => 100 },
  { name: 'in the middle, at a page', length: (bytes) => Math.floor(bytes / 8192) * 4096 },
  { name: 'one byte short', length: (bytes) => bytes - 1 },
];

const ledgerOf = (data: string): string => path.join(data, 'doorbuster.db');
const bytesOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

/** Starts, and demands that it is refused, in one clear line, with the file left as it is. */
async function expectRefused(data: string): Promise<void> {
  const before = bytesOf(ledgerOf(data));
  const started = await tryStart({ data, env });
  if (!('stderr' in started)) throw new Error('it started on a ledger that is not whole');
  expect([1, 2]).toContain(started.exit.code);
  expectWayOut(started.stderr);
  expect(bytesOf(ledgerOf(data))).toBe(before);
}

describe(`the main file of the ledger is cut (CRASH_SEED=${seed})`, () => {
  let clean: UsedFolder;
  let killed: UsedFolder;
  beforeAll(async () => {
    clean = await usedFolder('clean', { end: 'SIGTERM', orders: 300, seed });
    killed = await usedFolder('killed', { end: 'SIGKILL', orders: 300, seed });
  }, 120_000);

  test.each(moreCuts)(
    'after a clean stop, $name: refused, with the way out',
    { timeout: 60_000 },
    async ({ length }) => {
      const data = copyOf(clean.data);
      truncateSync(ledgerOf(data), length(statSync(ledgerOf(data)).size));
      await expectRefused(data);
    },
  );

  test('missing although the folder was used: refused, no new ledger is made', { timeout: 60_000 }, async () => {
    for (const used of [clean, killed]) {
      const data = copyOf(used.data);
      rmSync(ledgerOf(data));
      await expectRefused(data);
    }
  });

  test('a refusal destroys nothing: with the file put back, all is there', { timeout: 60_000 }, async () => {
    const data = copyOf(clean.data);
    truncateSync(ledgerOf(data), 4096);
    await expectRefused(data);
    copyFileSync(ledgerOf(clean.data), ledgerOf(data));
    await expectAllThere(clean, data);
  });

  // After a crash the WAL may hold every page that the cut took: then the ledger is whole, and a start is right.
  test.each(cuts)(
    'after SIGKILL, $name: refused, or nothing is missing',
    { timeout: 60_000 },
    async ({ name, length }) => {
      const data = copyOf(killed.data);
      truncateSync(ledgerOf(data), Math.max(0, length(statSync(ledgerOf(data)).size)));
      const started = await tryStart({ data, env });
      if ('stderr' in started) {
        expect([1, 2]).toContain(started.exit.code);
        expectWayOut(started.stderr);
        return;
      }
      await started.kill();
      console.log(`main file cut after SIGKILL (${name}): started, the WAL held what was cut`);
      await expectAllThere(killed, data);
    },
  );
});

/** Every acknowledged order is in the ledger of `data`, and the books balance. */
async function expectAllThere(used: UsedFolder, data: string): Promise<void> {
  const server = await startServer({ data, env });
  const state = await stateOf(server, used.sale);
  await server.kill();
  expect(prefixFaults(state, used.tally)).toEqual([]);
  const present = new Set(state.orders.map((order) => order.orderId));
  const acknowledged = used.tally.orders.filter((one) => one.fate === 'acknowledged');
  expect(acknowledged.filter((one) => !present.has(one.orderId as string))).toEqual([]);
}
