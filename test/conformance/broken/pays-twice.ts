import { type BrokenEngine, rulesOver } from './broken-engine.ts';

export const paysTwice: BrokenEngine = {
  name: 'pays-twice',
  what: 'does not know a payment again: a provider that repeats itself has paid twice',
  parts: { rules: rulesOver(() => ({ payments: new Map() })) },
  caughtBy: [
    'payment: again in a later batch changes nothing',
    'payment: one that was applied cannot pay another order',
    'durable: keys, limits and payments are remembered',
  ],
};
