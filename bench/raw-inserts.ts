/**
 * The yardstick of the engine: the very rows that a run of the engine left in its ledger, written again into the same
 * tables and indexes of a fresh ledger, in the same batches, with the same settings of the database, by multi-row
 * inserts that decide nothing. What the engine costs beyond this is loading, deciding and crossing threads.
 */
import { type Database, openDatabase, type SqlValue, type Statement } from '../dist/ledger/dialects/sqlite/driver.js';
import { ledgerPath } from '../dist/ledger/dialects/sqlite/folder.js';
import { openEmbedded } from './embedded.ts';

type Row = Readonly<Record<string, SqlValue>>;

interface Batch {
  readonly orders: readonly Row[];
  readonly buyers: readonly Row[];
  readonly audit: readonly Row[];
  readonly outbox: readonly Row[];
}

export interface EngineRows {
  readonly batches: readonly Batch[];
}

/** Reads what a run of `sizes` batches on an otherwise untouched sale has written; the ledger must be closed. */
export function rowsOfRun(folder: string, sizes: readonly number[]): EngineRows {
  const db = openDatabase(ledgerPath(folder), { readOnly: true });
  try {
    const orders = rowsOf(db, 'SELECT * FROM orders ORDER BY seq', ['seq']);
    const buyers = new Map(rowsOf(db, 'SELECT * FROM buyers', []).map((row) => [row.buyer_key, row]));
    // The last rows of the chain are the run's; those before made and opened the sale.
    const audit = rowsOf(db, 'SELECT * FROM audit ORDER BY audit_no', ['audit_no']).slice(-sizes.length);
    const outbox = rowsOf(db, 'SELECT * FROM outbox ORDER BY outbox_no', ['outbox_no']).slice(-sizes.length);
    let at = 0;
    const batches = sizes.map((size, n): Batch => {
      const taken = orders.slice(at, at + size);
      at += size;
      const theirs = taken.flatMap((order): Row[] => listed(buyers.get(order.buyer_key ?? null)));
      return { orders: taken, buyers: theirs, audit: audit.slice(n, n + 1), outbox: outbox.slice(n, n + 1) };
    });
    if (at !== orders.length) throw new Error(`the batches carry ${at} orders, the ledger has ${orders.length}`);
    return { batches };
  } finally {
    db.close();
  }
}

/** Writes the rows into a fresh ledger in the folder; seconds that it took, all commits synced. */
export async function writeRaw(folder: string, { batches }: EngineRows, stock: number): Promise<number> {
  const { ledger } = await openEmbedded({ folder, saleId: 'bench', stock });
  await ledger.close();
  const db = openDatabase(ledgerPath(folder));
  try {
    // As the ledger's writer sets them (src/ledger/dialects/sqlite/writer-thread.ts).
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
      PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000`);
    const prepared = batches.map((batch) => prepare(db, batch));
    const begin = db.prepare('BEGIN IMMEDIATE');
    const commit = db.prepare('COMMIT');
    const setItem = db.prepare('UPDATE items SET free = free - ?, held = held + ?');
    const setClock = db.prepare('UPDATE clock SET at_ms = ? WHERE id = 1');
    const startedAtMs = performance.now();
    for (const { units, atMs, inserts } of prepared) {
      begin.run();
      for (const { statement, values } of inserts) statement.run(...values);
      setItem.run(units, units);
      setClock.run(atMs);
      commit.run();
    }
    return (performance.now() - startedAtMs) / 1000;
  } finally {
    db.close();
  }
}

function prepare(db: Database, batch: Batch) {
  const tables = Object.entries(batch) as [string, readonly Row[]][];
  const inserts = tables.filter(([, rows]) => rows.length > 0).map(([table, rows]) => insertOf(db, table, rows));
  return { units: batch.orders.length, atMs: Number(batch.outbox[0]?.at_ms), inserts };
}

const statements = new WeakMap<Database, Map<string, Statement>>();

/** One insert of all rows; statements are kept by their text, since most batches have the same size. */
function insertOf(db: Database, table: string, rows: readonly Row[]): { statement: Statement; values: SqlValue[] } {
  const columns = Object.keys(rows[0] ?? {});
  const one = `(${columns.map(() => '?').join(', ')})`;
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => one).join(', ')}`;
  const known = statements.get(db) ?? new Map<string, Statement>();
  statements.set(db, known);
  const statement = known.get(sql) ?? db.prepare(sql);
  known.set(sql, statement);
  return { statement, values: rows.flatMap((row) => columns.map((column) => row[column] ?? null)) };
}

const listed = (row: Row | undefined): Row[] => (row === undefined ? [] : [row]);

/** Rows as plain objects without the numbers that the database gives by itself. */
function rowsOf(db: Database, sql: string, without: readonly string[]): Row[] {
  return (db.prepare(sql).all() as Row[]).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !without.includes(column))),
  );
}
