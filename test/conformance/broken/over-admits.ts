import { type BrokenEngine, rulesOver } from './broken-engine.ts';

export const overAdmits: BrokenEngine = {
  name: 'over-admits',
  what: 'with payment taking the unit, lets everybody in who comes while a unit is free',
  parts: { rules: rulesOver((state) => ({ sale: { ...state.sale, overAdmit: 1000 } })) },
  caughtBy: ['placed: at most floor(stock × overAdmit) at once, and none of them takes a unit'],
};
