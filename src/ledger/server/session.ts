/**
 * What the shared half of the server ledgers needs of a database: statements on a connection, a bounded pool, and the
 * few things that dialects spell differently. Statements are written once with `?` for values and double quotes for
 * names; a value that is an array stands for a list (see `isIn`).
 *
 * Absences: no query builder, no statement caching by name (a plan kept from an empty table would outlive it).
 */
export type SqlScalar = string | number | null;
export type SqlParameter = SqlScalar | readonly SqlScalar[];

export interface Session {
  rows<Row>(sql: string, values?: readonly SqlParameter[]): Promise<Row[]>;
  /** The number of rows that the statement found to change. */
  run(sql: string, values?: readonly SqlParameter[]): Promise<number>;
}

export interface Connection extends Session {
  /** Back to the pool; `broken`: closed instead. */
  release(broken?: boolean): void;
}

export interface Pool {
  /** A connection with its settings made. Rejects, within a bounded time, where none can be had: effect none. */
  take(): Promise<Connection>;
  close(): Promise<void>;
}

/**
 * What an error of the database means for the transaction that it ended:
 *
 *   again       deadlock, serialization failure, lock time-out: rolled back, worth another try
 *   constraint  a guard of the schema refused a row: rolled back
 *   lost        the connection is gone, or the answer did not come in time: sure only where COMMIT was not sent
 *   refused     rolled back, and trying again at once would not help: disk full, read-only after a fail-over
 *   other       anything else the server said: rolled back, a fault of ours or of the installation
 */
export type Fault = 'again' | 'constraint' | 'lost' | 'refused' | 'other';

export interface Column<Row> {
  readonly name: string;
  readonly type: 'text' | 'number';
  readonly of: (row: Row) => SqlScalar;
}

export interface Insert<Row> {
  readonly table: string;
  readonly columns: readonly Column<Row>[];
  /** An upsert: rows with the same `key` get these columns anew. */
  readonly onConflict?: { readonly key: readonly string[]; readonly set: readonly string[] };
}

export interface Dialect {
  readonly name: 'postgres' | 'mysql';
  faultOf(error: unknown): Fault;
  /** `column` is one of a list that is handed over as one array. */
  isIn(column: string, type: 'text' | 'number'): string;
  /** One statement, however many rows. */
  insertRows<Row>(session: Session, insert: Insert<Row>, rows: readonly Row[]): Promise<void>;
  /** The database's time, epoch milliseconds, as an expression that is evaluated at the statement. */
  readonly nowMs: string;
  /** Loads, under the lock that the transaction has on the sale, what the claims of known buyers may replay. */
  ordersByKey(session: Session, saleNo: number, keys: readonly { buyerId: string; key: string }[]): Promise<unknown[]>;
  /** What begins a transaction that reads one state of the books. */
  readonly beginSnapshot: readonly string[];
  /** How a row is locked until the end of the transaction, against those who would change it. */
  readonly shareLock: string;
  /** The index that a look-up must use, where a planner without statistics would not (after the table's name). */
  useIndex(index: string): string;
}
