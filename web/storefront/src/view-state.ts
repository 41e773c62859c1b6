/**
 * What the page shows, from all that it knows: one of these states, each with a view of its own. Pure. The order of the
 * questions is the point: a buyer's own order comes before anything that the sale as a whole says (H011), and Buy is
 * lit by the state file alone, never by a countdown that reached zero (H037).
 */
import type { Availability, Order, OrderStatus, SaleFile } from './api.ts';

export type State =
  | 'loading'
  | 'scheduled'
  | 'open'
  | 'sending'
  | OrderStatus
  | 'sold_out'
  | 'all_held'
  | 'limit_reached'
  | 'not_eligible'
  | 'try_later'
  | 'paused'
  | 'ended'
  | 'sign_in'
  | 'not_found';

/** What an answer has said that the state file may not say yet. */
export type Told = 'sold_out' | 'all_held' | 'paused' | 'ended';

export interface Facts {
  readonly file: SaleFile | null;
  readonly isMissing: boolean;
  /** The order that the page speaks of. */
  readonly order: Order | null;
  /** A request is on its way; or waits for its next try. */
  readonly buying: 'sending' | 'waiting' | null;
  /** A final refusal that stays on the page until something changes. */
  readonly verdict: 'limit_reached' | 'not_eligible' | 'try_later' | null;
  readonly identity: 'token' | 'guest' | 'none' | 'rejected';
  /** Whether the buyer's own orders have been read, or cannot exist. */
  readonly ownKnown: boolean;
  readonly told: Told | null;
  /** Asking for the sale or the own orders has failed more than once, and nothing is known yet. */
  readonly isCutOff: boolean;
}

export function stateOf(facts: Facts): State {
  const { file, order, buying, verdict, identity, told } = facts;
  if (facts.isMissing) return 'not_found';
  if (buying === 'sending') return 'sending';
  if (buying === 'waiting') return 'try_later';
  if (order !== null && verdict === null) return order.status;
  if (file === null) return facts.isCutOff ? 'try_later' : 'loading';
  if (identity === 'rejected') return 'sign_in';
  if (verdict !== null) return verdict;
  if (file.phase === 'scheduled') return 'scheduled';
  if (!facts.ownKnown) return facts.isCutOff ? 'try_later' : 'loading';
  if (file.phase !== 'open') return file.phase;
  if (told !== null) return told;
  const best = bestOf(file);
  if (best === 'sold_out') return best;
  if (identity === 'none' && !file.guests) return 'sign_in';
  return best === 'all_held' ? best : 'open';
}

/** The best that any item can say. */
function bestOf({ items }: SaleFile): Availability {
  const said = items.map(({ availability }) => availability);
  return said.includes('available') ? 'available' : said.includes('all_held') ? 'all_held' : 'sold_out';
}

/** Whether Buy may be pressed. `isFresh`: the state file was read since the page was last out of sight (H096). */
export function canBuy(facts: Facts, isFresh: boolean): boolean {
  const { file, order, told, identity, buying, verdict } = facts;
  if (file === null || file.phase !== 'open' || bestOf(file) !== 'available') return false;
  if (!isFresh || told !== null || buying !== null || !facts.ownKnown) return false;
  if (verdict !== null || identity === 'rejected' || (identity === 'none' && !file.guests)) return false;
  return order === null || ['cancelled', 'expired', 'refused'].includes(order.status);
}
