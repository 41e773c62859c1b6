import { decide } from '../../../src/core/decide.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const fillsInPart: BrokenEngine = {
  name: 'fills-in-part',
  what: 'gives what is left where more was asked for: an order that lists three holds two',
  parts: {
    rules: (state, acts, now) => {
      const left = (sku: string) => [...state.items.values()].find((item) => item.sku === sku)?.free ?? 0;
      const single = acts.length === 1 || acts.every((act) => act.kind === 'claim');
      const cut = acts.map((act) =>
        single && act.kind === 'claim' && left(act.sku) > 0
          ? { ...act, quantity: Math.min(act.quantity, left(act.sku)) }
          : act,
      );
      return decide(state, cut, now);
    },
  },
  caughtBy: ['stock: orders of 3 at once never take the 2 that are left'],
};
