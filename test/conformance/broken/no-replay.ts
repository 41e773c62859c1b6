import { type BrokenEngine, rulesOver } from './broken-engine.ts';

export const noReplay: BrokenEngine = {
  name: 'no-replay',
  what: 'knows the keys of the batch at hand only: a retry a moment later is a second order',
  parts: { rules: rulesOver(() => ({ orderKeys: new Map() })) },
  caughtBy: [
    'key: again in a later batch is the same order',
    'key: 60 times at once through several servers is one order',
    'key: answers when all is sold out, paused and ended',
    'durable: keys, limits and payments are remembered',
  ],
};
