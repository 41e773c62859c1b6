/**
 * A ledger on a database server, whatever the dialect: brings the schema up, makes the keys, hands out the ports. Two
 * pools, so that lists and polls never take the connection that an order waits for; no request needs two connections.
 */
import { randomUUID } from 'node:crypto';
import type { Books, Desk, Leases, Reads, Watch } from '../../core/books.ts';
import { chance } from '../../kit/chance.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import { createDesk } from './desk.ts';
import { createLeases } from './leases.ts';
import { loadKeys, type Migrated, type Migration, migrate } from './migrations.ts';
import { createReads } from './reads.ts';
import { createRunBatch } from './run-batch.ts';
import type { Connection, Dialect, Pool } from './session.ts';
import { reading } from './transaction.ts';

export interface ServerLedger {
  readonly books: Books;
  readonly desk: Desk;
  readonly reads: Reads;
  readonly watch: Watch;
  readonly leases: Leases;
  readonly keys: LedgerKeys;
  readonly migrated: Migrated;
  /** The name of this process in leases. */
  readonly holder: string;
  close(): Promise<void>;
}

export interface ServerLedgerParts {
  readonly dialect: Dialect;
  readonly migrations: readonly Migration[];
  /** For batches and the desk, and for reading. */
  readonly pools: { readonly write: Pool; readonly read: Pool };
  /** The lock under which the schema is changed, held by this connection until it is released. */
  readonly lockSchema: (connection: Connection) => Promise<void>;
  readonly unlockSchema: (connection: Connection) => Promise<void>;
  readonly onBroken: (message: string, actKind: string) => void;
}

const monotonicMs = (): number => performance.now();

export async function openServerLedger(parts: ServerLedgerParts): Promise<ServerLedger> {
  const { dialect, pools } = parts;
  const { migrated, keys } = await bringUp(parts);
  const transaction = { pool: pools.write, dialect, monotonicMs, random: chance };
  const { reads, watch } = createReads({ pool: pools.read, dialect });
  return {
    books: { runBatch: createRunBatch({ ...transaction, onBroken: parts.onBroken }) },
    desk: createDesk(transaction),
    reads,
    watch: { ...watch, clockOffset: () => measureOffset(pools.read, dialect) },
    leases: createLeases(transaction),
    keys,
    migrated,
    holder: randomUUID(),
    close: async () => {
      await Promise.all([pools.read.close(), pools.write.close()]);
    },
  };
}

/** The schema and the keys, under the lock of the schema. */
async function bringUp({
  dialect,
  migrations,
  pools,
  lockSchema,
  unlockSchema,
}: Pick<ServerLedgerParts, 'dialect' | 'migrations' | 'pools' | 'lockSchema' | 'unlockSchema'>): Promise<{
  migrated: Migrated;
  keys: LedgerKeys;
}> {
  const connection = await firstConnection(pools.write);
  try {
    await lockSchema(connection);
    const migrated = await migrate(connection, dialect, migrations);
    const keys = await loadKeys(connection, dialect);
    await unlockSchema(connection);
    return { migrated, keys };
  } finally {
    // Closed, not given back: its time-outs were made long, and a lock that could not be let go goes with it.
    connection.release(true);
  }
}

/** What is refused at once is not waited for; a server that is slow to answer (others start too) is asked again. */
const FIRST_TRIES = 5;
const SLOW_MS = 1000;

async function firstConnection(pool: Pool): Promise<Connection> {
  for (let tries = 1; ; tries++) {
    const sinceMs = monotonicMs();
    try {
      return await pool.take();
    } catch (error) {
      if (tries === FIRST_TRIES || monotonicMs() - sinceMs < SLOW_MS) throw error;
    }
  }
}

/** The ledger's time minus the monotonic one; of a few looks the quickest is the best. */
const LOOKS = 5;

async function measureOffset(pool: Pool, dialect: Dialect): Promise<{ offsetMs: number; errorMs: number }> {
  return reading({ pool, dialect }, async (session) => {
    let best = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
    for (let look = 0; look < LOOKS; look++) {
      const sentMs = monotonicMs();
      const [row] = await session.rows<{ nowMs: number }>(`SELECT ${dialect.nowMs} AS "nowMs"`);
      const errorMs = (monotonicMs() - sentMs) / 2;
      if (errorMs < best.errorMs) best = { offsetMs: Number(row?.nowMs) - (sentMs + errorMs), errorMs };
    }
    return best;
  });
}
