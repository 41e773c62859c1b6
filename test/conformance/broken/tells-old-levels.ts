import type { Item } from '../../../src/core/item.ts';
import type { MemoryBooks } from '../../../src/core/memory-books.ts';
import { createMemoryEngine } from '../../../src/inventory/conformance/memory-engine.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const tellsOldLevels: BrokenEngine = {
  name: 'tells-old-levels',
  what: 'keeps the levels that it read when it was opened',
  parts: {
    engineOver: (books: MemoryBooks) => {
      const first = new Map<number, readonly Item[]>();
      const engine = createMemoryEngine(books);
      return {
        ...engine,
        open: async (saleNo) => {
          if (!first.has(saleNo)) first.set(saleNo, books.rows(saleNo).items);
        },
        levels: async (saleNo) => first.get(saleNo) ?? engine.levels(saleNo),
      };
    },
  },
  caughtBy: ['stock: 40 units, 120 buyers at once through one batcher, exactly 40 are held'],
};
