/**
 * SIGKILL while a server starts for the first time, at many stages: whatever is half made by then
 * (a secret, an empty ledger, half a migration) must neither stop the next start nor weaken it.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cliPath, newFolder, startServer } from './served.ts';

/** The start is killed when this many changes have been seen in the data folder (or when it is up). */
const killedAtChange = [1, 2, 3, 5, 8, 12, 18, 28];

/** Starts, and kills at the change; hands back what lay in the folder then. */
async function killedStart(data: string, atChange: number): Promise<string[]> {
  let changes = 0;
  const watcher = watch(data, () => {
    changes += 1;
    if (changes >= atChange) child.kill('SIGKILL');
  });
  const child = spawn(process.execPath, [cliPath, 'serve', '--port', '0', '--data', data], {
    cwd: data,
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.on('data', () => child.kill('SIGKILL'));
  await new Promise((resolve) => child.on('close', resolve));
  watcher.close();
  return readdirSync(data).sort();
}

test(`killed at ${killedAtChange.length} stages of the first start: the next start works`, {
  timeout: 240_000,
}, async () => {
  const seen = new Set<string>();
  for (const atChange of killedAtChange) {
    const data = newFolder();
    seen.add((await killedStart(data, atChange)).join(' ') || 'nothing');
    const server = await startServer({ data });
    for (const secret of ['merchant-key', 'buyer-secret'])
      expect(readFileSync(path.join(data, secret), 'utf8').trim().length).toBeGreaterThanOrEqual(32);
    const sale = await server.openSale();
    expect((await server.order(sale, 'ann')).status).toBe(201);
    expect((await server.stop('SIGKILL')).signal).toBe('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  }
  console.log(`killed with these files made:\n  ${[...seen].join('\n  ')}`);
  expect(seen.size, 'the kills hit stages that differ').toBeGreaterThan(2);
});
