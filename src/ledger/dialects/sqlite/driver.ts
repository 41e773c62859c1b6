/**
 * The one place that knows which SQLite binding runs: `node:sqlite` where Node has it, else the optional package
 * @photostructure/sqlite with the same interface (Node 20). Also evens out what differs between versions: booleans
 * and `undefined` never reach a statement, and faults are told apart by SQLite's own result codes.
 */
import { createRequire } from 'node:module';

export type SqlValue = string | number | null | Uint8Array;

export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): Iterable<unknown>;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type Constructor = new (file: string, options?: { readOnly?: boolean; timeout?: number }) => Database;

const require = createRequire(import.meta.url);

function loadConstructor(): Constructor {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isBuiltIn = major > 22 || (major === 22 && minor >= 13);
  const name = isBuiltIn ? 'node:sqlite' : '@photostructure/sqlite';
  try {
    return (require(name) as { DatabaseSync: Constructor }).DatabaseSync;
  } catch (cause) {
    throw new Error(
      `SQLite is not there: ${name} could not be loaded. Run on Node 22.13 or newer, or install optional dependencies.`,
      { cause },
    );
  }
}

let DatabaseSync: Constructor | null = null;

/** Nobody but us should lock our files; who does is waited for briefly, since all selling waits with us. */
const LOCK_WAIT_MS = 250;

export function openDatabase(file: string, options: { readOnly?: boolean } = {}): Database {
  DatabaseSync ??= loadConstructor();
  return new DatabaseSync(file, { readOnly: options.readOnly ?? false, timeout: LOCK_WAIT_MS });
}

/** SQLite's primary result codes that decide what happens next (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT = 19;

/** The primary result code of an error that SQLite threw, or null for any other error. */
function sqliteCodeOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  return typeof code === 'string' && code.includes('SQLITE') ? 1 : null;
}

export const isDiskFull = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_FULL;
export const isConstraint = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_CONSTRAINT;
export const isLocked = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_BUSY;
