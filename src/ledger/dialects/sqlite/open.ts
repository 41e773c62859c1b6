/**
 * Opens the embedded ledger: a writer thread that holds the data folder, and a reader thread beside it. Used by
 * `app` alone. Throws SettingError where the folder is taken, broken, or from a newer program.
 */
import type { Books, Desk, Reads } from '../../../core/books.ts';
import type { LedgerKeys } from '../../ledger-keys.ts';
import { type PackedResult, packActs, unpackResult } from './batch-wire.ts';
import type { Migrated } from './schema.ts';
import { Thread, type ThreadEvents } from './thread.ts';

export interface SqliteLedger {
  readonly books: Books;
  /** One writer thread takes one call after another. */
  readonly keepsOrder: true;
  readonly desk: Desk;
  readonly reads: Reads;
  readonly keys: LedgerKeys;
  readonly migrated: Migrated;
  /** The time of the last commit, epoch milliseconds. */
  readonly lastMs: number;
  close(): Promise<void>;
}

export async function openSqliteLedger(options: { folder: string } & ThreadEvents): Promise<SqliteLedger> {
  const { folder, ...events } = options;
  const writer = new Thread(new URL('./writer-thread.js', import.meta.url), { folder }, events);
  const { keys, migrated, lastMs } = await writer.ready<Pick<SqliteLedger, 'keys' | 'migrated' | 'lastMs'>>();
  const reader = new Thread(new URL('./reader-thread.js', import.meta.url), { folder }, events);
  await reader.ready();
  return {
    keepsOrder: true,
    books: {
      runBatch: async (saleNo, _source, acts) =>
        unpackResult(acts, await writer.call<PackedResult>('runBatch', saleNo, packActs(acts))),
    },
    desk: callsOf<Desk>(writer, ['createSale', 'editDraft', 'deleteDraft', 'parkUnknown', 'settleUnknown']),
    reads: {
      ...callsOf<Omit<Reads, 'dueOrders'>>(reader, READS),
      dueOrders: (limit) => writer.call('dueOrders', limit),
    },
    keys,
    migrated,
    lastMs,
    close: async () => {
      await reader.close();
      await writer.close();
    },
  };
}

const READS = [
  'saleById',
  'saleByNo',
  'liveSales',
  'sales',
  'order',
  'ordersOfBuyer',
  'ordersOfSale',
  'buyersOf',
  'payments',
  'paymentsById',
  'parkedUnknown',
  'books',
  'audit',
  'request',
  'placedWithoutStock',
] as const satisfies readonly (keyof Omit<Reads, 'dueOrders'>)[];

/** An object whose methods are calls to a thread. */
function callsOf<T extends object>(thread: Thread, names: readonly (keyof T & string)[]): T {
  const calls = names.map((name) => [name, (...args: unknown[]) => thread.call(name, ...args)]);
  return Object.fromEntries(calls) as T;
}
