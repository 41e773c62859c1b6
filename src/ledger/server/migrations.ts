/**
 * Brings the schema of a database up to this program, once, however many servers start at the same moment: under the
 * database's own named lock. Steps are numbered, and remembered statement by statement where the database cannot take
 * DDL back, so that a start that died in the middle is finished by the next. An older program refuses a newer schema
 * that is marked breaking.
 */
import { OperatingError, SettingError } from '../../kit/errors.ts';
import { KEY_NAMES, type KeyName, keysOf, type LedgerKeys, NEW_KEYS } from '../ledger-keys.ts';
import type { Dialect, Session } from './session.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** A program that does not know this step must not use the ledger. */
  readonly breaking: boolean;
  /** Each may be run again after it has been run: a start may die between a statement and its note. */
  readonly statements: readonly string[];
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** To be called while the lock is held. */
export async function migrate(
  session: Session,
  dialect: Pick<Dialect, 'nowMs'>,
  migrations: readonly Migration[],
): Promise<Migrated> {
  await session.run(`CREATE TABLE IF NOT EXISTS migrations (number INTEGER NOT NULL PRIMARY KEY, name VARCHAR(200) NOT NULL,
    breaking SMALLINT NOT NULL, statements_done INTEGER NOT NULL, is_done SMALLINT NOT NULL, applied_at_ms BIGINT NOT NULL)`);
  const from = await schemaVersion(session);
  await refuseNewer(session, migrations.length);
  for (const step of migrations.filter(({ number }) => number > from)) await apply(session, dialect, step);
  return { from, to: await schemaVersion(session) };
}

async function apply(session: Session, { nowMs }: Pick<Dialect, 'nowMs'>, step: Migration): Promise<void> {
  const { number, name, breaking, statements } = step;
  try {
    const [begun] = await session.rows<{ done: number }>(
      'SELECT statements_done AS "done" FROM migrations WHERE number = ?',
      [number],
    );
    if (begun === undefined)
      await session.run(
        `INSERT INTO migrations (number, name, breaking, statements_done, is_done, applied_at_ms) VALUES (?, ?, ?, 0, 0, ${nowMs})`,
        [number, name, breaking ? 1 : 0],
      );
    for (const [at, statement] of statements.entries()) {
      if (at < Number(begun?.done ?? 0)) continue;
      await session.run(statement);
      await session.run('UPDATE migrations SET statements_done = ? WHERE number = ?', [at + 1, number]);
    }
    await session.run(`UPDATE migrations SET is_done = 1, applied_at_ms = ${nowMs} WHERE number = ?`, [number]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatingError('unavailable', `migration ${number} (${name}) failed: ${reason}`, {
      effect: 'none',
      cause,
    });
  }
}

/** The highest migration that is done; 0 for a database without a ledger. The table must be there. */
async function schemaVersion(session: Session): Promise<number> {
  const [row] = await session.rows<{ version: number | null }>(
    'SELECT max(number) AS "version" FROM migrations WHERE is_done = 1',
  );
  return row?.version ?? 0;
}

async function refuseNewer(session: Session, known: number): Promise<void> {
  const [row] = await session.rows<{ newest: number | null }>(
    'SELECT max(number) AS "newest" FROM migrations WHERE breaking = 1',
  );
  if ((row?.newest ?? 0) <= known) return;
  throw new SettingError(
    `the database has schema version ${row?.newest}, this program knows ${known}: run the newer doorbuster, or restore a backup made before the upgrade`,
  );
}

/** The ledger's own keys; made where they are missing. To be called while the lock is held. */
export async function loadKeys(session: Session, { nowMs }: Pick<Dialect, 'nowMs'>): Promise<LedgerKeys> {
  const find = async (): Promise<Map<string, string>> => {
    const rows = await session.rows<{ name: string; value: string }>(
      'SELECT name AS "name", value AS "value" FROM signing_keys',
    );
    return new Map(rows.map(({ name, value }) => [name, value]));
  };
  const known = await find();
  for (const name of KEY_NAMES) {
    if (known.has(name)) continue;
    await session.run(`INSERT INTO signing_keys (name, value, created_at_ms) VALUES (?, ?, ${nowMs})`, [
      name,
      NEW_KEYS[name](),
    ]);
  }
  return keysOf(Object.fromEntries(await find()) as Record<KeyName, string>);
}
