/**
 * An item of a sale: what it is called and costs, and where its units are. Every move of a unit in the
 * product is one of the functions here, so I1 (never oversold, nothing lost) can be read on one page.
 * `placed` counts units of `placed` orders (`deductAt: payment`); they are still in `free`.
 */
import { invariant, itemIsBalanced } from './invariants.ts';
import type { Minor, Sku } from './scalars.ts';

export interface Item {
  readonly sku: Sku;
  readonly title: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly priceMinor: Minor;
  readonly total: number;
  readonly free: number;
  readonly escrowed: number;
  readonly held: number;
  readonly sold: number;
  readonly placed: number;
}

export const STOCK_MAX = 100_000_000;

/** The parts of an item that hold units. */
export type StockPart = 'free' | 'escrowed' | 'held' | 'sold';

/** Moves units between two parts. Throws I1 where the source has too few: the caller must have looked. */
export function moveUnits(item: Item, quantity: number, move: { from: StockPart; to: StockPart }): Item {
  // Computed names in the literal would cost four times as much, in the hottest line of the rules (measured).
  const moved: { -readonly [Part in keyof Item]: Item[Part] } = { ...item };
  moved[move.from] -= quantity;
  moved[move.to] += quantity;
  if (!itemIsBalanced(moved)) invariant(false, 'I1', `moving ${quantity} from ${move.from} to ${move.to}`, { ...item });
  return moved;
}

/** Adds (or with a negative delta takes away) free units and total alike. */
export function addStock(item: Item, delta: number): Item {
  const changed = { ...item, total: item.total + delta, free: item.free + delta };
  if (!itemIsBalanced(changed)) invariant(false, 'I1', `correcting stock by ${delta}`, { ...item });
  return changed;
}

/** Counts units of `placed` orders in or out; takes no stock. */
export function countPlaced(item: Item, delta: number): Item {
  const changed = { ...item, placed: item.placed + delta };
  if (!itemIsBalanced(changed)) invariant(false, 'I1', `counting placed by ${delta}`, { ...item });
  return changed;
}

/** overAdmit has at most this many decimals, so that the bound below is exact and not a float's idea of it. */
const OVER_ADMIT_SCALE = 1_000_000;

/**
 * How many units may be `placed` or sold with `deductAt: payment`: floor(stock × overAdmit), never less than
 * the stock (API.md, Shopper).
 */
export function placeableMax(total: number, overAdmit: number): number {
  const scaled = BigInt(Math.round(overAdmit * OVER_ADMIT_SCALE));
  return Math.max(total, Number((BigInt(total) * scaled) / BigInt(OVER_ADMIT_SCALE)));
}
