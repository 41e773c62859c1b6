/** Opens a ledger on PostgreSQL (13 and newer). Used by `app` alone. */
import { openServerLedger, type ServerLedger, type ServerLedgerParts } from '../../server/open.ts';
import { postgres } from './dialect.ts';
import { openPool } from './driver.ts';
import { MIGRATIONS } from './schema.ts';

export interface OpenOptions {
  readonly url: string;
  /** Of this process, for batches and reads together; at least 2. */
  readonly connectionsMax: number;
  readonly onBroken: (message: string, actKind: string) => void;
}

/** An arbitrary number that no other program is likely to lock by ("doorbust" as bytes). */
const SCHEMA_LOCK = '7237125736938075508';

export function partsOf({ url, connectionsMax, onBroken }: OpenOptions): ServerLedgerParts {
  const forReads = Math.floor(connectionsMax / 2);
  return {
    dialect: postgres,
    migrations: MIGRATIONS,
    pools: {
      write: openPool({ url, connectionsMax: connectionsMax - forReads, forceKeys: true }),
      read: openPool({ url, connectionsMax: forReads, forceKeys: false }),
    },
    lockSchema: async (connection) => {
      // Whoever migrates may take a while; the others wait, whatever the bound on locks.
      await connection.run(
        "SELECT set_config('lock_timeout', '60s', false), set_config('statement_timeout', '120s', false)",
      );
      await connection.rows(`SELECT pg_advisory_lock(${SCHEMA_LOCK})`);
    },
    unlockSchema: async (connection) => {
      await connection.rows(`SELECT pg_advisory_unlock(${SCHEMA_LOCK})`);
    },
    onBroken,
  };
}

export const openPostgresLedger = (options: OpenOptions): Promise<ServerLedger> => openServerLedger(partsOf(options));
