import { decide } from '../../../src/core/decide.ts';
import type { EpochMs } from '../../../src/core/scalars.ts';
import type { BrokenEngine } from './broken-engine.ts';

const HOUR_MS = 3_600_000;

export const expiresEarly: BrokenEngine = {
  name: 'expires-early',
  what: 'goes by a clock of its own that is an hour fast when it ends holds',
  parts: {
    rules: (state, acts, now) =>
      decide(state, acts, (acts.every((act) => act.kind === 'expire') ? now + HOUR_MS : now) as EpochMs),
  },
  caughtBy: ['end: a timer that comes too early changes nothing'],
};
