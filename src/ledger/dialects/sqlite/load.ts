/**
 * Loads what a batch of acts needs from the embedded ledger, inside its transaction: the sale, the items and
 * buyers that the acts name, orders by id and by key, payments, remembered requests. Point look-ups by key only;
 * a buyer without a row has no order, which saves the look-up of the key for most claims.
 */
import type { Act } from '../../../core/act.ts';
import type { Item } from '../../../core/item.ts';
import type { Order } from '../../../core/order.ts';
import { type Payment, paymentKeyOf } from '../../../core/payment.ts';
import type { Sale } from '../../../core/sale.ts';
import type { BuyerId, BuyerKey, OrderId, Sku } from '../../../core/scalars.ts';
import { orderKeyOf, type RememberedRequest, requestKeyOf, type State } from '../../../core/state.ts';
import type { Database } from './driver.ts';
import {
  ITEM_COLUMNS,
  itemOf,
  ORDER_COLUMNS,
  orderOf,
  PAYMENT_COLUMNS,
  paymentOf,
  SALE_COLUMNS,
  saleOf,
} from './rows.ts';

export interface Loader {
  sale(saleNo: number): Sale | null;
  state(sale: Sale, acts: readonly Act[]): State;
}

export function createLoader(db: Database): Loader {
  const saleByNo = db.prepare(`SELECT ${SALE_COLUMNS} FROM sales WHERE sale_no = ?`);
  const itemBySku = db.prepare(`SELECT ${ITEM_COLUMNS} FROM items WHERE sale_no = ? AND sku = ?`);
  const unitsOf = db.prepare('SELECT units FROM buyers WHERE sale_no = ? AND buyer_key = ?');
  const orderById = db.prepare(`SELECT ${ORDER_COLUMNS} FROM orders WHERE order_id = ? AND sale_no = ?`);
  const orderByKey = db.prepare(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE sale_no = ? AND buyer_id = ? AND idempotency_key = ?`,
  );
  const paymentsByOrder = db.prepare(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id = ?`);
  const paymentsById = db.prepare(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE payment_id = ?`);
  const requestByKey = db.prepare(
    `SELECT caller, route, key, fingerprint, thing, thing_id AS thingId FROM requests WHERE caller = ? AND route = ? AND key = ?`,
  );

  class Loading {
    readonly items = new Map<Sku, Item>();
    readonly buyers = new Map<BuyerKey, number>();
    readonly orders = new Map<OrderId, Order>();
    readonly orderKeys = new Map<string, OrderId>();
    readonly payments = new Map<string, Payment>();
    readonly requests = new Map<string, RememberedRequest>();
    readonly #absent = new Set<BuyerKey>();
    readonly sale: Sale;

    constructor(sale: Sale) {
      this.sale = sale;
    }

    item(sku: Sku): void {
      if (this.items.has(sku)) return;
      const row = itemBySku.get(this.sale.saleNo, sku);
      if (row !== undefined) this.items.set(sku, itemOf(row));
    }

    /** Whether the buyer has ever had an order in the sale. */
    buyer(buyerKey: BuyerKey): boolean {
      if (this.buyers.has(buyerKey)) return true;
      if (this.#absent.has(buyerKey)) return false;
      const row = unitsOf.get(this.sale.saleNo, buyerKey) as { units: number } | undefined;
      if (row === undefined) this.#absent.add(buyerKey);
      else this.buyers.set(buyerKey, row.units);
      return row !== undefined;
    }

    key(buyerId: BuyerId, key: string): void {
      const row = orderByKey.get(this.sale.saleNo, buyerId, key);
      if (row !== undefined) this.order(orderOf(row));
    }

    orderId(orderId: OrderId): void {
      if (this.orders.has(orderId)) return;
      const row = orderById.get(orderId, this.sale.saleNo);
      if (row !== undefined) this.order(orderOf(row));
    }

    order(order: Order): void {
      if (this.orders.has(order.orderId)) return;
      this.orders.set(order.orderId, order);
      this.orderKeys.set(orderKeyOf(order.buyerId, order.key), order.orderId);
      this.item(order.sku);
      this.buyer(order.buyerKey);
      for (const row of paymentsByOrder.all(order.orderId)) this.payment(paymentOf(row));
    }

    payment(payment: Payment): void {
      this.payments.set(paymentKeyOf(payment.paymentId, payment.result), payment);
    }

    request(request: { caller: string; route: string; key: string }): void {
      const row = requestByKey.get(request.caller, request.route, request.key) as RememberedRequest | undefined;
      if (row === undefined) return;
      this.requests.set(requestKeyOf(request), row);
      if (row.thing === 'order') this.orderId(row.thingId as OrderId);
    }

    act(act: Act): void {
      if (act.kind === 'claim') {
        this.item(act.sku);
        if (this.buyer(act.buyerKey)) this.key(act.buyerId, act.key);
        return;
      }
      if ('request' in act && act.request !== undefined) this.request(act.request);
      if ('orderId' in act) this.orderId(act.orderId);
      if ('sku' in act && act.sku !== null) this.item(act.sku);
      if ('paymentId' in act) for (const row of paymentsById.all(act.paymentId)) this.payment(paymentOf(row));
    }
  }

  return {
    sale: (saleNo) => {
      const row = saleByNo.get(saleNo);
      return row === undefined ? null : saleOf(row);
    },
    state: (sale, acts) => {
      const loading = new Loading(sale);
      for (const act of acts) loading.act(act);
      return loading;
    },
  };
}
