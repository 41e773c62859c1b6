/**
 * The shapes of the HTTP API that a rehearsal reads, as the contract names them, and nothing more of them than it
 * needs. A rehearsal stands outside: it shares no code with the server, so that a fault in the server's own
 * types cannot hide itself here.
 */

export type OrderStatus =
  | 'accepted'
  | 'placed'
  | 'held'
  | 'paid'
  | 'cancelled'
  | 'expired'
  | 'refused'
  | 'refund_due'
  | 'refunded';

export interface Order {
  readonly orderId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly expiresAt: string | null;
  readonly closedAt: string | null;
  readonly refundsDue: readonly { readonly paymentId: string }[];
}

/** An order as the merchant's list shows it. */
export interface BookedOrder extends Order {
  readonly buyerId: string;
}

export interface Books {
  readonly items: readonly {
    readonly sku: string;
    readonly total: number;
    readonly available: number;
    readonly held: number;
    readonly sold: number;
    readonly inFlight: number;
  }[];
  readonly orders: Readonly<Partial<Record<OrderStatus, number>>>;
  readonly balanced: boolean;
}

export interface SaleState {
  readonly phase: 'scheduled' | 'open' | 'paused' | 'ended';
  readonly opensAt: string | null;
  readonly purchaseKey?: string;
  readonly items: readonly { readonly sku: string; readonly availability: Availability }[];
  readonly limitPerBuyer: number | null;
}

export type Availability = 'available' | 'all_held' | 'sold_out';

export interface Sale {
  readonly saleId: string;
  readonly title: string;
  readonly currency: string;
  readonly opensAt: string | null;
  readonly limitPerBuyer: number | null;
  readonly items: readonly {
    readonly sku: string;
    readonly title: string;
    readonly priceMinor: number;
    readonly stock: number;
  }[];
}

/** RFC 9457 with the fields of the contract. */
export interface Problem {
  readonly code: string;
  readonly retryable: boolean;
  readonly effect: 'none' | 'unknown';
  readonly retryAfterMs?: number;
  readonly availability?: Availability;
}

/** What an order request came to, seen from the client. */
export type OrderAnswer =
  | { readonly kind: 'order'; readonly order: Order }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  /** No answer, or one that the contract does not know: the effect is unknown. */
  | { readonly kind: 'lost'; readonly why: string };
