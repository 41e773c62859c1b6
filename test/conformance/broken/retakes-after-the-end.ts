import { type BrokenEngine, rulesOver } from './broken-engine.ts';

export const retakesAfterTheEnd: BrokenEngine = {
  name: 'retakes-after-the-end',
  what: 'takes a unit again for a late payment, whether the sale still sells or not',
  parts: {
    rules: rulesOver((state, acts) =>
      acts.some((act) => act.kind === 'pay') ? { sale: { ...state.sale, phase: 'open', endsAtMs: null } } : {},
    ),
  },
  caughtBy: ['retake: never while paused, nor after the end'],
};
