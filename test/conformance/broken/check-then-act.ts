import type { BrokenEngine } from './broken-engine.ts';
import { lookThenAct } from './broken-engine.ts';

export const checkThenAct: BrokenEngine = {
  name: 'check-then-act',
  what: 'reads the stock, and takes from what it read: two servers sell the same unit',
  parts: lookThenAct(
    (books, saleNo) => books.rows(saleNo).items,
    (items) => ({ items: new Map(items.map((item) => [item.sku, item])) }),
  ),
  caughtBy: [
    'stock: 40 units, 120 buyers at once through the batchers of several servers, exactly 40 are held',
    'stock: orders of 3 at once never take the 2 that are left',
    'correction: while a flood of orders comes through several servers, the sums stay right',
  ],
};
