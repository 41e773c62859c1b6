/** What a PostgreSQL server says about itself, for `doctor`. Changes nothing. */
import { type DatabaseFacts, ID_COLUMNS, versionNumbers } from '../../server/facts.ts';
import { openPool } from './driver.ts';
import { MIGRATIONS } from './schema.ts';

interface Row {
  readonly version: string;
  readonly isolation: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
  readonly standbys: string;
  readonly isReadOnly: boolean;
  readonly followers: number;
  readonly zoneSeconds: number;
  readonly nowMs: number;
  readonly mayCreate: boolean;
  readonly max: number;
  readonly reserved: number;
  readonly used: number;
  readonly encoding: string;
}

export async function inspect(url: string, wallMs: () => number): Promise<DatabaseFacts> {
  const pool = openPool({ url, connectionsMax: 1, forceKeys: true });
  try {
    const connection = await pool.take();
    try {
      const before = wallMs();
      const [row] = await connection.rows<Row>(`SELECT current_setting('server_version') AS "version",
        current_setting('transaction_isolation') AS "isolation", current_setting('fsync') AS "fsync",
        current_setting('synchronous_commit') AS "synchronousCommit",
        current_setting('full_page_writes') AS "fullPageWrites",
        current_setting('synchronous_standby_names') AS "standbys",
        (pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on') AS "isReadOnly",
        (SELECT count(*) FROM pg_stat_replication) AS "followers",
        extract(timezone from now())::integer AS "zoneSeconds",
        floor(extract(epoch from clock_timestamp()) * 1000)::bigint AS "nowMs",
        has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
        current_setting('max_connections')::integer AS "max",
        current_setting('superuser_reserved_connections')::integer AS "reserved",
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') - 1 AS "used",
        current_setting('server_encoding') AS "encoding"`);
      if (row === undefined) throw new Error('the server said nothing');
      const skewMs = (before + wallMs()) / 2 - row.nowMs;
      const loose = await connection.rows<{ name: string }>(
        `SELECT table_name || '.' || column_name AS "name" FROM information_schema.columns
         WHERE table_schema = current_schema() AND coalesce(collation_name, '') <> 'C'`,
      );
      const [known] = await connection.rows<{ there: boolean }>(
        `SELECT to_regclass('migrations') IS NOT NULL AS "there"`,
      );
      const [schema] =
        known?.there === true
          ? await connection.rows<{ version: number | null }>(
              'SELECT max(number) AS "version" FROM migrations WHERE is_done = 1',
            )
          : [];
      return {
        product: 'PostgreSQL',
        version: row.version,
        numbers: versionNumbers(row.version),
        isolation: row.isolation,
        durability: [
          { name: 'fsync', value: row.fsync, wanted: 'on' },
          { name: 'full_page_writes', value: row.fullPageWrites, wanted: 'on' },
          { name: 'synchronous_commit', value: row.synchronousCommit, wanted: 'on' },
        ],
        logsStatements: false,
        isMultiWriter: false,
        isReadOnly: row.isReadOnly,
        followers: row.followers,
        waitsForFollower: row.standbys !== '',
        zoneOffsetMinutes: row.zoneSeconds / 60,
        skewMs,
        missingRights: row.mayCreate ? [] : ['CREATE on the schema'],
        connections: { max: row.max - row.reserved, used: row.used },
        encoding: row.encoding,
        looseColumns: loose.map(({ name }) => name).filter((name) => ID_COLUMNS.includes(name)),
        schemaVersion: schema?.version ?? 0,
        knownVersion: MIGRATIONS.length,
      };
    } finally {
      connection.release(true);
    }
  } finally {
    await pool.close();
  }
}
