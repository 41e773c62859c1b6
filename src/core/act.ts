/**
 * What goes into an engine: acts on one sale. Anything random or secret that an act needs (order id, purchase
 * key) comes with it, so that `decide` stays a function of its arguments.
 */
import type { PaymentResult } from './payment.ts';
import type { BuyerId, BuyerKey, EpochMs, Minor, OrderId, Sku } from './scalars.ts';

/** The Idempotency-Key of an act other than a claim: bound to caller, route and body (API.md). */
export interface RequestKey {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  /** A digest of the body, equal for bodies that are equal by value. */
  readonly fingerprint: string;
}

/** The lease under which a worker acts; a ledger that several processes share looks at it again in the atomic step. */
export interface Fence {
  readonly lease: string;
  readonly fence: number;
}

interface Keyed {
  readonly request?: RequestKey;
}

export interface Claim {
  readonly kind: 'claim';
  readonly orderId: OrderId;
  readonly buyerId: BuyerId;
  readonly buyerKey: BuyerKey;
  readonly key: string;
  readonly sku: Sku;
  readonly quantity: number;
  /** As the shopper sent it; empty where it is missing. */
  readonly purchaseKey: string;
}

export interface Pay extends Keyed {
  readonly kind: 'pay';
  readonly paymentId: string;
  readonly orderId: OrderId;
  readonly result: PaymentResult;
  readonly amountMinor: Minor | null;
  readonly currency: string | null;
}

export interface Cancel extends Keyed {
  readonly kind: 'cancel';
  readonly orderId: OrderId;
  /** The buyer who asks, or null for the merchant. */
  readonly buyerId: BuyerId | null;
  readonly returnToStock: boolean;
  readonly reason: string | null;
}

export interface PaymentStarted extends Keyed {
  readonly kind: 'payment_started';
  readonly orderId: OrderId;
}

export interface Refunded extends Keyed {
  readonly kind: 'refunded';
  readonly orderId: OrderId;
  readonly paymentId: string;
  readonly reason: string;
}

export interface ResolvePayment extends Keyed {
  readonly kind: 'resolve_payment';
  readonly paymentId: string;
  readonly orderId: OrderId;
  readonly as: 'refund_due' | 'ignored';
  readonly reason: string;
}

export interface SetDetails {
  readonly kind: 'set_details';
  readonly orderId: OrderId;
  readonly buyerId: BuyerId;
  readonly details: string;
}

/** Time ends a hold. Sent by the sweep only, for orders that are due on the ledger's clock and the monotonic one (I6). */
export interface Expire {
  readonly kind: 'expire';
  readonly orderId: OrderId;
  /** The order's `expiresAt` that was found due; if it has moved since, nothing happens. Absent: the batch's clock judges. */
  readonly dueAtMs?: EpochMs;
  readonly fence?: Fence;
}

/** The last unit is paid: what is still `placed` ends as `refused`. */
export interface ClosePlaced {
  readonly kind: 'close_placed';
  readonly orderId: OrderId;
  readonly fence?: Fence;
}

export interface CorrectStock extends Keyed {
  readonly kind: 'correct_stock';
  readonly sku: Sku;
  readonly delta: number;
  readonly reason: string;
}

export interface SaleCorrections {
  readonly title?: string;
  readonly description?: string;
  readonly opensAtMs?: EpochMs | null;
  readonly endsAtMs?: EpochMs | null;
  readonly segments?: number;
}

export interface CorrectSale extends Keyed {
  readonly kind: 'correct_sale';
  /** Title and description of this item; without it, of the sale. */
  readonly sku: Sku | null;
  readonly set: SaleCorrections;
  readonly reason: string;
}

export interface Lifecycle extends Keyed {
  readonly kind: 'schedule' | 'open' | 'pause' | 'resume' | 'end';
  readonly by: 'merchant' | 'schedule';
  /** The purchase key should this act open the sale. Random, made by the caller, used at most once. */
  readonly purchaseKey: string;
}

export type Act =
  | Claim
  | Pay
  | Cancel
  | PaymentStarted
  | Refunded
  | ResolvePayment
  | SetDetails
  | Expire
  | ClosePlaced
  | CorrectStock
  | CorrectSale
  | Lifecycle;
