/**
 * How far the demo is: what its live view shows, kept by the events of the stampede. Pure.
 *
 * preparing (tokens are minted) → waiting (the opening is set) → rush (people come, then pay or not) → judging → over.
 */
import type { StampedeEvent } from '../../rehearsal/main.ts';
import type { Progress } from '../../rehearsal/report.ts';
import type { Books } from '../../rehearsal/wire.ts';
import type { Stock } from '../terminal/bars.ts';

export interface Stage {
  readonly kind: 'preparing' | 'waiting' | 'rush' | 'judging' | 'over';
  readonly shoppers: number;
  readonly opensAtMs: number | null;
  readonly progress: Progress | null;
  /** As the server's books have it. */
  readonly stock: Stock;
  /** Order requests a second, one figure for each progress. */
  readonly rates: readonly number[];
}

/** Some minutes; a run takes less. */
const RATES_KEPT = 2000;

export const firstStage = ({ shoppers, stock }: { shoppers: number; stock: number }): Stage => ({
  kind: 'preparing',
  shoppers,
  opensAtMs: null,
  progress: null,
  stock: { free: stock, held: 0, sold: 0 },
  rates: [],
});

export function stageAfter(stage: Stage, event: StampedeEvent): Stage {
  switch (event.event) {
    case 'ready':
      return { ...stage, kind: 'waiting' };
    case 'opened':
      return { ...stage, kind: 'rush' };
    case 'progress':
      return { ...stage, progress: event, rates: [...stage.rates, rateOf(stage.progress, event)].slice(-RATES_KEPT) };
    case 'judging':
      return { ...stage, kind: 'judging' };
    case 'report':
      return { ...stage, kind: 'over' };
    case 'failed':
      return stage;
  }
}

export function stockOf({ items }: Books): Stock {
  const sum = (part: 'available' | 'held' | 'sold'): number => items.reduce((all, item) => all + item[part], 0);
  return { free: sum('available'), held: sum('held'), sold: sum('sold') };
}

function rateOf(before: Progress | null, now: Progress): number {
  const spanMs = now.afterOpeningMs - (before?.afterOpeningMs ?? 0);
  return spanMs <= 0 ? 0 : Math.round(((now.requests - (before?.requests ?? 0)) / spanMs) * 1000);
}
