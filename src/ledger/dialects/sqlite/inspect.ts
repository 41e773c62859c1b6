/**
 * What can be said of an embedded ledger without taking its folder: whether the file is whole, which schema it has,
 * and when it was last written. Opens read-only, so that it works while a server runs. For `doctor`.
 */
import { existsSync, statSync } from 'node:fs';
import { openDatabase } from './driver.ts';
import { faultOfLedgerFile, ledgerPath } from './folder.ts';
import { SCHEMA_VERSION, versionOf } from './schema.ts';

export type LedgerInspection =
  /** No ledger yet; one is made at the first start. */
  | { readonly found: 'none' }
  | { readonly found: 'broken'; readonly fault: string }
  | {
      readonly found: 'whole';
      readonly bytes: number;
      readonly version: number;
      /** The schema that this program knows. */
      readonly knownVersion: number;
      /** A step that this program does not know and must not ignore. */
      readonly isTooNew: boolean;
      /** The time of the last commit, epoch milliseconds; 0 where there was none. */
      readonly lastMs: number;
    };

/** Cost: two headers and a few rows, whatever the ledger's size. */
export function inspectLedger(folder: string): LedgerInspection {
  const file = ledgerPath(folder);
  if (!existsSync(file)) return { found: 'none' };
  const fault = statSync(file).size === 0 ? `${file} is empty` : faultOfLedgerFile(folder);
  if (fault !== null) return { found: 'broken', fault };
  try {
    return { found: 'whole', bytes: statSync(file).size, ...readFacts(file) };
  } catch (error) {
    return { found: 'broken', fault: `${file} cannot be read: ${(error as Error).message}` };
  }
}

function readFacts(file: string) {
  const db = openDatabase(file, { readOnly: true });
  try {
    const version = versionOf(db);
    const newer = db.prepare('SELECT count(*) AS steps FROM migrations WHERE breaking = 1 AND number > ?');
    const { steps } = newer.get(SCHEMA_VERSION) as { steps: number };
    const { atMs } = db.prepare('SELECT at_ms AS atMs FROM clock WHERE id = 1').get() as { atMs: number };
    return { version, knownVersion: SCHEMA_VERSION, isTooNew: steps > 0, lastMs: atMs };
  } finally {
    db.close();
  }
}
