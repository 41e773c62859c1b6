/**
 * The payment step: brings what the shop's backend reports to the sale of the order. The order id itself says which
 * sale that is; a payment for an order that nobody knows is kept, shown and tried again, never lost (H021).
 * What a payment does to its order is decided in the core, inside the sale's atomic step.
 */
import type { Pay, Refunded, ResolvePayment } from '../../core/act.ts';
import type { Desk, Reads } from '../../core/books.ts';
import { type Refusal, refuse, type Verdict } from '../../core/outcomes.ts';
import type { Payment } from '../../core/payment.ts';
import type { EpochMs } from '../../core/scalars.ts';
import type { RememberedRequest } from '../../core/state.ts';
import type { OrderIds } from '../../kit/ids.ts';

interface PayableSale {
  submit(act: Pay | Refunded | ResolvePayment): Promise<Verdict>;
}

export interface PaymentParts {
  readonly sales: { byNo(saleNo: number): Promise<PayableSale | null> };
  readonly orderIds: Pick<OrderIds, 'parse'>;
  readonly desk: Pick<Desk, 'parkUnknown' | 'settleUnknown'>;
  readonly reads: Pick<Reads, 'paymentsById'>;
  readonly now: () => EpochMs;
}

export type ReportedPayment = Omit<Pay, 'kind' | 'request'>;

/** An `order` verdict, a refusal, or `payment` where it is parked for an unknown order. */
export async function reportPayment(parts: PaymentParts, reported: ReportedPayment): Promise<Verdict> {
  const known = parts.orderIds.parse(reported.orderId);
  const live = known === null ? null : await parts.sales.byNo(known.saleNo);
  if (live === null) return parkUnknown(parts, reported);
  const verdict = await live.submit({ kind: 'pay', ...reported });
  const isUnknown = verdict.outcome === 'refused' && verdict.code === 'not_found';
  return isUnknown ? parkUnknown(parts, reported) : verdict;
}

function parkUnknown(parts: PaymentParts, reported: ReportedPayment): Promise<Verdict> {
  const now = parts.now();
  return parts.desk.parkUnknown({
    ...reported,
    saleNo: null,
    state: 'parked',
    reason: 'unknown_order',
    receivedAtMs: now,
    updatedAtMs: now,
    refund: 'none',
    refundReason: null,
  });
}

export interface Resolution {
  readonly as: 'refund_due' | 'ignored';
  readonly reason: string;
}

type NewRequest = Omit<RememberedRequest, 'thing' | 'thingId'>;

/** A person's decision on a parked payment: through its sale, or at the desk where the order is unknown. */
export async function resolvePayment(
  parts: PaymentParts,
  paymentId: string,
  resolution: Resolution,
  request: NewRequest | null,
): Promise<Verdict> {
  const payment = preferParked(await parts.reads.paymentsById(paymentId));
  if (payment === undefined) return noSuchPayment();
  if (payment.saleNo === null)
    return parts.desk.settleUnknown(paymentId, { act: resolution.as, reason: resolution.reason }, request);
  const live = await parts.sales.byNo(payment.saleNo);
  if (live === null) return noSuchPayment();
  const { orderId } = payment;
  const keyed = request === null ? {} : { request };
  return live.submit({ kind: 'resolve_payment', paymentId, orderId, ...resolution, ...keyed });
}

/** An id may stand for several results; the one that waits for a decision is meant. */
const preferParked = (payments: readonly Payment[]): Payment | undefined =>
  payments.find((payment) => payment.state === 'parked') ??
  payments.find((payment) => payment.state === 'resolved') ??
  payments[0];

const noSuchPayment = (): Refusal => refuse('not_found', 'There is no such payment.');

/** The money of this payment has gone back. For a known order that is an act on the order. */
export async function markRefunded(
  parts: PaymentParts,
  paymentId: string,
  reason: string,
  request: NewRequest | null,
): Promise<Verdict> {
  const payments = await parts.reads.paymentsById(paymentId);
  const payment = payments.find(({ refund }) => refund !== 'none') ?? payments[0];
  if (payment === undefined) return noSuchPayment();
  if (payment.saleNo === null) return parts.desk.settleUnknown(paymentId, { act: 'refunded', reason }, request);
  const live = await parts.sales.byNo(payment.saleNo);
  if (live === null) return noSuchPayment();
  const keyed = request === null ? {} : { request };
  return live.submit({ kind: 'refunded', orderId: payment.orderId, paymentId, reason, ...keyed });
}
