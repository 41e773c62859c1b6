/** The sale as a whole: phases (API.md, Merchant, Sales) and corrections. */
import { type Expectation, refused } from './expectation.ts';
import type { CorrectAct, LifecycleAct, StockAct } from './history.ts';
import type { Ledger } from './ledger.ts';

const MAY_START_FROM: Readonly<Record<LifecycleAct['kind'], readonly string[]>> = {
  schedule: ['draft'],
  open: ['draft', 'scheduled'],
  pause: ['open'],
  resume: ['paused'],
  end: ['scheduled', 'open', 'paused'],
};
const LEADS_TO = { schedule: 'scheduled', open: 'open', pause: 'paused', resume: 'open', end: 'ended' } as const;

const sameSale: Expectation = { sale: true, changed: false };
const newSale: Expectation = { sale: true, changed: true };

/** Time alone asks for this act, at this time. */
function isDue(ledger: Ledger, kind: string, nowMs: number): boolean {
  const { phase, opensAtMs, endsAtMs } = ledger;
  if (phase === 'draft' || phase === 'ended') return false;
  if (endsAtMs !== null && nowMs >= endsAtMs) return kind === 'end';
  return kind === 'open' && phase === 'scheduled' && opensAtMs !== null && nowMs >= opensAtMs;
}

/** A sale that has run past its end is over for good once somebody wants to order. */
export function meetEnd(ledger: Ledger, nowMs: number): void {
  if (!isDue(ledger, 'end', nowMs)) return;
  ledger.phase = 'ended';
  ledger.version++;
}

export function expectLifecycle(ledger: Ledger, act: LifecycleAct, nowMs: number): Expectation {
  if (act.by === 'schedule' && !isDue(ledger, act.kind, nowMs)) return sameSale;
  // A sale that has run past its end can still be ended: that writes down what is so already.
  const phase = act.kind === 'end' ? ledger.phase : ledger.phaseAt(nowMs);
  if (phase === LEADS_TO[act.kind]) return sameSale;
  if (!MAY_START_FROM[act.kind].includes(phase)) return refused('wrong_state');
  const begins = act.kind === 'schedule' || act.kind === 'open';
  if (begins && ledger.endsAtMs !== null && nowMs >= ledger.endsAtMs) return refused('invalid');
  ledger.phase = LEADS_TO[act.kind];
  ledger.version++;
  if (act.kind === 'open' && act.by === 'merchant') ledger.opensAtMs = nowMs;
  const opensAtOnce = act.kind === 'schedule' && ledger.opensAtMs !== null && nowMs >= ledger.opensAtMs;
  if (opensAtOnce) ledger.phase = 'open';
  // I6: the key is made at the opening, and never again.
  if (ledger.phase === 'open') ledger.purchaseKey ??= act.purchaseKey;
  return newSale;
}

const STOCK_MAX = 100_000_000;

/** By delta; a total below held + sold is refused. */
export function expectStock(ledger: Ledger, act: StockAct): Expectation {
  if (ledger.phase === 'draft') return refused('wrong_state');
  const item = ledger.items.get(act.sku);
  if (item === undefined) return refused('not_found');
  if (item.total + act.delta > STOCK_MAX) return refused('invalid');
  if (item.total + act.delta < item.held + ledger.sold(item)) return refused('not_enough');
  item.total += act.delta;
  ledger.version++;
  return newSale;
}

export function expectCorrection(ledger: Ledger, act: CorrectAct, nowMs: number): Expectation {
  const phase = ledger.phaseAt(nowMs);
  const { set } = act;
  const { opensAtMs = ledger.opensAtMs, endsAtMs = ledger.endsAtMs, segments = ledger.segments } = set;
  const item = act.sku === null ? null : ledger.items.get(act.sku);
  if (phase === 'draft') return refused('wrong_state');
  if (item === undefined) return refused('not_found');
  if (set.endsAtMs !== undefined && phase === 'ended') return refused('sale_ended');
  const hasOpened = phase !== 'scheduled' || (ledger.opensAtMs !== null && ledger.opensAtMs <= nowMs);
  if (set.opensAtMs !== undefined && hasOpened) return refused('wrong_state');
  if (set.endsAtMs !== undefined && endsAtMs !== null && endsAtMs <= nowMs) return refused('invalid');
  if (opensAtMs !== null && endsAtMs !== null && endsAtMs <= opensAtMs) return refused('invalid');
  if (segments < ledger.segments) return refused('invalid');
  Object.assign(ledger, { opensAtMs, endsAtMs, segments });
  if (set.title !== undefined) Object.assign(item ?? ledger, { title: set.title });
  ledger.version++;
  return newSale;
}
