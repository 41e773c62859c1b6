import { type BrokenEngine, rulesThen } from './broken-engine.ts';

export const expiryForgetsUnits: BrokenEngine = {
  name: 'expiry-forgets-units',
  what: 'marks the order as expired and leaves its units in held: they are never sold',
  parts: {
    rules: rulesThen((decision, _state, acts) =>
      acts.some((act) => act.kind === 'expire') ? { ...decision, change: { ...decision.change, items: [] } } : decision,
    ),
  },
  caughtBy: [
    'end: every unit of holds that ran out can be sold again, three times over',
    'end: time ends a hold when it is up and not before, once',
  ],
};
