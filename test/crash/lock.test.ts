/** One writer per data folder: a second process is refused while the first lives, and welcome the moment it is dead. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FailedStart, newFolder, startServer, tryStart } from './served.ts';

const asFailed = (started: unknown): FailedStart => {
  if (typeof started === 'object' && started !== null && 'stderr' in started) return started as FailedStart;
  throw new Error('a second process was let into the data folder');
};

test('a second process is refused with one clear line; the first goes on', { timeout: 60_000 }, async () => {
  const data = newFolder();
  const first = await startServer({ data });
  const sale = await first.openSale();

  const refused = asFailed(await tryStart({ data }));
  expect(refused.exit.code).toBeGreaterThan(0);
  expect(refused.exit.signal).toBeNull();
  expect(refused.stdout).toBe('');
  expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  expect(refused.stderr).toContain(data);
  expect(refused.stderr).toMatch(/another|already|in use|second/i);
  expect(refused.stderr).not.toMatch(/SQLITE_|\n\s+at /);

  expect((await first.order(sale, 'ann')).status).toBe(201);
  expect((await first.books(sale.saleId)).balanced).toBe(true);
  expect(asFailed(await tryStart({ data })).exit.code).toBe(refused.exit.code);

  await first.kill();
  const second = await startServer({ data });
  const mine = await second.shopper('ann', 'GET', `/v1/sales/${sale.saleId}/orders`);
  expect(mine.body.items).toHaveLength(1);
  expect((await second.order(sale, 'ben')).status).toBe(201);
  expect((await second.stop()).code).toBe(0);
  rmSync(data, { recursive: true, force: true });
});

test('after a clean stop the folder is free, and no lock is left to clear away', { timeout: 60_000 }, async () => {
  const data = newFolder();
  expect((await (await startServer({ data })).stop()).code).toBe(0);
  expect(existsSync(path.join(data, 'doorbuster.pid'))).toBe(false);
  expect((await (await startServer({ data })).stop()).code).toBe(0);
  rmSync(data, { recursive: true, force: true });
});

test('two processes that start at the same instant: exactly one gets the folder', { timeout: 60_000 }, async () => {
  const data = newFolder();
  const started = await Promise.all([tryStart({ data }), tryStart({ data })]);
  const refused = started.filter((one) => 'stderr' in one);
  expect(refused).toHaveLength(1);
  for (const one of started) if (!('stderr' in one)) expect((await one.stop()).code).toBe(0);
  rmSync(data, { recursive: true, force: true });
});
