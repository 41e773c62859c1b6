/**
 * The engine that sells straight from the ledger: a batch is one transaction of the books, stock from `free`.
 * It has no memory of its own, so there is nothing to warm up and nothing to lose (I1, I2 rest on the ledger).
 */
import type { Books, Reads } from '../../../core/books.ts';
import type { Engine } from '../../contract.ts';

export function createSqlEngine(ledger: {
  readonly books: Books;
  readonly reads: Pick<Reads, 'saleByNo'>;
  /** Whether the books answer batches in the order of the calls. */
  readonly keepsOrder?: boolean;
}): Engine {
  return {
    keepsOrder: ledger.keepsOrder ?? false,
    open: async () => {},
    act: ({ saleNo, acts }) => ledger.books.runBatch(saleNo, 'free', acts),
    levels: async (saleNo) => (await ledger.reads.saleByNo(saleNo))?.items ?? [],
    close: async () => {},
  };
}
