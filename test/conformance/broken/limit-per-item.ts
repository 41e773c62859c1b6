import { decide } from '../../../src/core/decide.ts';
import type { BuyerKey } from '../../../src/core/scalars.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const limitPerItem: BrokenEngine = {
  name: 'limit-per-item',
  what: 'counts a buyer per item, not per sale: one of each colour is as many as there are colours',
  parts: {
    rules: (state, acts, now) =>
      decide(
        state,
        acts.map((act) =>
          act.kind === 'claim' ? { ...act, buyerKey: `${act.buyerKey} ${act.sku}` as BuyerKey } : act,
        ),
        now,
      ),
  },
  caughtBy: [
    'limit: counts over all items of the sale',
    'limit: 1, 64 keys at once through several servers, one is held',
  ],
};
