import type { MemoryBooks } from '../../../src/core/memory-books.ts';
import { createMemoryEngine } from '../../../src/inventory/conformance/memory-engine.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const answersByLane: BrokenEngine = {
  name: 'answers-by-lane',
  what: 'does payments and ends first, and answers in the order in which it did them',
  parts: {
    engineOver: (books: MemoryBooks) => ({
      ...createMemoryEngine(books),
      act: async ({ saleNo, acts }) =>
        books.run(saleNo, [
          ...acts.filter((act) => act.kind !== 'claim'),
          ...acts.filter((act) => act.kind === 'claim'),
        ]),
    }),
  },
  caughtBy: [
    'batch: verdicts come in the order of the acts, whatever their kinds',
    'phase: pause counts from the act after it, in the same batch; payments go on',
  ],
};
