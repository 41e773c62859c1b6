/** What a MySQL or MariaDB server says about itself, for `doctor`. Changes nothing. */
import { type DatabaseFacts, ID_COLUMNS, versionNumbers } from '../../server/facts.ts';
import type { Session } from '../../server/session.ts';
import { openPool } from './driver.ts';
import { MIGRATIONS } from './schema.ts';

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'ALTER', 'INDEX', 'REFERENCES'];

export async function inspect(url: string, wallMs: () => number): Promise<DatabaseFacts> {
  const pool = openPool({ url, connectionsMax: 1 });
  try {
    const connection = await pool.take();
    try {
      return await factsOf(connection, wallMs);
    } finally {
      connection.release(true);
    }
  } finally {
    await pool.close();
  }
}

async function factsOf(session: Session, wallMs: () => number): Promise<DatabaseFacts> {
  const before = wallMs();
  const [clock] = await session.rows<{ nowMs: number; zoneMinutes: number; version: string }>(
    `SELECT CAST(FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000) AS SIGNED) AS "nowMs",
       TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS "zoneMinutes", VERSION() AS "version"`,
  );
  const skewMs = (before + wallMs()) / 2 - Number(clock?.nowMs);
  const variables = await namedValues(session, 'SHOW VARIABLES');
  const status = await namedValues(session, 'SHOW GLOBAL STATUS');
  const version = clock?.version ?? '';
  const isOn = (name: string): boolean => /^(?:on|1|yes)$/i.test(variables.get(name) ?? '');
  const hasLog = isOn('log_bin');
  return {
    product: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL',
    version,
    numbers: versionNumbers(version),
    isolation: (variables.get('transaction_isolation') ?? variables.get('tx_isolation') ?? '')
      .toLowerCase()
      .replace('-', ' '),
    durability: [
      {
        name: 'innodb_flush_log_at_trx_commit',
        value: variables.get('innodb_flush_log_at_trx_commit') ?? '',
        wanted: '1',
      },
      ...(hasLog ? [{ name: 'sync_binlog', value: variables.get('sync_binlog') ?? '', wanted: '1' }] : []),
    ],
    logsStatements: hasLog && variables.get('binlog_format') === 'STATEMENT',
    isMultiWriter: isOn('wsrep_on') && (variables.get('wsrep_provider') ?? 'none') !== 'none',
    isReadOnly: isOn('read_only') || isOn('super_read_only'),
    followers: Number(status.get('Slaves_connected') ?? status.get('Replicas_connected') ?? 0),
    waitsForFollower: isOn('rpl_semi_sync_master_enabled') || isOn('rpl_semi_sync_source_enabled'),
    zoneOffsetMinutes: Number(clock?.zoneMinutes ?? 0),
    skewMs,
    missingRights: await missingRights(session),
    connections: { max: Number(variables.get('max_connections')), used: Number(status.get('Threads_connected')) - 1 },
    encoding: variables.get('character_set_connection') ?? '',
    looseColumns: await looseColumns(session),
    schemaVersion: await schemaVersion(session),
    knownVersion: MIGRATIONS.length,
  };
}

async function namedValues(session: Session, sql: string): Promise<Map<string, string>> {
  const rows = await session.rows<{ Variable_name: string; Value: string }>(sql);
  return new Map(rows.map((row) => [row.Variable_name, String(row.Value)]));
}

/** By what the server says that it granted to us. */
async function missingRights(session: Session): Promise<string[]> {
  const rows = await session.rows<Record<string, string>>('SHOW GRANTS');
  const all = rows
    .map((row) => Object.values(row).join(' '))
    .join('\n')
    .toUpperCase();
  return all.includes('ALL PRIVILEGES') ? [] : RIGHTS.filter((right) => !new RegExp(`\\b${right}\\b`).test(all));
}

async function looseColumns(session: Session): Promise<string[]> {
  const rows = await session.rows<{ name: string }>(
    `SELECT CONCAT(table_name, '.', column_name) AS "name" FROM information_schema.columns
     WHERE table_schema = DATABASE() AND data_type <> 'varbinary'`,
  );
  return rows.map(({ name }) => name).filter((name) => ID_COLUMNS.includes(name));
}

async function schemaVersion(session: Session): Promise<number> {
  const [there] = await session.rows<{ tables: number }>(
    `SELECT count(*) AS "tables" FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'migrations'`,
  );
  if (Number(there?.tables) === 0) return 0;
  const [row] = await session.rows<{ version: number | null }>(
    'SELECT max(number) AS "version" FROM migrations WHERE is_done = 1',
  );
  return row?.version ?? 0;
}
