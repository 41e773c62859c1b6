import type { BrokenEngine } from './broken-engine.ts';
import { lookThenAct } from './broken-engine.ts';

export const phaseOutsideTheStep: BrokenEngine = {
  name: 'phase-outside-the-step',
  what: 'looks whether the sale is open before the atomic step: orders are made after pause was answered',
  parts: lookThenAct(
    (books, saleNo) => books.rows(saleNo).sale,
    (sale) => ({ sale }),
  ),
  caughtBy: ['phase: once pause has been answered no server makes an order'],
};
