/**
 * One transaction on a database server, and what its failures mean. Upholds the three answers: done, surely not done
 * (effect none), or unknown, where COMMIT was sent and its answer never came (I2, I3: the key finds out).
 *
 * What is surely rolled back is tried again a few times within a bounded time, after a random wait, so that two
 * servers that met on one row do not meet again. A database that cannot be reached is not waited for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatingError } from '../../kit/errors.ts';
import type { Connection, Dialect, Pool, Session } from './session.ts';

/** Well below what a shopper waits for, and enough for a dozen deadlocks. */
const TRIED_FOR_MS = 1500;
const WAIT_FROM_MS = 2;
const WAIT_UP_TO_MS = 100;

export interface TransactionParts {
  readonly pool: Pool;
  readonly dialect: Pick<Dialect, 'faultOf'>;
  readonly monotonicMs: () => number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** What the work leaves: `commit: false` lets go of its locks without having changed anything. */
export interface Done<T> {
  readonly value: T;
  readonly commit: boolean;
}

/**
 * Runs `work` in a transaction of its own. Rejects with `unavailable` (effect none or unknown), with the constraint's
 * error (rolled back), or with what `work` itself threw (rolled back).
 */
export async function inTransaction<T>(
  parts: TransactionParts,
  work: (session: Session) => Promise<Done<T>>,
): Promise<T> {
  const untilMs = parts.monotonicMs() + TRIED_FOR_MS;
  for (let tries = 0; ; tries++) {
    const attempt = await attemptOnce(parts, work);
    if ('value' in attempt) return attempt.value;
    const { error, fault } = attempt;
    const waitMs = Math.min(WAIT_UP_TO_MS, WAIT_FROM_MS * 2 ** tries) * (0.5 + parts.random());
    const isWorth = fault === 'again' || (fault === 'lost' && tries === 0);
    if (!isWorth || parts.monotonicMs() + waitMs > untilMs) throw error;
    await sleep(waitMs);
  }
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown; readonly fault: 'again' | 'lost' | 'final' };

async function attemptOnce<T>(
  { pool, dialect }: TransactionParts,
  work: (session: Session) => Promise<Done<T>>,
): Promise<Attempt<T>> {
  let connection: Connection;
  try {
    connection = await pool.take();
  } catch (cause) {
    return { error: unavailable('The database cannot be reached.', 'none', cause), fault: 'final' };
  }
  let committing = false;
  try {
    await connection.run('BEGIN');
    const { value, commit } = await work(connection);
    committing = commit;
    await connection.run(commit ? 'COMMIT' : 'ROLLBACK');
    connection.release();
    return { value };
  } catch (error) {
    const fault = error instanceof OperatingError ? 'other' : dialect.faultOf(error);
    await letGo(connection, fault === 'lost' || committing);
    // Of a COMMIT only these two failures say that it was taken back.
    if (committing && fault !== 'again' && fault !== 'constraint')
      return { error: unavailable('The database did not answer.', 'unknown', error), fault: 'final' };
    if (fault === 'lost')
      return { error: unavailable('The connection to the database was lost.', 'none', error), fault: 'lost' };
    if (fault === 'again')
      return { error: unavailable('The database is too busy with this sale.', 'none', error), fault: 'again' };
    if (fault === 'refused')
      return { error: unavailable('The database takes no orders just now.', 'none', error), fault: 'final' };
    return { error, fault: 'final' };
  }
}

/** A connection that cannot roll back is closed, which rolls back. */
async function letGo(connection: Connection, broken: boolean): Promise<void> {
  if (broken) return connection.release(true);
  try {
    await connection.run('ROLLBACK');
    connection.release();
  } catch {
    connection.release(true);
  }
}

export const unavailable = (message: string, effect: 'none' | 'unknown', cause: unknown): OperatingError =>
  new OperatingError('unavailable', message, { effect, cause });

/** A single statement outside a transaction; it changes nothing, so that its failure has no effect. */
export async function reading<T>(
  { pool, dialect }: Pick<TransactionParts, 'pool' | 'dialect'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    let connection: Connection;
    try {
      connection = await pool.take();
    } catch (cause) {
      throw unavailable('The database cannot be reached.', 'none', cause);
    }
    try {
      const value = await work(connection);
      connection.release();
      return value;
    } catch (error) {
      if (error instanceof RangeError) {
        connection.release();
        throw error;
      }
      const fault = dialect.faultOf(error);
      connection.release(fault === 'lost');
      // A connection that died while it lay in the pool says nothing about the database.
      if (fault === 'lost' && tries === 0) continue;
      throw unavailable('The database did not answer.', 'none', error);
    }
  }
}
