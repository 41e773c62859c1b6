/**
 * What the steps of the purchase path are handed: ports, the sales in memory, and the secrets' users (never the
 * secrets). Built once by `app`; the HTTP layer passes it on. A step takes from it what it needs.
 */
import type { Desk, Reads } from '../core/books.ts';
import type { EpochMs } from '../core/scalars.ts';
import type { Clock } from '../kit/clock.ts';
import type { OrderIds } from '../kit/ids.ts';
import type { BuyerTokens } from './gate/buyer-tokens.ts';
import type { MerchantKeys } from './gate/merchant-keys.ts';
import type { Receipts } from './order/receipts.ts';
import type { LiveSales } from './sale/live-sales.ts';

export interface Shop {
  readonly sales: LiveSales;
  readonly reads: Reads;
  readonly desk: Desk;
  readonly clock: Clock;
  /** The ledger's time as this process knows it: the wall clock, never below the last commit. */
  readonly now: () => EpochMs;
  readonly orderIds: OrderIds;
  readonly buyerTokens: BuyerTokens;
  readonly merchantKeys: MerchantKeys;
  readonly receipts: Receipts;
  /** CORS origins for all sales. */
  readonly origins: readonly string[];
  /** By how many milliseconds this machine's clock is wrong, where that is too much to open a sale by hand; else null. */
  readonly clockSkew: () => number | null;
  /** Resolves when the other processes on the ledger have had the time to hear of what was just done. */
  readonly heard: () => Promise<void>;
  /** Why this process cannot sell just now, by part; empty when it can. */
  readonly unready: () => readonly string[];
}
