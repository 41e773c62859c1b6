/**
 * MySQL and MariaDB through `mysql2`: pools with their bounds, lists and rows written out by the driver's own escaping,
 * bytes as texts, and what an error means. The module is loaded only where a `mysql://` address is set.
 *
 * Every connection gets its bounds when it is made, so that nothing waits for ever and no process that was stopped in
 * the middle of a transaction keeps a sale locked. What only one of the two servers knows is set where it is known.
 */
import mysql from 'mysql2/promise';
import type { Connection, Fault, Pool, Session, SqlParameter } from '../../server/session.ts';

export interface PoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
}

/** How long a request may wait for a connection, or a connection for the server. */
const TAKE_MS = 2000;
const QUEUE_MAX = 10_000;
const LOCK_SECONDS = 2;
const STATEMENT_SECONDS = 5;
const IDLE_IN_TRANSACTION_SECONDS = 3;
/** A little more than the database's own bound: it should speak first. */
const ANSWER_MS = 6000;
/** The server closes a connection that says nothing for this long, also one that was stopped with a sale locked. */
const SILENT_SECONDS = 20;
/** Well before the server does. */
const IDLE_MS = 10_000;

/** The driver escapes by backslash, so that this mode must be ours and not the server's. */
const SETTINGS = [
  "SET SESSION sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY'",
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET SESSION time_zone = '+00:00'",
  `SET SESSION innodb_lock_wait_timeout = ${LOCK_SECONDS}`,
  `SET SESSION wait_timeout = ${SILENT_SECONDS}`,
];
const WHERE_KNOWN = [
  `SET SESSION max_statement_time = ${STATEMENT_SECONDS}`,
  `SET SESSION idle_transaction_timeout = ${IDLE_IN_TRANSACTION_SECONDS}`,
];
const UNKNOWN_VARIABLE = 1193;

type Field = { readonly type: string; string(encoding?: string): string | null };

/** Ids are kept as bytes, so that nothing is folded or padded; here they are texts again. */
const typeCast = (field: Field, next: () => unknown): unknown =>
  field.type === 'VAR_STRING' || field.type === 'STRING' || field.type.endsWith('BLOB') ? field.string('utf8') : next();

export function openPool({ url, connectionsMax }: PoolOptions): Pool {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: connectionsMax,
    maxIdle: connectionsMax,
    idleTimeout: IDLE_MS,
    queueLimit: QUEUE_MAX,
    connectTimeout: TAKE_MS,
    enableKeepAlive: true,
    charset: 'utf8mb4',
    supportBigNumbers: true,
    decimalNumbers: true,
    typeCast: typeCast as never,
  });
  const settled = new WeakSet<object>();
  return {
    take: async () => {
      const connection = await soon(pool.getConnection());
      try {
        const wire = (connection as unknown as { connection: object }).connection;
        if (!settled.has(wire)) {
          await settle(connection);
          settled.add(wire);
        }
      } catch (error) {
        connection.destroy();
        throw error;
      }
      return connectionOf(connection);
    },
    close: () => pool.end(),
  };
}

/** The pool itself would wait for ever; a connection that comes too late goes straight back. */
async function soon(taking: Promise<mysql.PoolConnection>): Promise<mysql.PoolConnection> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      taking.then((connection) => connection.release()).catch(() => {});
      reject(new Error(`no connection to the database within ${TAKE_MS} ms`));
    }, TAKE_MS);
  });
  try {
    return await Promise.race([taking, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function settle(connection: mysql.PoolConnection): Promise<void> {
  connection.on('error', () => {});
  for (const setting of SETTINGS) await connection.query({ sql: setting, timeout: ANSWER_MS });
  for (const setting of WHERE_KNOWN) {
    try {
      await connection.query({ sql: setting, timeout: ANSWER_MS });
    } catch (error) {
      if ((error as { errno?: number }).errno !== UNKNOWN_VARIABLE) throw error;
    }
  }
}

function connectionOf(connection: mysql.PoolConnection): Connection {
  return {
    ...sessionOf(connection),
    release: (broken = false) => (broken ? connection.destroy() : connection.release()),
  };
}

function sessionOf(connection: mysql.PoolConnection): Session {
  const query = async (sql: string, values: readonly SqlParameter[] = []) =>
    (await connection.query({ sql, values: values as unknown[], timeout: ANSWER_MS }))[0];
  return {
    rows: async <Row>(sql: string, values?: readonly SqlParameter[]) => (await query(sql, values)) as Row[],
    run: async (sql, values) => ((await query(sql, values)) as { affectedRows?: number }).affectedRows ?? 0,
  };
}

/** Error numbers (MySQL 8.0 Server Error Message Reference; MariaDB Error Codes). */
const AGAIN = new Set([1205, 1213, 1969, 3024]);
const CONSTRAINT = new Set([1048, 1062, 1264, 1406, 1451, 1452, 3819, 4025]);
/** Shutting down, killed, timed out while idle. */
const LOST = new Set([1053, 1077, 1079, 1152, 1159, 1160, 1161, 1184, 1317, 1927, 4031]);
/** Disk full, read-only after a fail-over, too many connections, out of memory. */
const REFUSED = new Set([1021, 1037, 1038, 1040, 1041, 1114, 1203, 1226, 1290, 1792, 1836]);

export function faultOf(error: unknown): Fault {
  const { errno, code, message } = (error ?? {}) as { errno?: unknown; code?: unknown; message?: unknown };
  if (typeof errno === 'number' && errno >= 1000) {
    if (AGAIN.has(errno)) return 'again';
    if (CONSTRAINT.has(errno)) return 'constraint';
    if (LOST.has(errno)) return 'lost';
    return REFUSED.has(errno) ? 'refused' : 'other';
  }
  if (typeof code === 'string') return 'lost';
  // The driver's own words for a connection that is gone carry no code.
  return typeof message === 'string' && /closed state|connection/i.test(message) ? 'lost' : 'other';
}
