/**
 * What the auditor is shown: acts, verdicts and rows, as they can be seen from outside. Written down here a second
 * time and on purpose: the auditor shares no line with what it judges.
 */
interface Keyed {
  readonly request?: {
    readonly caller: string;
    readonly route: string;
    readonly key: string;
    readonly fingerprint: string;
  };
}

export interface ClaimAct {
  readonly kind: 'claim';
  readonly orderId: string;
  readonly buyerId: string;
  readonly key: string;
  readonly sku: string;
  readonly quantity: number;
  readonly purchaseKey: string;
}

export interface PayAct extends Keyed {
  readonly kind: 'pay';
  readonly paymentId: string;
  readonly orderId: string;
  readonly result: 'succeeded' | 'failed' | 'expired';
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

export interface CancelAct extends Keyed {
  readonly kind: 'cancel';
  readonly orderId: string;
  readonly buyerId: string | null;
  readonly returnToStock: boolean;
}

export interface TimedAct extends Keyed {
  readonly kind: 'expire' | 'close_placed' | 'payment_started';
  readonly orderId: string;
  /** With `expire`: the end that a sweep, which goes by two clocks, found due. */
  readonly dueAtMs?: number;
}

export interface RefundedAct extends Keyed {
  readonly kind: 'refunded';
  readonly orderId: string;
  readonly paymentId: string;
}

export interface ResolveAct extends Keyed {
  readonly kind: 'resolve_payment';
  readonly orderId: string;
  readonly paymentId: string;
  readonly as: 'refund_due' | 'ignored';
}

export interface DetailsAct {
  readonly kind: 'set_details';
  readonly orderId: string;
  readonly buyerId: string;
  readonly details: string;
}

export interface StockAct extends Keyed {
  readonly kind: 'correct_stock';
  readonly sku: string;
  readonly delta: number;
}

export interface CorrectAct extends Keyed {
  readonly kind: 'correct_sale';
  readonly sku: string | null;
  readonly set: {
    readonly title?: string;
    readonly description?: string;
    readonly opensAtMs?: number | null;
    readonly endsAtMs?: number | null;
    readonly segments?: number;
  };
}

export interface LifecycleAct extends Keyed {
  readonly kind: 'schedule' | 'open' | 'pause' | 'resume' | 'end';
  readonly by: 'merchant' | 'schedule';
  readonly purchaseKey: string;
}

export type AnyAct =
  | ClaimAct
  | PayAct
  | CancelAct
  | TimedAct
  | RefundedAct
  | ResolveAct
  | DetailsAct
  | StockAct
  | CorrectAct
  | LifecycleAct;

export interface OrderRow {
  readonly orderId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly unitPriceMinor: number;
  readonly buyerId: string;
  readonly key: string;
  readonly status: string;
  readonly placedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly paidAtMs: number | null;
  readonly closedAtMs: number | null;
  readonly details: string | null;
}

export interface RefundRow {
  readonly paymentId: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly refundReason: string | null;
}

export interface SaleRow {
  readonly phase: string;
  readonly version: number;
  readonly purchaseKey: string | null;
  readonly opensAtMs: number | null;
  readonly endsAtMs: number | null;
  readonly title: string;
  readonly segments: number;
}

export interface ItemRow {
  readonly sku: string;
  readonly title: string;
  readonly priceMinor: number;
  readonly total: number;
  readonly free: number;
  readonly escrowed: number;
  readonly held: number;
  readonly sold: number;
  readonly placed: number;
}

interface Refused {
  readonly outcome: 'refused';
  readonly code: string;
  readonly availability?: string;
  readonly available?: number;
}

interface OrderTold {
  readonly outcome: 'order';
  readonly order: OrderRow;
  readonly changed: boolean;
  readonly replayed: boolean;
  readonly refundsDue: readonly RefundRow[];
}

interface SaleTold {
  readonly outcome: 'sale';
  readonly sale: SaleRow;
  readonly changed: boolean;
  readonly replayed: boolean;
}

/** No act of the workload is answered so; that one is would be a fault. */
interface OtherTold {
  readonly outcome: 'payment' | 'set_aside';
}

export type AnyVerdict = Refused | OrderTold | SaleTold | OtherTold;

/** One batch: what was done at one time, and what was said to it. */
export interface Batch {
  readonly atMs: number;
  readonly acts: readonly AnyAct[];
  readonly verdicts: readonly AnyVerdict[];
}

/** The sale as the merchant set it up: a draft. */
export interface Opening {
  readonly sale: SaleRow & {
    readonly limitPerBuyer: number | null;
    readonly holdSeconds: number;
    readonly paymentGraceSeconds: number;
    readonly deductAt: string;
    readonly overAdmit: number;
    readonly latePayment: string;
    readonly currency: string;
  };
  readonly items: readonly ItemRow[];
}

/** The rows in the end. */
export interface Closing {
  readonly sale: SaleRow;
  readonly items: readonly ItemRow[];
  readonly orders: readonly OrderRow[];
}
