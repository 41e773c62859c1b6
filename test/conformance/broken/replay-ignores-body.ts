import { decide } from '../../../src/core/decide.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const replayIgnoresBody: BrokenEngine = {
  name: 'replay-ignores-body',
  what: 'a key is a key: what it is sent with the second time does not matter',
  parts: {
    rules: (state, acts, now) => {
      const first = new Map([...state.orders.values()].map((order) => [`${order.buyerId} ${order.key}`, order]));
      const asBefore = acts.map((act) => {
        const known = act.kind === 'claim' ? first.get(`${act.buyerId} ${act.key}`) : undefined;
        return known === undefined ? act : { ...act, sku: known.sku, quantity: known.quantity };
      });
      return decide(state, asBefore as typeof acts, now);
    },
  },
  caughtBy: ['key: with another quantity or item it is a conflict, and takes nothing'],
};
