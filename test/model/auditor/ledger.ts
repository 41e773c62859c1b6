/**
 * The auditor's own books: what must be true after the acts so far. Counts units from the statuses of orders, and
 * from nothing else, so that it says where each unit must be (I1) and what counts against a limit (I4).
 */
import type { ItemRow, Opening, OrderRow } from './history.ts';

export interface KnownOrder extends OrderRow {
  status: string;
  expiresAtMs: number | null;
  paidAtMs: number | null;
  closedAtMs: number | null;
  details: string | null;
  graceUsed: boolean;
}

export interface KnownItem {
  readonly sku: string;
  readonly priceMinor: number;
  title: string;
  total: number;
  held: number;
  placed: number;
  paid: number;
  /** Units of paid orders that the merchant cancelled and did not take back. */
  kept: number;
}

export interface KnownPayment {
  readonly paymentId: string;
  readonly result: string;
  readonly orderId: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  state: 'applied' | 'parked' | 'resolved';
  refund: 'none' | 'due' | 'done';
  /** It made the order `paid`. */
  pays: boolean;
}

export interface KnownRequest {
  readonly fingerprint: string;
  /** The order that it shows, or null for the sale. */
  readonly orderId: string | null;
}

type Phase = 'draft' | 'scheduled' | 'open' | 'paused' | 'ended';

const LIVE = ['accepted', 'placed', 'held', 'paid'];

/** API.md: limits compare buyer ids NFC, trimmed, case folded; the workload spells them with ASCII only. */
const fold = (buyerId: string): string => buyerId.trim().toLowerCase();

export class Ledger {
  readonly rules: Opening['sale'];
  phase: Phase = 'draft';
  opensAtMs: number | null;
  endsAtMs: number | null;
  title: string;
  segments: number;
  purchaseKey: string | null = null;
  version = 1;
  readonly items: Map<string, KnownItem>;
  readonly orders = new Map<string, KnownOrder>();
  readonly orderOfKey = new Map<string, KnownOrder>();
  readonly payments = new Map<string, KnownPayment>();
  readonly paymentsOf = new Map<string, KnownPayment[]>();
  readonly requests = new Map<string, KnownRequest>();
  readonly #units = new Map<string, number>();

  constructor({ sale, items }: Opening) {
    this.rules = sale;
    this.opensAtMs = sale.opensAtMs;
    this.endsAtMs = sale.endsAtMs;
    this.title = sale.title;
    this.segments = sale.segments;
    this.items = new Map(items.map((item) => [item.sku, knownItem(item)]));
  }

  /** I6: past `endsAt` a sale is over, whoever has written that down. */
  phaseAt(nowMs: number): Phase {
    return this.phase !== 'draft' && this.endsAtMs !== null && nowMs >= this.endsAtMs ? 'ended' : this.phase;
  }

  units(buyerId: string): number {
    return this.#units.get(fold(buyerId)) ?? 0;
  }

  sold(item: KnownItem): number {
    return item.paid + item.kept;
  }

  free(item: KnownItem): number {
    return item.total - item.held - this.sold(item);
  }

  /** API.md: with deductAt payment, at most floor(stock × overAdmit) units may be placed or sold, never less than the stock. */
  orderable(item: KnownItem): number {
    const free = this.free(item);
    if (this.rules.deductAt === 'order') return free;
    const millionths = Math.round(this.rules.overAdmit * 1e6);
    const most = Math.max(item.total, Number((BigInt(item.total) * BigInt(millionths)) / 1_000_000n));
    return Math.max(0, Math.min(free, most - item.placed - this.sold(item)));
  }

  /** The one place where units change hands. `kept`: a cancelled paid order whose units did not return. */
  setStatus(order: KnownOrder, status: string, how: { kept?: boolean } = {}): void {
    const item = this.items.get(order.sku);
    if (item === undefined) throw new Error(`the auditor has no item ${order.sku}`);
    this.#count(order, item, -order.quantity);
    order.status = status;
    this.#count(order, item, order.quantity);
    if (how.kept === true) item.kept += order.quantity;
    for (const count of [item.held, item.placed, item.paid, this.free(item), this.units(order.buyerId)])
      if (count < 0) throw new Error(`the auditor's own books are wrong: ${JSON.stringify({ order, item })}`);
  }

  #count(order: KnownOrder, item: KnownItem, units: number): void {
    if (order.status === 'held') item.held += units;
    if (order.status === 'placed') item.placed += units;
    if (order.status === 'paid') item.paid += units;
    if (LIVE.includes(order.status)) this.#units.set(fold(order.buyerId), this.units(order.buyerId) + units);
  }

  add(order: Omit<KnownOrder, 'status'>, status: string): KnownOrder {
    const made: KnownOrder = { ...order, status: 'none' };
    this.orders.set(order.orderId, made);
    this.orderOfKey.set(`${order.buyerId}\n${order.key}`, made);
    this.setStatus(made, status);
    return made;
  }

  putPayment(payment: KnownPayment): KnownPayment {
    const key = `${payment.paymentId}\n${payment.result}`;
    const before = this.payments.get(key);
    if (before !== undefined) {
      const rest = this.paymentsOf.get(before.orderId)?.filter((each) => each !== before) ?? [];
      this.paymentsOf.set(before.orderId, rest);
    }
    this.payments.set(key, payment);
    this.paymentsOf.set(payment.orderId, [...(this.paymentsOf.get(payment.orderId) ?? []), payment]);
    return payment;
  }

  refundsDue(orderId: string): KnownPayment[] {
    return (this.paymentsOf.get(orderId) ?? []).filter((payment) => payment.refund === 'due');
  }
}

const knownItem = ({ sku, priceMinor, title, total }: ItemRow): KnownItem => ({
  sku,
  priceMinor,
  title,
  total,
  held: 0,
  placed: 0,
  paid: 0,
  kept: 0,
});
