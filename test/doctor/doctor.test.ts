/**
 * The doctor: a healthy installation is all green, and for each of its checks there is a broken one that turns that
 * check red. A check that nothing can turn red would be decoration; the table is held against the list of checks.
 */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHECKS, examine, type Finding } from '../../src/app/doctor/examine.ts';
import { type Installation, realInstallation } from '../../src/app/doctor/installation.ts';
import { openDatabase } from '../../src/ledger/dialects/sqlite/driver.ts';
import { runCommand } from '../support/command.ts';
import { newFolder, startServer } from '../support/server.ts';

/** A folder that a server has served and stopped in; each test works on a copy. */
let served: string;
let data: string;
/** A working directory that has nothing to do with it. */
let elsewhere: string;
let undo: (() => void | Promise<void>)[];

beforeAll(async () => {
  served = newFolder();
  const server = await startServer({ data: served });
  await server.openSale();
  expect((await server.stop()).code).toBe(0);
});
afterAll(() => rmSync(served, { recursive: true, force: true }));

beforeEach(() => {
  undo = [];
  data = newFolder();
  cpSync(served, data, { recursive: true });
  elsewhere = newFolder();
});

afterEach(async () => {
  for (const step of undo) await step();
  for (const folder of [data, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const installation = (flags: Record<string, string> = {}, environment: Record<string, string> = {}): Installation =>
  realInstallation({ flags: { data, port: '0', ...flags }, environment, folder: elsewhere });

const inData = (name: string): string => path.join(data, name);

function changeLedger(sql: string): void {
  const db = openDatabase(inData('doorbuster.db'));
  db.exec(sql);
  db.close();
}

async function stranger(): Promise<number> {
  const server = createServer((socket) => socket.resume().end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as { port: number }).port;
}

type Break = () => Installation | Promise<Installation>;

/** How each check is broken, and what its line then says. */
const broken: readonly [check: keyof typeof CHECKS, how: string, says: RegExp, Break][] = [
  ['node', 'an old one', /too old/, () => ({ ...installation(), nodeVersion: 'v20.18.3' })],
  ['node', 'a very old one', /too old/, () => ({ ...installation(), nodeVersion: 'v18.99.0' })],
  ['settings', 'a wrong one', /--port is "http"/, () => installation({ port: 'http' })],
  ['settings', 'a weak secret', /DOORBUSTER_MERCHANT_KEY/, () => installation({}, { DOORBUSTER_MERCHANT_KEY: 'me' })],
  [
    'settings',
    'a config file that is no JSON',
    /no valid JSON/,
    () => {
      writeFileSync(path.join(elsewhere, 'doorbuster.config.json'), '{');
      return installation();
    },
  ],
  [
    'data folder',
    'a file in its place',
    /is no folder/,
    () => {
      rmSync(data, { recursive: true });
      writeFileSync(data, '');
      return installation();
    },
  ],
  [
    'data folder',
    'open for writing to others',
    /others may write/,
    () => {
      chmodSync(data, 0o777);
      return installation();
    },
  ],
  [
    'data folder',
    'where none can be made',
    /cannot be made: .*takes no new folder/,
    // The kernel makes no folders there, whatever the permissions say; elsewhere a file stands in the way.
    () =>
      installation({ data: existsSync('/proc/self') ? '/proc/self/nope' : path.join(inData('merchant-key'), 'nope') }),
  ],
  [
    'secrets',
    'readable for others',
    /others on this machine may read this secret: .*merchant-key.*chmod 600/,
    () => {
      chmodSync(inData('merchant-key'), 0o644);
      return installation();
    },
  ],
  [
    'secrets',
    'blank',
    /buyer-secret.*blank/,
    () => {
      writeFileSync(inData('buyer-secret'), ' \n');
      return installation();
    },
  ],
  [
    'secrets',
    'a known example',
    /merchant-key.*known example|short text repeated/,
    () => {
      writeFileSync(inData('merchant-key'), 'changemechangemechangemechangeme');
      return installation();
    },
  ],
  ['disk space', 'full', /0 MiB free/, () => ({ ...installation(), freeBytes: () => Promise.resolve(4096) })],
  [
    'fsync',
    'it fails',
    /failed.*EIO/,
    () => ({
      ...installation(),
      timeFsyncs: () => {
        throw new Error('EIO: i/o error, fsync');
      },
    }),
  ],
  ['fsync', 'it crawls', /too slow/, () => ({ ...installation(), timeFsyncs: () => [400, 500, 600] })],
  [
    'ledger',
    'cut in the middle',
    /is cut.*backup/,
    () => {
      truncateSync(inData('doorbuster.db'), Math.floor(statSync(inData('doorbuster.db')).size / 2));
      return installation();
    },
  ],
  [
    'ledger',
    'emptied',
    /is empty.*backup/,
    () => {
      truncateSync(inData('doorbuster.db'), 0);
      return installation();
    },
  ],
  [
    'ledger',
    'gone',
    /is missing.*backup/,
    () => {
      rmSync(inData('doorbuster.db'));
      return installation();
    },
  ],
  [
    'ledger',
    'something else under its name',
    /not a whole ledger file.*backup/,
    () => {
      writeFileSync(inData('doorbuster.db'), 'something else\n'.repeat(1000));
      return installation();
    },
  ],
  [
    'schema',
    'made by a newer program',
    /newer doorbuster/,
    () => {
      changeLedger("INSERT INTO migrations VALUES (9000, 'of the future', 1, 0)");
      return installation();
    },
  ],
  [
    'clock',
    'an hour back',
    /before the last commit/,
    () => ({ ...installation(), wallMs: () => Date.now() - 3_600_000 }),
  ],
  ['clock', 'never set', /set it/, () => ({ ...installation(), wallMs: () => 86_400_000 })],
  ['port', 'taken by another program', /another program/, async () => installation({ port: String(await stranger()) })],
  ['port', 'of another machine', /nothing can listen/, () => installation({ host: '192.0.2.1', port: '18080' })],
];

const stateOf = (findings: readonly Finding[], check: string) => findings.find((finding) => finding.check === check);

describe('a healthy installation', () => {
  test('stopped: all green', async () => {
    for (const finding of await examine(installation())) expect(finding).toMatchObject({ state: 'good' });
  });

  test('while it is being served: all green, and the server is left alone', async () => {
    const server = await startServer({ data });
    const port = new URL(server.url).port;
    for (const finding of await examine(installation({ port }))) expect(finding).toMatchObject({ state: 'good' });
    expect((await server.request('GET', '/livez')).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });

  test('not there yet: nothing is red', async () => {
    const findings = await examine(installation({ data: inData('not-yet') }));
    expect(findings.filter(({ state }) => state === 'bad' || state === 'doubtful')).toEqual([]);
  });

  test('crashed: all green, the log is replayed at the next start', async () => {
    const server = await startServer({ data });
    const sale = await server.openSale();
    expect((await server.order(sale, 'ann')).status).toBe(201);
    await server.kill();
    for (const finding of await examine(installation())) expect(finding).toMatchObject({ state: 'good' });
  });
});

describe('broken, it turns red', () => {
  test('every check has a broken installation here', () => {
    expect([...new Set(broken.map(([check]) => check))]).toEqual(Object.keys(CHECKS));
  });

  test.each(broken)('%s: %s', async (check, _how, says, breakIt) => {
    const found = stateOf(await examine(await breakIt()), check);
    expect(found).toMatchObject({ state: 'bad' });
    expect(`${found?.says}: ${found?.todo}`).toMatch(says);
    expect(found?.says).not.toContain('\n');
    expect(found?.todo).toMatch(/^[a-z]/);
  });
});

describe('doubtful, it says so', () => {
  test.each<[check: string, says: RegExp, Break]>([
    ['settings', /name no setting: DOORBUSTER_PROT/, () => installation({}, { DOORBUSTER_PROT: '1' })],
    ['disk space', /500 MiB free/, () => ({ ...installation(), freeBytes: () => Promise.resolve(500 * 2 ** 20) })],
    ['fsync', /RAM disk/, () => ({ ...installation(), timeFsyncs: () => [0.001, 0.002] })],
    [
      'data folder',
      /others may look/,
      () => {
        chmodSync(data, 0o755);
        return installation();
      },
    ],
  ])('%s', async (check, says, make) => {
    const found = stateOf(await examine(await make()), check);
    expect(found).toMatchObject({ state: 'doubtful', todo: expect.stringMatching(/^[a-z]/) });
    expect(found?.says).toMatch(says);
  });
});

describe('as a command', () => {
  const args = (): string[] => ['doctor', '--data', data, '--port', '0'];

  test('a line for each check and exit 0; what to do under one that is not good, and exit 1; JSON for machines', async () => {
    const healthy = await runCommand(args(), { cwd: elsewhere });
    expect(healthy).toMatchObject({ code: 0, stderr: '' });
    const lines = healthy.stdout.trim().split('\n');
    expect(lines.slice(0, -2).map((line) => line.slice(0, 2))).toEqual(Object.keys(CHECKS).map(() => '✓ '));
    expect(lines.at(-1)).toBe('All is well.');

    appendFileSync(inData('merchant-key'), 'with a blank');
    const ill = await runCommand(args(), { cwd: elsewhere });
    expect(ill.code).toBe(1);
    expect(ill.stdout).toMatch(/^✗ secrets {2,}.*merchant-key.*\n {2,}→ .*keys rotate/m);
    expect(ill.stdout).toContain('1 of 10 would keep it from selling.');
    const json = await runCommand([...args(), '--json'], { cwd: elsewhere });
    expect(json.code).toBe(1);
    const report = JSON.parse(json.stdout);
    expect(report.ok).toBe(false);
    expect(report.findings.map(({ check }: Finding) => check)).toEqual(Object.keys(CHECKS));
  });

  test('where the locale is not UTF-8, in ASCII alone, aligned all the same', async () => {
    chmodSync(data, 0o755);
    const { code, stdout } = await runCommand(args(), { cwd: elsewhere, env: { LANG: 'C' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\n -~]*$/);
    expect(stdout).toMatch(/^!! data folder {2}others may look.*\n {16}-> chmod 700 it$/m);
    expect(stdout).toMatch(/^ok node {9}Node/m);
  });

  test('looking leaves nothing behind', async () => {
    // The first look opens the ledger's log, as every reader of it does.
    await examine(installation());
    const before = readdirSync(data);
    await examine(installation());
    await examine(installation({ data: inData('not-yet') }));
    expect(readdirSync(data)).toEqual(before);
  });
});
