/**
 * SIGKILL while a server starts for the first time, at many instants: whatever is half made by then
 * (secrets, an empty ledger, half a migration) must neither stop the next start nor weaken it.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cliPath, newFolder, startServer } from './served.ts';
import { runSeed, seededRandom } from './until.ts';

const rounds = 12;
const seed = runSeed();

/** Starts and kills; hands back what lay in the folder then. */
async function killedStart(data: string, afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [cliPath, 'serve', '--port', '0', '--data', data], {
    cwd: data,
    env: { PATH: process.env.PATH ?? '' },
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.on('close', resolve));
  await delay(afterMs);
  child.kill('SIGKILL');
  await exited;
  return readdirSync(data).sort();
}

test(`killed ${rounds} times during the first start (CRASH_SEED=${seed}): the next start works`, {
  timeout: 90_000,
}, async () => {
  const random = seededRandom(seed);
  // How long a start takes here and now: the kills are spread over that, and a little past it.
  const fromMs = performance.now();
  const measured = await startServer();
  const startMs = performance.now() - fromMs;
  await measured.stop();

  const seen = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const data = newFolder();
    // The first half of a start is Node reading the program: nothing is made yet.
    const afterMs = startMs * (0.4 + (0.7 * (round + random())) / rounds);
    seen.add((await killedStart(data, afterMs)).join(' ') || 'nothing');
    const server = await startServer({ data });
    expect(server.merchantKey.length).toBeGreaterThanOrEqual(32);
    expect(server.buyerSecret.length).toBeGreaterThanOrEqual(32);
    for (const secret of ['merchant-key', 'buyer-secret'])
      expect(readFileSync(path.join(data, secret), 'utf8').trim().length).toBeGreaterThanOrEqual(32);
    const sale = await server.openSale();
    expect((await server.order(sale, 'ann')).status).toBe(201);
    expect((await server.stop()).code).toBe(0);
    rmSync(data, { recursive: true, force: true });
  }
  console.log(`a start takes ${Math.round(startMs)} ms; killed with these files made: ${[...seen].join(' | ')}`);
});
