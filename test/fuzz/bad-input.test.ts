/**
 * Bad input over every route: never a 500, never a refusal that is no problem of the table, never a hang, never a
 * changed book. DOORBUSTER_SEED repeats a run, DOORBUSTER_FUZZ_REQUESTS sets its length (at least 50,000 in `npm test`).
 */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../support/expecting.ts';
import { routeName, routes } from '../support/routes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { badRequest } from './bad-requests.ts';
import { drive } from './drive.ts';
import { Random } from './random.ts';
import { look, makeWorld, runMark, scratchFaults, sightFaults, type World } from './world.ts';

const requestsMin = 50_000;
const total = Number(process.env.DOORBUSTER_FUZZ_REQUESTS ?? 52_000);
const seed = Number(process.env.DOORBUSTER_SEED ?? randomInt(2 ** 31));

let server: TestServer;
let world: World;

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_LOG: 'warn' } });
  world = await makeWorld(server);
});
afterAll(async () => {
  await server.stop();
});

const table = (counts: Map<string, number>): string =>
  [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([name, times]) => `${String(times).padStart(7)}  ${name}`)
    .join('\n');

/** Lines that the server logged as errors: a fault even where the answer was in order. */
const errorLines = (logs: string): string[] =>
  logs.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line) || /unhandled|uncaught/i.test(line));

it(`answers ${total} bad requests by the contract and keeps its books (seed ${seed})`, async () => {
  console.log(`bad input: DOORBUSTER_SEED=${seed}, ${total} requests`);
  const before = await look(server, world);
  const random = new Random(seed);
  const mark = runMark();
  const startedMs = Date.now();
  const tally = await drive(server.url, (index) => badRequest(random, world, mark, index), total, {
    connections: 16,
    depth: 6,
    deadlineMs: 20_000,
  });
  const seconds = (Date.now() - startedMs) / 1000;
  console.log(
    `bad input: ${tally.answered} answered, hung up on ${tally.hungUp.length} (${[...new Set(tally.hungUp)].join(', ')}), ${seconds.toFixed(1)} s\n${table(tally.byCode)}`,
  );

  expect(tally.faults.slice(0, 10).join('\n'), `DOORBUSTER_SEED=${seed}: ${tally.faults.length} faults`).toBe('');
  expect(sightFaults(before, await look(server, world)).join('\n'), `DOORBUSTER_SEED=${seed}`).toBe('');
  expect(await scratchFaults(server, world, tally.ordersMade), `DOORBUSTER_SEED=${seed}`).toEqual([]);
  expect(errorLines(server.logs()).slice(0, 5)).toEqual([]);
  expectOk(await server.request('GET', '/livez'));

  expect(tally.answered + tally.hungUp.length).toBe(total);
  if (process.env.DOORBUSTER_FUZZ_REQUESTS === undefined) expect(tally.answered).toBeGreaterThanOrEqual(requestsMin);
  expect(tally.ordersMade).toBeGreaterThan(0);
  if (total < requestsMin) return;
  for (const route of routes) {
    expect(tally.byRoute.get(routeName(route)) ?? 0, `requests to ${routeName(route)}`).toBeGreaterThan(50);
  }
  for (const code of [
    'invalid',
    'not_found',
    'unauthenticated',
    'forbidden',
    'method_not_allowed',
    'unsupported_media_type',
    'too_large',
  ]) {
    expect(tally.byCode.get(code) ?? 0, `no answer was ${code}`).toBeGreaterThan(50);
  }
}, 600_000);
