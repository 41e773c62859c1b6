/**
 * The doctor on a database: healthy, every check is good; and for each check there is a broken server, broken for real
 * where a test can break one, else by what it says about itself, that turns exactly that check red.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_CHECKS } from '../../src/app/doctor/database-checks.ts';
import { examine, type Finding } from '../../src/app/doctor/examine.ts';
import { type Installation, realInstallation } from '../../src/app/doctor/installation.ts';
import type { DatabaseFacts } from '../../src/ledger/server/facts.ts';
import { runCommand } from '../support/command.ts';
import { type DatabaseKind, TestDatabase } from '../support/database.ts';

const secrets = {
  DOORBUSTER_MERCHANT_KEY: randomBytes(24).toString('base64url'),
  DOORBUSTER_BUYER_SECRET: randomBytes(24).toString('base64url'),
};
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installation = (url: string, environment: Record<string, string> = {}): Installation =>
  realInstallation({ flags: { database: url, port: '0' }, environment: { ...secrets, ...environment }, folder });

const notGood = (findings: readonly Finding[]): string[] =>
  findings.filter(({ state }) => state !== 'good').map(({ check, state }) => `${check}: ${state}`);

describe.each<DatabaseKind>(['postgres', 'mariadb'])('%s', (kind) => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await TestDatabase.start(kind);
  });
  afterAll(() => server.close());

  const migrated = async (): Promise<string> => {
    const url = server.create();
    expect((await runCommand(['migrate', '--database', url], { cwd: folder })).code).toBe(0);
    return url;
  };
  const facts = (url: string): Promise<DatabaseFacts> => {
    const { settings, inspectDatabase } = installation(url);
    if (settings instanceof Error || settings.database === null) throw new Error('the settings name no database');
    return inspectDatabase(settings.database);
  };

  it('is all green, before the first start and after it', async () => {
    expect(notGood(await examine(installation(server.create())))).toEqual([]);
    const url = await migrated();
    const run = await runCommand(['doctor', '--port', '0', '--database', url], { cwd: folder, env: secrets });
    expect({ code: run.code, red: /BAD|✗/.test(run.stdout) }).toEqual({ code: 0, red: false });
    expect(run.stdout + run.stderr).not.toContain(new URL(url).password);
  });

  it('tells one red thing of a server that cannot be reached, and never the password', async () => {
    const url = new URL(await migrated());
    url.port = '1';
    const findings = await examine(installation(url.href));
    expect(notGood(findings).filter((each) => each.endsWith('bad'))).toEqual(['database: bad']);
    expect(JSON.stringify(findings)).not.toContain(url.password);
  });

  it('turns the connections red where one process would take more than there are', async () => {
    const findings = await examine(installation(server.create(), { DOORBUSTER_DATABASE_CONNECTIONS: '1000' }));
    expect(notGood(findings)).toEqual(['connections: bad']);
  });

  it('turns the collations red where somebody changed the id of a buyer', async () => {
    const url = await migrated();
    const loosen =
      kind === 'postgres'
        ? 'ALTER TABLE orders ALTER COLUMN buyer_id TYPE text COLLATE "default"'
        : 'ALTER TABLE orders MODIFY buyer_id VARCHAR(128) CHARACTER SET utf8mb4 NOT NULL';
    server.ask(loosen, url);
    expect(notGood(await examine(installation(url)))).toEqual(['collations: bad']);
  });

  it('turns the schema red where a newer program has been', async () => {
    const url = await migrated();
    const values = "(99, 'from the future', 1, 1, 1, 0)";
    server.ask(`INSERT INTO migrations VALUES ${values}`, url);
    expect(notGood(await examine(installation(url)))).toEqual(['database schema: bad']);
  });

  it('turns the durability red where a commit need not be on the disk', async () => {
    const url = await migrated();
    const [off, on] =
      kind === 'postgres'
        ? ['ALTER SYSTEM SET full_page_writes = off', 'ALTER SYSTEM RESET full_page_writes']
        : ['SET GLOBAL innodb_flush_log_at_trx_commit = 2', 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'];
    const set = async (sql: string) => {
      server.ask(sql);
      if (kind !== 'postgres') return;
      server.ask('SELECT pg_reload_conf()');
      const wanted = sql.endsWith('off') ? 'off' : 'on';
      await expect.poll(async () => (await facts(url)).durability[1]?.value).toBe(wanted);
    };
    await set(off);
    expect(notGood(await examine(installation(url)))).toEqual(['durability: bad']);
    await set(on);
  });

  it('turns the rights red where the account may not make tables', async () => {
    const url = new URL(server.create());
    const name = url.pathname.slice(1);
    if (kind === 'postgres') {
      server.ask('CREATE ROLE reader LOGIN');
      server.ask('REVOKE CREATE ON SCHEMA public FROM PUBLIC', url.href);
    } else
      server.ask(
        `CREATE USER 'reader'@'127.0.0.1' IDENTIFIED BY '${url.password}'; GRANT SELECT ON ${name}.* TO 'reader'@'127.0.0.1'`,
      );
    url.username = 'reader';
    expect(notGood(await examine(installation(url.href)))).toEqual(['rights: bad']);
  });

  it('refuses a server that takes no writes, by name', async () => {
    const url = await migrated();
    const name = new URL(url).pathname.slice(1);
    if (kind === 'postgres') server.ask(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    else server.ask('SET GLOBAL read_only = 1');
    expect(notGood(await examine(installation(url)))).toEqual(['database: bad']);
    if (kind !== 'postgres') server.ask('SET GLOBAL read_only = 0');
  });

  /** What no test can break for real on one machine, broken in what the server says about itself. */
  const told: readonly (readonly [check: string, state: string, change: Partial<DatabaseFacts>])[] = [
    ['database', 'bad', { numbers: [kind === 'postgres' ? 12 : 10, 5, 99] }],
    ['database', 'bad', { isMultiWriter: true }],
    ['isolation', 'bad', { isolation: 'repeatable read' }],
    ['isolation', 'bad', { logsStatements: true }],
    ['fail-over', 'doubtful', { followers: 2, waitsForFollower: false }],
    ['fail-over', 'doubtful', { followers: null }],
    ['time zone', 'bad', { zoneOffsetMinutes: 120 }],
    ['clock skew', 'bad', { skewMs: 201 }],
    ['clock skew', 'bad', { skewMs: -61_000 }],
    ['rights', 'bad', { missingRights: ['CREATE'] }],
    ['connections', 'bad', { connections: { max: 7, used: 0 } }],
    ['connections', 'doubtful', { connections: { max: 10, used: 5 } }],
    ['collations', 'bad', { encoding: 'LATIN1' }],
  ];
  it.each(told)('%s is %s for %j', async (check, state, change) => {
    const url = server.create();
    const broken = { ...(await facts(url)), ...change };
    const findings = await examine({ ...installation(url), inspectDatabase: async () => broken });
    expect(notGood(findings)).toEqual([`${check}: ${state}`]);
  });
});

it('has a broken server for every check', () => {
  const shown = [
    'database',
    'isolation',
    'durability',
    'fail-over',
    'time zone',
    'clock skew',
    'rights',
    'connections',
  ];
  expect(Object.keys(DATABASE_CHECKS)).toEqual([...shown, 'collations', 'database schema']);
});
