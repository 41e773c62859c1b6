import { decide } from '../../../src/core/decide.ts';
import type { BuyerKey } from '../../../src/core/scalars.ts';
import type { BrokenEngine } from './broken-engine.ts';

export const limitBySpelling: BrokenEngine = {
  name: 'limit-by-spelling',
  what: 'counts buyers by the id as it was spelled',
  parts: {
    rules: (state, acts, now) =>
      decide(
        state,
        acts.map((act) => (act.kind === 'claim' ? { ...act, buyerKey: act.buyerId as string as BuyerKey } : act)),
        now,
      ),
  },
  caughtBy: ['limit: spellings of one buyer are one buyer'],
};
