/**
 * Starts on a database (I8): five at once on an empty one end in one migration, one that died in the middle is finished
 * by the next, a newer schema is refused with the way out; what is set up wrong is refused with the reason, and no
 * password is ever told.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '../support/database.ts';
import { cliPath, type FailedStart, newFolder, TestServer, tryStart } from '../support/server.ts';
import { onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, onDatabase, sharedSecrets, startOn, stopAll } from './support/shop.ts';
import { StatementProxy } from './support/statement-proxy.ts';

const PASSWORD = 'test-only-word';

endServersAtTheEnd();

async function refusedStart(
  args: readonly string[],
  env: Record<string, string> = sharedSecrets,
): Promise<FailedStart> {
  const data = newFolder();
  const start = await tryStart({ data, args, env });
  rmSync(data, { recursive: true, force: true });
  if (!(start instanceof TestServer)) return start;
  await start.stop('SIGKILL');
  throw new Error('it started');
}

const saidBy = ({ stderr, stdout }: FailedStart): string => stderr + stdout;

it('several processes on SQLite are refused, with the reason', async () => {
  const refused = await refusedStart(['--processes', '2']);
  expect(refused.exit.code).toBe(2);
  expect(saidBy(refused)).toMatch(/processes.*(SQLite|one process|data folder)/is);
});

it.each(['DOORBUSTER_MERCHANT_KEY', 'DOORBUSTER_BUYER_SECRET'])(
  'a database without %s is refused by its name',
  async (name) => {
    const { [name]: _left, ...env } = sharedSecrets;
    for (const url of ['postgres://shop@127.0.0.1:1/shop', 'mysql://shop@127.0.0.1:1/shop']) {
      const refused = await refusedStart(['--database', url], env as Record<string, string>);
      expect(refused.exit.code).toBe(2);
      expect(saidBy(refused)).toContain(name);
    }
  },
);

it.each(['redis://shop@127.0.0.1/shop', 'postgres', 'http://127.0.0.1/shop', 'sqlite:shop.db'])(
  'the address %s is refused, with one that would do',
  async (url) => {
    const refused = await refusedStart(['--database', url]);
    expect(refused.exit.code).toBe(2);
    expect(saidBy(refused)).toContain('postgres://');
  },
);

it.each(['postgres', 'mysql'])(
  'a %s that is not there: exit 1 with its address, without the password',
  async (scheme) => {
    const port = await freePort();
    for (const processes of ['1', '4']) {
      const url = `${scheme}://shop:${PASSWORD}@127.0.0.1:${port}/shop`;
      const refused = await refusedStart(['--database', url, '--processes', processes]);
      expect(refused.exit.code).toBe(1);
      expect(saidBy(refused)).toContain(`127.0.0.1:${port}`);
      expect(saidBy(refused)).not.toContain(PASSWORD);
    }
  },
);

const STARTS = 5;

onEachDatabase((kind, database) => {
  it(`H087 ${STARTS} processes at once on an empty database: one migration, one set of keys, all come up`, async () => {
    const db = await database();
    const url = db.create();
    const servers = await Promise.all(Array.from({ length: STARTS }, () => startOn(url)));
    const migrated = servers.filter((server) => server.logs().includes('the ledger was brought up to date'));
    expect(migrated).toHaveLength(1);
    expect(db.ask('SELECT count(*) FROM migrations', url).trim()).toBe('1');
    const ready = await Promise.all(servers.map(async (server) => (await server.request('GET', '/readyz')).status));
    expect(ready).toEqual(servers.map(() => 200));
    const keys = await Promise.all(
      servers.map(async (server) => (await server.request('GET', '/.well-known/jwks.json')).text),
    );
    expect(new Set(keys).size).toBe(1);
    for (const server of servers) expect(server.logs()).not.toContain(PASSWORD);
    await stopAll(servers);
  });

  it('a start that died in the middle is finished by the next', async () => {
    const db = await database();
    const url = db.create();
    const proxy = await StatementProxy.to(kind, db.port);
    // Three times: at the first table, in the middle, and at the note that a statement is done.
    const cuts = [/^CREATE TABLE IF NOT EXISTS items/, /^CREATE TABLE IF NOT EXISTS payments/, /SET is_done = 1/];
    for (const cut of cuts) {
      proxy.befall({ kind: 'cut-after', times: 1, match: (statement) => cut.test(statement) });
      const refused = await refusedStart(['--database', proxy.through(url)]);
      expect(refused.exit.code).toBe(1);
      proxy.heal();
    }
    expect(proxy.befallen).toBe(cuts.length);
    const server = await startOn(url);
    const sale = await server.openSale();
    expect((await server.order(sale, 'anna')).status).toBe(201);
    expect(db.ask('SELECT number, is_done FROM migrations', url).trim().split(/\s|\|/)).toEqual(['1', '1']);
    await stopAll([server]);
    await proxy.close();
  });

  it('a newer schema that is marked breaking is refused with the way out; a mild one is not', async () => {
    const db = await database();
    const url = db.create();
    await stopAll([await startOn(url)]);
    const insert = (number: number, breaking: number): void =>
      void db.ask(`INSERT INTO migrations VALUES (${number}, 'of tomorrow', ${breaking}, 1, 1, 0)`, url);
    insert(2, 0);
    await stopAll([await startOn(url)]);
    insert(3, 1);
    const { args, env } = onDatabase(url);
    const refused = await refusedStart(args ?? [], env);
    expect(refused.exit.code).toBe(2);
    expect(saidBy(refused)).toMatch(/schema version 3.*run the newer doorbuster/);
  });

  it('`migrate` brings a database up before the server is started, and says so', async () => {
    const url = (await database()).create();
    const env = { PATH: process.env.PATH ?? '', DOORBUSTER_DATABASE_URL: url };
    const migrate = async () =>
      (await promisify(execFile)(process.execPath, [cliPath, 'migrate', '--json'], { env, cwd: newFolder() })).stdout;
    expect(JSON.parse(await migrate())).toMatchObject({ from: 0, to: 1 });
    const again = await migrate();
    expect(JSON.parse(again)).toMatchObject({ from: 1, to: 1 });
    expect(again).not.toContain(PASSWORD);
  });

  it('an account that may not, a password that is wrong: exit 1, and neither is told', async () => {
    const url = new URL((await database()).create());
    // PostgreSQL trusts everybody on this machine here, so that there it is the database which is not there.
    if (kind === 'postgres') url.pathname = '/not_there';
    else url.password = 'another-word';
    const refused = await refusedStart(['--database', url.href]);
    expect(refused.exit.code).toBe(1);
    expect(saidBy(refused)).toContain(url.host);
    expect(saidBy(refused)).not.toMatch(/test-only-word|another-word/);
  });
});
