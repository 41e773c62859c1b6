/**
 * The data folder: who may write in it, and whether what lies in it is whole. One process at a time, by an open
 * exclusive transaction on a small separate database that the kernel frees at death; there is no PID file to go
 * stale. That database also remembers that a ledger was made here, so that a missing or emptied main file is
 * refused and never taken for a new shop (I2, I8).
 */
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { SettingError } from '../../../kit/errors.ts';
import { makeFolder } from '../../../kit/folders.ts';
import { type Database, isLocked, openDatabase } from './driver.ts';

const LEDGER_FILE = 'doorbuster.db';
const LOCK_FILE = 'lock.db';
const OUR_FILES = [LOCK_FILE, LEDGER_FILE, `${LEDGER_FILE}-wal`, `${LEDGER_FILE}-shm`];

export const ledgerPath = (folder: string): string => path.join(folder, LEDGER_FILE);

export interface FolderLock {
  /** The folder has had a ledger before. */
  readonly hasLedger: boolean;
  /** Notes that the folder now has a ledger. */
  remember(): void;
  release(): void;
}

/** Takes the folder, or throws a SettingError that says who may not start and why. */
export function lockFolder(folder: string): FolderLock {
  readyFolder(folder);
  const lock = openLock(folder);
  const hasLedger = lock.prepare('SELECT 1 FROM ledger').get() !== undefined;
  if (hasLedger && isMissingOrEmpty(ledgerPath(folder))) {
    lock.close();
    throw new SettingError(
      `${ledgerPath(folder)} is missing or empty, but this folder has had a ledger: restore a backup to that name (or use a new data folder)`,
    );
  }
  return {
    hasLedger,
    remember: () => {
      if (hasLedger) return;
      // Committed at once and taken again: what is remembered must outlive this process.
      lock.exec('INSERT INTO ledger (id) VALUES (1)');
      lock.exec('COMMIT');
      lock.exec('BEGIN EXCLUSIVE');
    },
    release: () => lock.close(),
  };
}

/** The folder is there, and its files may be written: else the first sale would find out. */
function readyFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new SettingError(
      `the data folder ${folder} cannot be used (${(cause as Error).message}): --data takes a folder that this user may write`,
    );
  }
  for (const file of [folder, ...OUR_FILES.map((name) => path.join(folder, name))]) {
    if (!existsSync(file)) continue;
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch {
      throw new SettingError(
        `${file} may not be written by this user: give it to the user that runs doorbuster (chown)`,
      );
    }
  }
}

function openLock(folder: string): Database {
  let lock: Database | null = null;
  try {
    lock = openDatabase(path.join(folder, LOCK_FILE));
    lock.exec('PRAGMA busy_timeout = 0');
    lock.exec('BEGIN EXCLUSIVE');
    lock.exec('CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY CHECK (id = 1))');
    return lock;
  } catch (cause) {
    lock?.close();
    if (isLocked(cause))
      throw new SettingError(
        `the data folder ${folder} is in use by another doorbuster process: stop that one, or give this one its own --data`,
      );
    throw new SettingError(`the data folder ${folder} cannot be used: ${(cause as Error).message}`);
  }
}

const isMissingOrEmpty = (file: string): boolean => !existsSync(file) || statSync(file).size === 0;

/** Offsets in a database header and a write-ahead log (sqlite.org/fileformat2.html). */
const MAGIC = 'SQLite format 3\u0000';
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const WAL_HEADER_BYTES = 32;
const WAL_FRAME_HEADER_BYTES = 24;

/** Why the ledger's main file cannot be whole, or null. Reads its header and the log's frame headers: no full scan. */
export function faultOfLedgerFile(folder: string): string | null {
  const file = ledgerPath(folder);
  if (!existsSync(file)) return null;
  const size = statSync(file).size;
  if (size === 0) return null;
  const header = readStart(file, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 16) !== MAGIC)
    return `${file} is not a whole ledger file`;
  const pageSize = header.readUInt16BE(PAGE_SIZE_AT) === 1 ? 65_536 : header.readUInt16BE(PAGE_SIZE_AT);
  const pages = header.readUInt32BE(PAGE_COUNT_AT);
  const pagesThere = Math.floor(size / pageSize);
  if (size % pageSize !== 0 || pagesThere < pages) {
    const inLog = pagesInLog(`${file}-wal`, pageSize);
    for (let page = pagesThere + 1; page <= pages; page++)
      if (!inLog.has(page)) return `${file} is cut: ${size} bytes are there, ${pages * pageSize} belong to it`;
  }
  return null;
}

/** Page numbers of the frames that belong to the log's current generation. */
function pagesInLog(file: string, pageSize: number): Set<number> {
  const pages = new Set<number>();
  if (!existsSync(file)) return pages;
  const log = readFileSync(file);
  const salt = log.subarray(16, 24);
  const frameBytes = WAL_FRAME_HEADER_BYTES + pageSize;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes)
    if (log.subarray(at + 8, at + 16).equals(salt)) pages.add(log.readUInt32BE(at));
  return pages;
}

function readStart(file: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes);
  const handle = openSync(file, 'r');
  try {
    return start.subarray(0, readSync(handle, start, 0, bytes, 0));
  } finally {
    closeSync(handle);
  }
}

/** Refuses a ledger that is not whole, before anything could write to it. */
export function refuseBrokenLedger(folder: string): void {
  const fault = faultOfLedgerFile(folder);
  if (fault !== null)
    throw new SettingError(
      `${fault}: move it and its -wal and -shm files away, and restore a backup to ${ledgerPath(folder)}`,
    );
}
