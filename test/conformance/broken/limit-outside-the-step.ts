import type { BrokenEngine } from './broken-engine.ts';
import { lookThenAct } from './broken-engine.ts';

export const limitOutsideTheStep: BrokenEngine = {
  name: 'limit-outside-the-step',
  what: 'counts what a buyer has before the atomic step: 64 keys at once get more than one',
  parts: lookThenAct(
    (books, saleNo) => books.rows(saleNo).buyers,
    (buyers) => ({ buyers: new Map(buyers.map(({ buyerKey, units }) => [buyerKey, units])) }),
  ),
  caughtBy: ['limit: 1, 64 keys at once through several servers, one is held'],
};
