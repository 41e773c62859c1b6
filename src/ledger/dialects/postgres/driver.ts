/**
 * PostgreSQL through `pg`: pools with their bounds, statements with `?` made to `$n`, numbers as numbers, and what an
 * error means. The module is loaded only where a `postgres://` address is set.
 *
 * Every connection gets its bounds when it is made, so that nothing waits for ever and no process that was stopped in
 * the middle of a transaction keeps a sale locked: statement, lock and idle-in-transaction time-outs.
 */
import pg from 'pg';
import type { Connection, Fault, Pool, Session, SqlParameter } from '../../server/session.ts';

export interface PoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** Where plans must use their keys whatever the statistics say: the connections of batches. */
  readonly forceKeys: boolean;
}

/** How long a request may wait for a connection, or a connection for the server. */
const TAKE_MS = 2000;
/** The database's own bounds; a batch takes some 10 ms. */
const STATEMENT_MS = 5000;
const LOCK_MS = 2000;
const IDLE_IN_TRANSACTION_MS = 3000;
/** A little more than the database's bound: it should speak first. */
const ANSWER_MS = 6000;
const IDLE_MS = 30_000;

/** bigint and numeric: all our numbers are below 2^53 (bounds of API.md). */
const INT8 = 20;
const NUMERIC = 1700;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

const SETTINGS = `SET statement_timeout = ${STATEMENT_MS}; SET lock_timeout = ${LOCK_MS};
  SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; SET default_transaction_isolation = 'read committed';
  SET synchronous_commit = on; SET TIME ZONE 'UTC'; SET standard_conforming_strings = on; SET client_encoding = 'UTF8'`;
/** No statistics in the opening minute, and none needed: every hot statement has an index to go by. */
const FORCE_KEYS = '; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off';

export function openPool({ url, connectionsMax, forceKeys }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: TAKE_MS,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'doorbuster',
    types,
  });
  // An idle connection that dies is replaced at the next take; without a listener it would end the process.
  pool.on('error', () => {});
  // From its first instant: the greeting of a server that is dying may bring the end along, and the pool takes its own
  // listener away before the one who waits for the connection has it.
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  const settled = new WeakSet<pg.PoolClient>();
  return {
    take: async () => {
      const client = await pool.connect();
      try {
        if (!settled.has(client)) {
          await client.query(forceKeys ? SETTINGS + FORCE_KEYS : SETTINGS);
          settled.add(client);
        }
      } catch (error) {
        client.release(true);
        throw error;
      }
      return connectionOf(client);
    },
    close: () => pool.end(),
  };
}

function connectionOf(client: pg.PoolClient): Connection {
  return { ...sessionOf(client), release: (broken = false) => client.release(broken) };
}

function sessionOf(client: pg.PoolClient): Session {
  const query = (sql: string, values: readonly SqlParameter[] = []) =>
    client.query({ text: numbered(sql), values: values as unknown[] });
  return {
    rows: async <Row>(sql: string, values?: readonly SqlParameter[]) => (await query(sql, values)).rows as Row[],
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
  };
}

const texts = new Map<string, string>();

/** `?` as `$1`, `$2`, ...; our statements have no question mark in a text. */
function numbered(sql: string): string {
  const known = texts.get(sql);
  if (known !== undefined) return known;
  let at = 0;
  const made = sql.replace(/\?/g, () => `$${++at}`);
  if (texts.size < TEXTS_MAX) texts.set(sql, made);
  return made;
}

const TEXTS_MAX = 500;

/** SQLSTATE classes and codes (PostgreSQL manual, appendix A). */
const AGAIN = new Set(['40001', '40P01', '55P03', '57014']);
const LOST = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  '08007',
]);
/** Read-only after a fail-over, disk full, too many connections, out of memory. */
const REFUSED = new Set(['25006', '53000', '53100', '53200', '53300', '53400']);

export function faultOf(error: unknown): Fault {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) {
    if (AGAIN.has(code)) return 'again';
    if (LOST.has(code)) return 'lost';
    if (REFUSED.has(code)) return 'refused';
    return code.startsWith('23') ? 'constraint' : 'other';
  }
  // What has no SQLSTATE did not come from the database: the connection broke, or the answer was not awaited longer.
  const isOurs = error instanceof TypeError || error instanceof RangeError || typeof message !== 'string';
  return isOurs ? 'other' : 'lost';
}
