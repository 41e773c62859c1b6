import { decide } from '../../../src/core/decide.ts';
import type { Verdict } from '../../../src/core/outcomes.ts';
import type { BrokenEngine } from './broken-engine.ts';

/** Refusals by key, per books. */
const caches = new WeakMap<object, Map<string, Verdict>>();

export const remembersRefusals: BrokenEngine = {
  name: 'remembers-refusals',
  what: 'caches every answer under its key, refusals too: who was told "sold out" once hears it for ever',
  parts: {
    rules: (state, acts, now) => {
      const { verdicts, change } = decide(state, acts, now);
      const refused = caches.get(state.orders) ?? new Map<string, Verdict>();
      caches.set(state.orders, refused);
      const cached = verdicts.map((verdict, at) => {
        const act = acts[at];
        if (act?.kind !== 'claim') return verdict;
        const key = `${act.buyerId} ${act.key}`;
        if (verdict.outcome === 'refused') refused.set(key, verdict);
        return refused.get(key) ?? verdict;
      });
      return { verdicts: cached, change };
    },
  },
  caughtBy: ['key: after a refusal gets a fresh try'],
};
