import type { Sku } from '../../../src/core/scalars.ts';
import { type BrokenEngine, rulesThen } from './broken-engine.ts';

/** Debt, per books. */
const debts = new WeakMap<object, number>();

export const refusalsLeaveDebt: BrokenEngine = {
  name: 'refusals-leave-debt',
  what: 'counts down first and refuses below zero, without counting up again: what comes back is eaten by the debt',
  parts: {
    rules: rulesThen((decision, state, acts) => {
      const books = state.orders;
      const sku = 'tee' as Sku;
      const refused = decision.verdicts.filter((each) => each.outcome === 'refused' && each.code === 'sold_out').length;
      debts.set(books, (debts.get(books) ?? 0) + refused);
      const [item] = decision.change.items;
      const ends = acts.every((act) => act.kind === 'cancel');
      if (!ends || item === undefined) return decision;
      const lost = Math.min(item.free, debts.get(books) ?? 0);
      const items = decision.change.items.map((each) =>
        each.sku === sku ? { ...each, free: each.free - lost, sold: each.sold + lost } : each,
      );
      return { ...decision, change: { ...decision.change, items } };
    }),
  },
  caughtBy: ['stock: refusals leave no debt: three come back, three more are sold'],
};
