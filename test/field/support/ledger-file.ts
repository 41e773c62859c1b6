/**
 * Opens the SQLite file of a data folder from outside, as an operator with a tool could: to spoil a record of a
 * stopped server, to hold the file's write lock, to read what no request has touched.
 */
import path from 'node:path';

interface Statement {
  run(...values: readonly (string | number | null)[]): unknown;
  all(...values: readonly (string | number | null)[]): Record<string, unknown>[];
}

export interface LedgerFile {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type Driver = { DatabaseSync: new (file: string, options?: { readOnly?: boolean }) => LedgerFile };

export async function openLedgerFile(data: string, options: { readOnly?: boolean } = {}): Promise<LedgerFile> {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as Driver | undefined;
  const { DatabaseSync } = builtIn ?? ((await import('@photostructure/sqlite')) as unknown as Driver);
  return new DatabaseSync(path.join(data, 'doorbuster.db'), options);
}
