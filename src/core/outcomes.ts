/**
 * Every refusal that a caller can be given, once, in the order of precedence in which an order request
 * is judged (API.md, Codes of refusal). The HTTP layer maps each to a status in one table; switches over
 * it end in a never-check.
 */
import type { Order } from './order.ts';
import type { Payment } from './payment.ts';
import type { Sale } from './sale.ts';

export const REFUSAL_CODES = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'busy',
  'too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'invalid',
  'not_found',
  'idempotency_conflict',
  'already_exists',
  'not_open',
  'sale_paused',
  'sale_ended',
  'wrong_purchase_key',
  'not_eligible',
  'challenge_required',
  'challenge_failed',
  'full',
  'not_admitted',
  'limit_reached',
  'sold_out',
  'not_enough',
  'sale_frozen',
  'wrong_state',
  'payment_mismatch',
  'unavailable',
  'internal',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export type Availability = 'available' | 'all_held' | 'sold_out';

/** A refusal took nothing (`effect: none`) and is not remembered. */
export interface Refusal {
  readonly outcome: 'refused';
  readonly code: RefusalCode;
  readonly detail: string;
  readonly availability?: Availability;
  readonly available?: number;
  readonly minimum?: number;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** The act's thing as it now stands. `changed` false: it was so already (a replay, or nothing to do). */
export interface OrderAnswer {
  readonly outcome: 'order';
  readonly order: Order;
  readonly changed: boolean;
  readonly replayed: boolean;
  /** Payments of this order that must go back, oldest first. */
  readonly refundsDue: readonly Payment[];
}

export interface SaleAnswer {
  readonly outcome: 'sale';
  readonly sale: Sale;
  readonly changed: boolean;
  readonly replayed: boolean;
}

/** A payment that was parked and taken note of (202), or one that carries its own refund. */
export interface PaymentAnswer {
  readonly outcome: 'payment';
  readonly payment: Payment;
  readonly changed: boolean;
  readonly replayed: boolean;
}

/** The sweep met a record that cannot be right and set it aside. */
export interface SetAside {
  readonly outcome: 'set_aside';
  readonly reason: string;
}

export type Verdict = OrderAnswer | SaleAnswer | PaymentAnswer | SetAside | Refusal;

export const refuse = (code: RefusalCode, detail: string, more: Partial<Refusal> = {}): Refusal => ({
  outcome: 'refused',
  code,
  detail,
  ...more,
});
