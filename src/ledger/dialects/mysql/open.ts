/** Opens a ledger on MySQL (8.0.16 and newer) or MariaDB (10.6 and newer). Used by `app` alone. */
import { OperatingError } from '../../../kit/errors.ts';
import { openServerLedger, type ServerLedger, type ServerLedgerParts } from '../../server/open.ts';
import { mysqlDialect } from './dialect.ts';
import { openPool } from './driver.ts';
import { MIGRATIONS } from './schema.ts';

export interface OpenOptions {
  readonly url: string;
  /** Of this process, for batches and reads together; at least 2. */
  readonly connectionsMax: number;
  readonly onBroken: (message: string, actKind: string) => void;
}

/** Named locks are the server's, not the database's; a name has at most 64 characters. */
const SCHEMA_LOCK = "LEFT(CONCAT('doorbuster.', DATABASE()), 64)";
const LOCK_SECONDS = 5;
const LOCK_TRIES = 12;

export function partsOf({ url, connectionsMax, onBroken }: OpenOptions): ServerLedgerParts {
  const forReads = Math.floor(connectionsMax / 2);
  return {
    dialect: mysqlDialect,
    migrations: MIGRATIONS,
    pools: {
      write: openPool({ url, connectionsMax: connectionsMax - forReads }),
      read: openPool({ url, connectionsMax: forReads }),
    },
    lockSchema: async (connection) => {
      for (let tries = 0; tries < LOCK_TRIES; tries++) {
        const sql = `SELECT GET_LOCK(${SCHEMA_LOCK}, ${LOCK_SECONDS - 1}) AS "isOurs"`;
        const [row] = await connection.rows<{ isOurs: number | null }>(sql);
        if (Number(row?.isOurs) === 1) return;
      }
      throw new OperatingError('unavailable', 'Another process is changing the schema, for longer than a minute.', {
        effect: 'none',
      });
    },
    unlockSchema: async (connection) => {
      await connection.rows(`SELECT RELEASE_LOCK(${SCHEMA_LOCK}) AS "released"`);
    },
    onBroken,
  };
}

export const openMysqlLedger = (options: OpenOptions): Promise<ServerLedger> => openServerLedger(partsOf(options));
