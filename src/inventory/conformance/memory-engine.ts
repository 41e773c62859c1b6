/**
 * The reference engine: `decide` over books in memory, with a clock that stands still until it is told to move.
 * The suite runs on it in milliseconds; it shows that the cases agree with the rules before a real engine is judged.
 * Never used to sell: it promises nothing beyond the life of its process.
 */
import { EXAMPLE_START_MS } from '../../core/example.ts';
import { MemoryBooks } from '../../core/memory-books.ts';
import { addMs } from '../../core/time.ts';
import type { Engine } from '../contract.ts';
import type { Subject } from './subject.ts';

export function createMemoryEngine(books: MemoryBooks): Engine {
  return {
    open: async () => {},
    act: ({ saleNo, acts }) => books.runBatch(saleNo, 'free', acts),
    levels: async (saleNo) => books.rows(saleNo).items,
    close: async () => {},
  };
}

/** How a broken engine differs from the reference: other rules, or another engine over the books. */
export interface MemoryParts {
  readonly rules?: ConstructorParameters<typeof MemoryBooks>[1];
  readonly engineOver?: (books: MemoryBooks) => Engine;
  /** Whether `reopen` finds the books again. */
  readonly forgets?: boolean;
}

/** A subject over books in memory; `reopen` makes a new engine over the same books. */
export function memorySubject({ rules, engineOver = createMemoryEngine, forgets = false }: MemoryParts = {}): Subject {
  let nowMs = EXAMPLE_START_MS;
  let books = new MemoryBooks(() => nowMs, rules);
  let engine = engineOver(books);
  const made: Parameters<Subject['createSale']>[0][] = [];
  return {
    get engine() {
      return engine;
    },
    createSale: async (sale) => {
      made.push(sale);
      return books.createSale(sale).saleNo;
    },
    books: async (saleNo) => books.rows(saleNo),
    nowMs: () => nowMs,
    pass: async (ms) => {
      nowMs = addMs(nowMs, ms);
    },
    another: async () => engineOver(books),
    reopen: async () => {
      if (forgets) {
        books = new MemoryBooks(() => nowMs, rules);
        for (const sale of made) books.createSale(sale);
      }
      engine = engineOver(books);
    },
    close: async () => {},
  };
}
