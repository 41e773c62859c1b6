/**
 * The writer: the only thread that changes the embedded ledger. Takes the folder, brings the schema up, then runs
 * batches and desk calls one after another. What it cannot explain (a failing fsync, an I/O error) it reports as
 * fatal and answers no more, so that nothing is acknowledged that the disk may not hold (I2, I8).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../kit/clock.ts';
import { OperatingError, SettingError } from '../../../kit/errors.ts';
import { type PackedActs, packResult, unpackActs } from './batch-wire.ts';
import { createDesk } from './desk.ts';
import { type Database, openDatabase } from './driver.ts';
import { createDueOrders } from './due-orders.ts';
import { type FolderLock, ledgerPath, lockFolder, refuseBrokenLedger } from './folder.ts';
import { HoldClock } from './hold-clock.ts';
import { LedgerClock } from './ledger-clock.ts';
import { type Call, type FromWorker, sendable } from './messages.ts';
import { createRunBatch } from './run-batch.ts';
import { migrate, versionOf } from './schema.ts';
import { loadKeys } from './stored-keys.ts';
import { sureRefusalOf } from './sure-refusal.ts';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
const send = (message: FromWorker): void => port.postMessage(message);

/**
 * 16 MiB of log between checkpoints: at 4 KiB pages and some hundred pages a batch, each checkpoint serves dozens
 * of batches, and a restart still replays it in well under a second (measured by `npm run bench -- start`).
 */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 65_536;

function openForWriting(folder: string): { db: Database; lock: FolderLock } {
  const lock = lockFolder(folder);
  try {
    refuseBrokenLedger(folder);
    const db = openDatabase(ledgerPath(folder));
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
      PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return { db, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A file without any table where a ledger has been: its log is gone, and with it everything. Never begin anew here. */
function refuseForgotten(db: Database, lock: FolderLock, folder: string): void {
  if (!lock.hasLedger || versionOf(db) > 0) return;
  throw new SettingError(
    `${ledgerPath(folder)} is empty, but this folder has had a ledger: put its -wal file back, or restore a backup to that name`,
  );
}

function start(folder: string) {
  const { db, lock } = openForWriting(folder);
  refuseForgotten(db, lock, folder);
  const migrated = migrate(db, systemClock.wallMs());
  const keys = loadKeys(db, systemClock.wallMs());
  // What a new ledger or a new schema rests on (the keys too) must not lie in the log alone.
  if (migrated.from !== migrated.to) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  lock.remember();
  const last = db.prepare('SELECT at_ms AS atMs FROM clock WHERE id = 1').get() as { atMs: number };
  const clock = new LedgerClock(systemClock, last.atMs);
  const holdClock = new HoldClock(clock.offset());
  const runBatch = createRunBatch({
    db,
    clock,
    holdClock,
    onBroken: (error, act) => send({ type: 'broken', message: error.message, actKind: act.kind }),
  });
  const dueOrders = createDueOrders({ db, clock, holdClock });
  const desk = createDesk({ db, clock });
  const close = () => {
    db.close();
    lock.release();
  };
  const calls = {
    ...desk,
    runBatch: (saleNo: number, packed: PackedActs) => {
      const acts = unpackActs(packed);
      return packResult(saleNo, acts, runBatch(saleNo, acts));
    },
    dueOrders,
    close,
  };
  return {
    calls: calls as Record<string, (...args: never[]) => unknown>,
    ready: { keys, migrated, lastMs: last.atMs },
  };
}

let stopped = false;

function answer(calls: Record<string, (...args: never[]) => unknown>, { id, name, args }: Call): void {
  if (stopped) return;
  try {
    send({ type: 'answer', id, value: calls[name]?.(...(args as never[])) });
    if (name === 'close') port?.close();
  } catch (error) {
    const refusal = error instanceof OperatingError || error instanceof RangeError ? error : sureRefusalOf(error);
    if (refusal !== null) return send({ type: 'error', id, error: sendable(refusal) });
    stopped = true;
    send({ type: 'fatal', message: error instanceof Error ? error.message : String(error) });
  }
}

try {
  const { calls, ready } = start((workerData as { folder: string }).folder);
  port.on('message', (call: Call) => answer(calls, call));
  send({ type: 'ready', value: ready });
} catch (error) {
  send({ type: 'refused', error: sendable(error) });
  port.close();
}
