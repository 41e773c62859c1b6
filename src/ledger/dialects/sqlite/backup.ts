/**
 * A backup while the ledger is in use: VACUUM INTO over a read-only connection gives one consistent file without
 * stopping the writer. Restored by putting that file into a data folder as doorbuster.db.
 */
import { existsSync } from 'node:fs';
import { SettingError } from '../../../kit/errors.ts';
import { openDatabase } from './driver.ts';
import { ledgerPath } from './folder.ts';

export function backupLedger(folder: string, target: string): void {
  if (!existsSync(ledgerPath(folder))) throw new SettingError(`there is no ledger in ${folder}`);
  if (existsSync(target)) throw new SettingError(`${target} exists already: a backup never overwrites`);
  const db = openDatabase(ledgerPath(folder), { readOnly: true });
  try {
    db.prepare('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
}
