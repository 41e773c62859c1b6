import { type BrokenEngine, rulesOver } from './broken-engine.ts';

export const sellsPastTheEnd: BrokenEngine = {
  name: 'sells-past-the-end',
  what: 'ends a sale when the scheduler comes round, not at endsAt',
  parts: {
    rules: rulesOver((state, acts) =>
      acts.every((act) => act.kind === 'claim') ? { sale: { ...state.sale, endsAtMs: null } } : {},
    ),
  },
  caughtBy: ['phase: endsAt ends it by the books’ own clock, whoever has noticed'],
};
