import { decide } from '../../../src/core/decide.ts';
import type { Minor } from '../../../src/core/scalars.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const amountNotCompared: BrokenEngine = {
  name: 'amount-not-compared',
  what: 'takes any success for the whole amount',
  parts: {
    rules: (state, acts, now) =>
      decide(
        state,
        acts.map((act) => {
          const order = act.kind === 'pay' ? state.orders.get(act.orderId) : undefined;
          return act.kind === 'pay' && order !== undefined
            ? { ...act, amountMinor: (order.unitPriceMinor * order.quantity) as Minor }
            : act;
        }),
        now,
      ),
  },
  caughtBy: ['payment: a wrong amount or currency is a mismatch; the right figures later are applied'],
};
