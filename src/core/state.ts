/**
 * What `decide` looks at, and what it hands back. A ledger loads a `State` under the sale's lock, calls
 * `decide`, and writes the `Change`; nothing else passes between the rules and the books.
 *
 * A state holds every row that the acts of its batch may name; a row that is absent does not exist.
 */
import type { Item } from './item.ts';
import type { Order } from './order.ts';
import type { Verdict } from './outcomes.ts';
import type { Payment } from './payment.ts';
import type { Sale } from './sale.ts';
import type { BuyerId, BuyerKey, OrderId, Sku } from './scalars.ts';

/** What a remembered request (its key) points to. */
export interface RememberedRequest {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  readonly fingerprint: string;
  /** The thing that the answer shows as it now stands. */
  readonly thing: 'order' | 'sale' | 'payment';
  readonly thingId: string;
}

export const requestKeyOf = (request: { caller: string; route: string; key: string }): string =>
  `${request.caller}\n${request.route}\n${request.key}`;
export const orderKeyOf = (buyerId: BuyerId, key: string): string => `${buyerId}\n${key}`;

export interface State {
  readonly sale: Sale;
  readonly items: ReadonlyMap<Sku, Item>;
  /** Units that count against the limit; absent: none. */
  readonly buyers: ReadonlyMap<BuyerKey, number>;
  readonly orders: ReadonlyMap<OrderId, Order>;
  /** `orderKeyOf(buyer, key)` to the order that it made. */
  readonly orderKeys: ReadonlyMap<string, OrderId>;
  /** `paymentKeyOf(paymentId, result)` to the payment: those that acts name, and all of the orders that acts name. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly requests: ReadonlyMap<string, RememberedRequest>;
}

export type Actor = 'shopper' | 'merchant' | 'payment' | 'system';

/** One line of the audit chain: who changed what. */
export interface AuditEntry {
  readonly actor: Actor;
  readonly action: string;
  readonly orderId?: OrderId;
  readonly sku?: Sku;
  readonly paymentId?: string;
  readonly reason?: string | null;
  readonly change?: Readonly<Record<string, unknown>>;
}

/** The difference that a batch makes. Rows stand whole, as they are to be. */
export interface Change {
  readonly sale: Sale | null;
  readonly items: readonly Item[];
  readonly newOrders: readonly Order[];
  readonly changedOrders: readonly Order[];
  readonly buyers: readonly { readonly buyerKey: BuyerKey; readonly units: number }[];
  readonly payments: readonly Payment[];
  readonly requests: readonly RememberedRequest[];
  readonly audit: readonly AuditEntry[];
}

export interface Decision {
  /** One verdict per act, in the order of the acts. */
  readonly verdicts: readonly Verdict[];
  readonly change: Change;
}

export const changesNothing = (change: Change): boolean =>
  change.sale === null &&
  change.items.length === 0 &&
  change.newOrders.length === 0 &&
  change.changedOrders.length === 0 &&
  change.buyers.length === 0 &&
  change.payments.length === 0 &&
  change.requests.length === 0 &&
  change.audit.length === 0;
