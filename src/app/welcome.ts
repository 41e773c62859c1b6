/**
 * What `serve` tells a person at a terminal once it serves: where things are and, the first time, how to go on. Pure.
 * Names files, never what is in them. Told on stderr only where that is a terminal: logs have their own lines.
 */
import path from 'node:path';
import { secretPath } from './secrets.ts';
import type { Settings } from './settings.ts';

export interface WelcomeOptions {
  readonly url: string;
  /** Nothing was sold here yet: say how to go on. */
  readonly isFirst: boolean;
}

type Told = Pick<Settings, 'dataFolder' | 'database' | 'merchantKey'>;

export function welcome({ dataFolder, database, merchantKey }: Told, { url, isFirst }: WelcomeOptions): string {
  const key = merchantKey === null ? secretPath(dataFolder, 'merchant-key') : 'as set (DOORBUSTER_MERCHANT_KEY)';
  const ledger = database === null ? dataFolder : 'on the database (DOORBUSTER_DATABASE_URL)';
  const where = [
    ['data', ledger],
    ['merchant key', key],
    ['sale pages', `${url}/sales/{saleId}`],
    ['API', `${url}/openapi.json`],
  ];
  const next = [
    ['doorbuster sale create', 'make a sale, by questions'],
    ['doorbuster doctor', 'check this installation'],
    ['doorbuster demo', 'see a stampede, on a server of its own'],
  ];
  const rows = (table: readonly (readonly string[])[], width: number): string[] =>
    table.map(([name = '', says = '']) => `  ${name.padEnd(width)}  ${says}`);
  const lines = ['', ...rows(where, 12), ...(isFirst ? ['', 'Next, in another terminal:', ...rows(next, 22)] : []), ''];
  return `${lines.join('\n')}\n`;
}

/** Where there is none before the start, it is the first. */
export const ledgerFile = (dataFolder: string): string => path.join(dataFolder, 'doorbuster.db');
