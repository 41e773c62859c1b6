/**
 * The books of some sales, kept in memory: the reference for what a ledger does around `decide`. Loads what the
 * acts of a batch name, decides, writes the difference. Used by the conformance suite's memory engine and by
 * tests; it promises nothing beyond the life of its process (no I2).
 *
 * Hands `decide` no more rows than State promises, so that a rule that looks at others fails here first.
 */
import type { Act } from './act.ts';
import type { BatchResult, Books, NewSale, StockSource } from './books.ts';
import { decide } from './decide.ts';
import { invariant } from './invariants.ts';
import type { Item } from './item.ts';
import type { Order } from './order.ts';
import { type Payment, paymentKeyOf } from './payment.ts';
import type { Sale } from './sale.ts';
import type { BuyerKey, EpochMs, OrderId, Sku } from './scalars.ts';
import { type AuditEntry, type Change, orderKeyOf, type RememberedRequest, requestKeyOf, type State } from './state.ts';

/** All rows of one sale. */
export interface SaleRows {
  readonly sale: Sale;
  readonly items: readonly Item[];
  readonly orders: readonly Order[];
  readonly payments: readonly Payment[];
  readonly buyers: readonly { readonly buyerKey: BuyerKey; readonly units: number }[];
  readonly audit: readonly AuditEntry[];
}

interface Shelf {
  sale: Sale;
  readonly items: Map<Sku, Item>;
  readonly orders: Map<OrderId, Order>;
  readonly orderKeys: Map<string, OrderId>;
  readonly buyers: Map<BuyerKey, number>;
  readonly requests: Map<string, RememberedRequest>;
  readonly audit: AuditEntry[];
}

export class MemoryBooks implements Books {
  readonly #now: () => EpochMs;
  readonly #decide: typeof decide;
  readonly #shelves: Shelf[] = [];
  /** Payments are known by id and result over all sales, as in a ledger. */
  readonly #payments = new Map<string, Payment>();
  readonly #paymentKeysOf = new Map<OrderId, Set<string>>();

  /** `rules` stands in for `decide` where a test wants to see broken ones caught. */
  constructor(now: () => EpochMs, rules: typeof decide = decide) {
    this.#now = now;
    this.#decide = rules;
  }

  /** Adds a sale as a draft; its number is the answer's `saleNo`. */
  createSale({ saleId, settings, items }: NewSale): Sale {
    const now = this.#now();
    const saleNo = this.#shelves.length + 1;
    const made = { purchaseKey: null, createdAtMs: now, updatedAtMs: now };
    const sale: Sale = { ...settings, saleNo, saleId, phase: 'draft', version: 1, ...made };
    this.#shelves.push({
      sale,
      items: new Map(items.map((item) => [item.sku, item])),
      orders: new Map(),
      orderKeys: new Map(),
      buyers: new Map(),
      requests: new Map(),
      audit: [],
    });
    return sale;
  }

  async runBatch(saleNo: number, source: StockSource, acts: readonly Act[]): Promise<BatchResult> {
    invariant(source === 'free', 'I8', 'books in memory grant nothing to hot engines', { saleNo });
    return this.run(saleNo, acts);
  }

  /** One batch, at once. Throws what `decide` throws, and has then written nothing. */
  run(saleNo: number, acts: readonly Act[]): BatchResult {
    const shelf = this.#shelf(saleNo);
    const now = this.#now();
    const { verdicts, change } = this.#decide(this.#load(shelf, acts), acts, now);
    this.#write(shelf, change);
    return { verdicts, atMs: now, sale: change.sale, items: change.items };
  }

  rows(saleNo: number): SaleRows {
    const { sale, items, orders, buyers, audit } = this.#shelf(saleNo);
    return {
      sale,
      items: [...items.values()],
      orders: [...orders.values()],
      payments: [...this.#payments.values()].filter((payment) => payment.saleNo === saleNo),
      buyers: Array.from(buyers, ([buyerKey, units]) => ({ buyerKey, units })),
      audit: [...audit],
    };
  }

  #shelf(saleNo: number): Shelf {
    const shelf = this.#shelves[saleNo - 1];
    invariant(shelf !== undefined, 'I8', 'no such sale', { saleNo });
    return shelf;
  }

  #load(shelf: Shelf, acts: readonly Act[]): State {
    const { sale, items, orders, orderKeys, buyers, requests } = shelf;
    const payments = new Map<string, Payment>();
    for (const act of acts) {
      if (act.kind === 'pay') this.#loadPayment(payments, paymentKeyOf(act.paymentId, act.result));
      for (const orderId of ordersNamedBy(shelf, act))
        for (const key of this.#paymentKeysOf.get(orderId) ?? []) this.#loadPayment(payments, key);
    }
    return { sale, items, buyers, orders, orderKeys, payments, requests };
  }

  #loadPayment(into: Map<string, Payment>, key: string): void {
    const payment = this.#payments.get(key);
    if (payment !== undefined) into.set(key, payment);
  }

  #write(shelf: Shelf, change: Change): void {
    shelf.sale = change.sale ?? shelf.sale;
    for (const item of change.items) shelf.items.set(item.sku, item);
    for (const order of change.newOrders) shelf.orderKeys.set(orderKeyOf(order.buyerId, order.key), order.orderId);
    for (const order of [...change.newOrders, ...change.changedOrders]) shelf.orders.set(order.orderId, order);
    for (const { buyerKey, units } of change.buyers) shelf.buyers.set(buyerKey, units);
    for (const payment of change.payments) this.#writePayment(payment);
    for (const request of change.requests) shelf.requests.set(requestKeyOf(request), request);
    shelf.audit.push(...change.audit);
  }

  #writePayment(payment: Payment): void {
    const key = paymentKeyOf(payment.paymentId, payment.result);
    const before = this.#payments.get(key);
    if (before !== undefined) this.#paymentKeysOf.get(before.orderId)?.delete(key);
    this.#payments.set(key, payment);
    const keys = this.#paymentKeysOf.get(payment.orderId);
    if (keys === undefined) this.#paymentKeysOf.set(payment.orderId, new Set([key]));
    else keys.add(key);
  }
}

/** The orders whose payments an act may look at: by id, by a claim's key, by a remembered request. */
function ordersNamedBy(shelf: Shelf, act: Act): OrderId[] {
  const named: OrderId[] = [];
  if ('orderId' in act) named.push(act.orderId);
  if (act.kind === 'claim') {
    const known = shelf.orderKeys.get(orderKeyOf(act.buyerId, act.key));
    if (known !== undefined) named.push(known);
  }
  if ('request' in act && act.request !== undefined) {
    const remembered = shelf.requests.get(requestKeyOf(act.request));
    if (remembered?.thing === 'order') named.push(remembered.thingId as OrderId);
  }
  return named;
}
