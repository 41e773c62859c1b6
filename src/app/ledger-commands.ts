/** What `migrate` and `backup` do to an installation's ledger. Throws SettingError where they may not. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { SettingError } from '../kit/errors.ts';
import { backupLedger } from '../ledger/dialects/sqlite/backup.ts';
import { openSqliteLedger } from '../ledger/dialects/sqlite/open.ts';
import { openLedger } from './ledger.ts';
import type { DatabaseSettings } from './settings.ts';

/** Brings the schema of a database up to this program's, under its lock, also while servers run on it. */
export async function migrateDatabase(database: DatabaseSettings): Promise<{ from: number; to: number }> {
  const ignored = { onFatal: () => {}, onBroken: () => {} };
  const ledger = await openLedger({ dataFolder: '', database }, ignored);
  await ledger.close();
  return ledger.migrated;
}

/** Brings the schema up to this program's, as a start would. Refused while a server holds the folder. */
export async function migrateLedger(folder: string): Promise<{ from: number; to: number }> {
  const fatal: { error?: Error } = {};
  const ledger = await openSqliteLedger({
    folder,
    onFatal: (error) => {
      fatal.error = error;
    },
  });
  await ledger.close();
  if (fatal.error !== undefined) throw fatal.error;
  return ledger.migrated;
}

/**
 * One consistent copy of the ledger, durable under its name or not there at all. Works while a server runs.
 * Returns its size in bytes.
 */
export function backupTo(folder: string, target: string): { bytes: number } {
  if (existsSync(target)) throw new SettingError(`${target} exists already: a backup never overwrites`);
  if (!existsSync(path.dirname(target))) throw new SettingError(`there is no folder ${path.dirname(target)}`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    backupLedger(folder, partial);
    sync(partial);
    giveName(partial, target);
    sync(path.dirname(target));
  } finally {
    rmSync(partial, { force: true });
  }
  return { bytes: statSync(target).size };
}

/** A link never replaces what came into being meanwhile; not every file system has them. */
function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SettingError(`${name} exists already: a backup never overwrites`);
    renameSync(file, name);
  }
}

function sync(fileOrFolder: string): void {
  const handle = openSync(fileOrFolder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
