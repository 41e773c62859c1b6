/**
 * The ports between the rules and the books, in core types, so that engines, purchase steps and ledgers meet
 * here and know nothing of each other. `app` hands the implementations round.
 *
 * Every method may reject with an OperatingError (kit/errors.ts): `effect: none` after a sure rollback, else
 * `unknown`: the caller must ask again with the same key.
 */
import type { Act, Fence } from './act.ts';
import type { Item } from './item.ts';
import type { Order, OrderStatus } from './order.ts';
import type { Verdict } from './outcomes.ts';
import type { Payment, PaymentState } from './payment.ts';
import type { Sale, SaleSettings } from './sale.ts';
import type { BuyerId, BuyerKey, EpochMs, OrderId, SaleId } from './scalars.ts';
import type { RememberedRequest } from './state.ts';

/** What a batch answered, and how the sale stands after it (for the state file and the latch). */
export interface BatchResult {
  /** One verdict per act, in the order of the acts. */
  readonly verdicts: readonly Verdict[];
  /** The ledger's time of the commit. */
  readonly atMs: EpochMs;
  /** The sale, where the batch changed it. */
  readonly sale: Sale | null;
  /** The items that the batch changed, as they now stand. */
  readonly items: readonly Item[];
  /**
   * How far the sale has come, where several processes share the books, before this batch and after it: a number
   * that grows by one with every change. Where a batch was done in parts that others came between, `before` is -1.
   */
  readonly ledgerSeq?: { readonly before: number; readonly after: number };
}

/** Where the units of a batch come from: `free` in the ledger, or what a hot engine was granted. */
export type StockSource = 'free' | 'escrow';

/** The one port to the books (DESIGN.md, Inventory): one batch, one transaction, one commit. */
export interface Books {
  runBatch(saleNo: number, source: StockSource, acts: readonly Act[]): Promise<BatchResult>;
}

export interface SaleAndItems {
  readonly sale: Sale;
  readonly items: readonly Item[];
  /** How far the sale has come (`BatchResult`), where several processes share the books. */
  readonly ledgerSeq?: number;
}

export interface NewSale {
  readonly saleId: SaleId;
  readonly settings: SaleSettings;
  readonly items: readonly Item[];
}

export interface DraftEdit {
  readonly settings: SaleSettings;
  /** Null: as they are. */
  readonly items: readonly Item[] | null;
  /** The version of the draft that the edit was made from; where the draft has moved on, nothing is written. */
  readonly fromVersion: number;
}

/** An act on the books that concerns no open sale's stock: drafts, and payments whose order nobody knows. */
export interface Desk {
  /** `already_exists` where the id is taken; a repeated key answers with the sale as it now stands. */
  createSale(
    sale: NewSale,
    request: Omit<RememberedRequest, 'thing' | 'thingId'> | null,
  ): Promise<Verdict & { items?: readonly Item[] }>;
  /** Replaces a draft's settings and, where given, its items. `sale_frozen` when it is no draft; `outdated`: read it again. */
  editDraft(saleNo: number, edit: DraftEdit): Promise<Verdict | { readonly outcome: 'outdated' }>;
  /** `wrong_state` when it is no draft. */
  deleteDraft(saleNo: number): Promise<Verdict | { readonly outcome: 'deleted' }>;
  /** Takes note of a payment for an order that nobody knows (202); the same again changes nothing. */
  parkUnknown(payment: Payment): Promise<Verdict>;
  /** A person's decision on such a payment, or the note that its refund was made. */
  settleUnknown(
    paymentId: string,
    how: { readonly act: 'refund_due' | 'ignored' | 'refunded'; readonly reason: string },
    request: Omit<RememberedRequest, 'thing' | 'thingId'> | null,
  ): Promise<Verdict>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins, or null at the end. */
  readonly next: string | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: string | null;
}

/** An order with what its representation needs from elsewhere. */
export interface OrderRow {
  readonly order: Order;
  readonly saleId: SaleId;
  readonly currency: string;
  readonly refundsDue: readonly Payment[];
}

