import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryBooks } from '../../../src/core/memory-books.ts';
import { createMemoryEngine } from '../../../src/inventory/conformance/memory-engine.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const claimsToKeepOrder: BrokenEngine = {
  name: 'claims-to-keep-order',
  what: 'says that it keeps the order of its calls, and sends each over whichever connection is free',
  parts: {
    engineOver: (books: MemoryBooks) => {
      let calls = 0;
      const engine = createMemoryEngine(books);
      return {
        ...engine,
        keepsOrder: true,
        act: async (batch) => {
          await sleep(++calls % 2 === 0 ? 0 : 2);
          return engine.act(batch);
        },
      };
    },
  },
  caughtBy: [
    'batch: those handed over one after another, unawaited, are each whole, and in order where the engine says so',
  ],
};
