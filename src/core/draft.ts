/**
 * The working copy of a state while a batch is decided: reads fall through to what was loaded, writes stay
 * here, and `change()` tells them apart at the end. Made and thrown away by `decide`; each act sees what the
 * acts before it did. Rows are replaced, never altered, so the loaded state stays as it was.
 */
import { invariant } from './invariants.ts';
import type { Item } from './item.ts';
import type { Order } from './order.ts';
import { type Payment, paymentKeyOf } from './payment.ts';
import type { Sale } from './sale.ts';
import type { BuyerId, BuyerKey, EpochMs, OrderId, Sku } from './scalars.ts';
import { type AuditEntry, type Change, orderKeyOf, type RememberedRequest, requestKeyOf, type State } from './state.ts';

export class Draft {
  readonly now: EpochMs;
  readonly #state: State;
  #sale: Sale | null = null;
  readonly #items = new Map<Sku, Item>();
  readonly #newOrders = new Map<OrderId, Order>();
  readonly #changedOrders = new Map<OrderId, Order>();
  readonly #orderKeys = new Map<string, OrderId>();
  readonly #buyers = new Map<BuyerKey, number>();
  readonly #payments = new Map<string, Payment>();
  #paymentKeysOf: Map<OrderId, Set<string>> | null = null;
  readonly #requests = new Map<string, RememberedRequest>();
  readonly #audit: AuditEntry[] = [];

  constructor(state: State, now: EpochMs) {
    this.#state = state;
    this.now = now;
  }

  get sale(): Sale {
    return this.#sale ?? this.#state.sale;
  }

  /** Replaces the sale, with the next version. */
  putSale(change: Partial<Sale>): Sale {
    this.#sale = { ...this.sale, ...change, version: this.sale.version + 1, updatedAtMs: this.now };
    return this.#sale;
  }

  item(sku: Sku): Item | undefined {
    return this.#items.get(sku) ?? this.#state.items.get(sku);
  }

  putItem(item: Item): void {
    this.#items.set(item.sku, item);
  }

  order(orderId: OrderId): Order | undefined {
    return this.#changedOrders.get(orderId) ?? this.#newOrders.get(orderId) ?? this.#state.orders.get(orderId);
  }

  orderByKey(buyerId: BuyerId, key: string): Order | undefined {
    const name = orderKeyOf(buyerId, key);
    const orderId = this.#orderKeys.get(name) ?? this.#state.orderKeys.get(name);
    return orderId === undefined ? undefined : this.order(orderId);
  }

  addOrder(order: Order): void {
    if (this.order(order.orderId) !== undefined) invariant(false, 'I3', 'an order id is used twice', { ...order });
    this.#newOrders.set(order.orderId, order);
    this.#orderKeys.set(orderKeyOf(order.buyerId, order.key), order.orderId);
  }

  putOrder(order: Order, change: Partial<Order>): Order {
    const changed = { ...order, ...change, updatedAtMs: this.now };
    const made = this.#newOrders.has(order.orderId) ? this.#newOrders : this.#changedOrders;
    made.set(order.orderId, changed);
    return changed;
  }

  units(buyerKey: BuyerKey): number {
    return this.#buyers.get(buyerKey) ?? this.#state.buyers.get(buyerKey) ?? 0;
  }

  putUnits(buyerKey: BuyerKey, units: number): void {
    this.#buyers.set(buyerKey, units);
  }

  payment(key: string): Payment | undefined {
    return this.#payments.get(key) ?? this.#state.payments.get(key);
  }

  putPayment(payment: Payment): Payment {
    const key = paymentKeyOf(payment.paymentId, payment.result);
    this.#payments.set(key, payment);
    this.#index(key, payment.orderId);
    return payment;
  }

  /** All payments of an order, oldest first. Cost: the order's own payments; the index is built on first use. */
  paymentsOf(orderId: OrderId): Payment[] {
    const keys = this.#paymentKeys().get(orderId) ?? [];
    const payments = [...keys].flatMap((key) => this.payment(key) ?? []).filter((each) => each.orderId === orderId);
    return payments.sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  }

  #paymentKeys(): Map<OrderId, Set<string>> {
    if (this.#paymentKeysOf === null) {
      this.#paymentKeysOf = new Map();
      for (const [key, payment] of this.#state.payments) this.#index(key, payment.orderId);
      for (const [key, payment] of this.#payments) this.#index(key, payment.orderId);
    }
    return this.#paymentKeysOf;
  }

  #index(key: string, orderId: OrderId): void {
    const index = this.#paymentKeysOf;
    if (index === null) return;
    const keys = index.get(orderId);
    if (keys === undefined) index.set(orderId, new Set([key]));
    else keys.add(key);
  }

  request(key: string): RememberedRequest | undefined {
    return this.#requests.get(key) ?? this.#state.requests.get(key);
  }

  addRequest(request: RememberedRequest): void {
    this.#requests.set(requestKeyOf(request), request);
  }

  note(entry: AuditEntry): void {
    this.#audit.push(entry);
  }

  change(): Change {
    return {
      sale: this.#sale,
      items: [...this.#items.values()],
      newOrders: [...this.#newOrders.values()],
      changedOrders: [...this.#changedOrders.values()],
      buyers: Array.from(this.#buyers, ([buyerKey, units]) => ({ buyerKey, units })),
      payments: [...this.#payments.values()],
      requests: [...this.#requests.values()],
      audit: this.#audit,
    };
  }
}