export interface OrderFilter {
  readonly status: OrderStatus | null;
  readonly buyerId: BuyerId | null;
  readonly updatedSinceMs: EpochMs | null;
}

export interface ItemBooks {
  readonly sku: string;
  readonly total: number;
  readonly available: number;
  readonly held: number;
  readonly sold: number;
  readonly inFlight: number;
}

export interface BooksReport {
  readonly items: readonly ItemBooks[];
  readonly orders: Readonly<Partial<Record<OrderStatus, number>>>;
  /** The sums hold, and the orders' units are what the items say. */
  readonly balanced: boolean;
  readonly differences: readonly string[];
}

export interface AuditRow {
  readonly seq: number;
  readonly atMs: EpochMs;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly hash: string;
  readonly previousHash: string;
}

/** Reading, from a connection that cannot write. Sees everything that was acknowledged. */
export interface Reads {
  saleById(saleId: string): Promise<SaleAndItems | null>;
  saleByNo(saleNo: number): Promise<SaleAndItems | null>;
  /** Sales that time or traffic may still change: scheduled, open, paused. */
  liveSales(): Promise<readonly SaleAndItems[]>;
  sales(page: PageRequest): Promise<Page<SaleAndItems>>;
  order(orderId: string): Promise<OrderRow | null>;
  ordersOfBuyer(saleNo: number, buyerId: BuyerId, page: PageRequest): Promise<Page<OrderRow>>;
  ordersOfSale(saleNo: number, filter: OrderFilter, page: PageRequest): Promise<Page<OrderRow>>;
  /** Everybody with any order in the sale, as limits see them. */
  buyersOf(saleNo: number): Promise<readonly BuyerKey[]>;
  payments(state: PaymentState | null, page: PageRequest): Promise<Page<Payment>>;
  paymentsById(paymentId: string): Promise<readonly Payment[]>;
  /** Parked payments of unknown orders that came after `sinceMs`, to be tried again. */
  parkedUnknown(sinceMs: EpochMs, limit: number): Promise<readonly Payment[]>;
  books(saleNo: number): Promise<BooksReport>;
  audit(saleNo: number, which: 'acts' | 'all', page: PageRequest): Promise<Page<AuditRow>>;
  request(request: { caller: string; route: string; key: string }): Promise<RememberedRequest | null>;
  /** `held` and `placed` orders whose time is up by the ledger's clock and the monotonic one (I6), oldest first. */
  dueOrders(limit: number): Promise<readonly { saleNo: number; orderId: OrderId; dueAtMs: EpochMs }[]>;
  /** `placed` orders of items whose last unit is paid. */
  placedWithoutStock(limit: number): Promise<readonly { saleNo: number; orderId: OrderId }[]>;
}

/** What the processes on one ledger need of each other's work. Absent where one process owns the ledger. */
export interface Watch {
  /** The ledger's time minus this process's monotonic one, measured now, with half the round trip as its error. */
  clockOffset(): Promise<{ readonly offsetMs: number; readonly errorMs: number }>;
  /** Of these sales (number to `ledgerSeq`), those that have changed since, as they now stand; null: deleted. */
  changes(known: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, SaleAndItems | null>>;
  /** Buyers with an order that was made or changed at `sinceMs` or later, and until when that is all of them. */
  buyersSince(
    saleNo: number,
    sinceMs: EpochMs,
  ): Promise<{ readonly buyers: readonly BuyerKey[]; readonly untilMs: EpochMs }>;
}

export type { Fence } from './act.ts';

/** Who does a piece of background work, where several processes could. */
export interface Leases {
  /** The fence under which to act, or null while another process holds the lease. Renews one that is held. */
  take(name: LeaseName, holder: string, seconds: number): Promise<Fence | null>;
  /** Lets others have it at once. */
  release(fence: Fence, holder: string): Promise<void>;
}

export const LEASE_NAMES = ['sweep', 'parked'] as const;
export type LeaseName = (typeof LEASE_NAMES)[number];
