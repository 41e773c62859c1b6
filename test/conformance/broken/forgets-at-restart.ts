import type { BrokenEngine } from './broken-engine.ts';

export const forgetsAtRestart: BrokenEngine = {
  name: 'forgets-at-restart',
  what: 'acknowledges from memory: a restart begins with a full stock and no orders',
  parts: { forgets: true },
  caughtBy: [
    'durable: orders, units and levels are as they were',
    'durable: keys, limits and payments are remembered',
    'durable: phase and purchase key are as they were',
  ],
};
