/**
 * Loads what a batch needs from a ledger on a database server: first the sale's row, locked, so that the batches of
 * all processes on one sale stand in one line; then its clock, its items and the end of its audit chain; then, by key,
 * what the acts name. Four statements for a batch of claims by new buyers, whatever its size.
 *
 * A buyer without a row has no order in the sale, which saves the look-up of the key for most claims.
 */
import type { Act } from '../../core/act.ts';
import type { Item } from '../../core/item.ts';
import type { Order } from '../../core/order.ts';
import { type Payment, paymentKeyOf } from '../../core/payment.ts';
import type { Sale } from '../../core/sale.ts';
import type { BuyerKey, EpochMs, OrderId, Sku } from '../../core/scalars.ts';
import { orderKeyOf, type RememberedRequest, requestKeyOf, type State } from '../../core/state.ts';
import { CHAIN_START } from '../audit-chain.ts';
import {
  ITEM_COLUMNS,
  itemOf,
  ORDER_COLUMNS,
  orderOf,
  PAYMENT_COLUMNS,
  paymentOf,
  REQUEST_COLUMNS,
  SALE_COLUMNS,
  saleOf,
} from './rows.ts';
import type { Dialect, Session } from './session.ts';

/** The last row of a sale's audit chain. Its number says how far the sale has come: it grows with every change. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
  readonly atMs: number;
}

export interface LockedSale {
  readonly sale: Sale;
  readonly end: ChainEnd;
  /** The database's time now that the lock is held, never below the sale's last change (I6). */
  readonly now: EpochMs;
}

const NO_END: ChainEnd = { seq: 0, hash: CHAIN_START, atMs: 0 };

/** The sale, locked until the transaction ends; null where there is none. */
export async function lockSale(session: Session, dialect: Dialect, saleNo: number): Promise<LockedSale | null> {
  const [row] = await session.rows(`SELECT ${SALE_COLUMNS} FROM sales WHERE sale_no = ? FOR UPDATE`, [saleNo]);
  if (row === undefined) return null;
  // Not before the lock is held: the time of a statement that waited is the time when it began to.
  const [last] = await session.rows<{ nowMs: number; seq: number | null; hash: string; atMs: number }>(
    `SELECT ${dialect.nowMs} AS "nowMs", last.seq AS "seq", last.hash AS "hash", last.at_ms AS "atMs"
     FROM (SELECT 1 AS one) AS here LEFT JOIN (SELECT seq, hash, at_ms FROM audit WHERE sale_no = ?
       ORDER BY sale_no DESC, seq DESC LIMIT 1) AS last ON TRUE`,
    [saleNo],
  );
  const end = last === undefined || last.seq === null ? NO_END : { seq: last.seq, hash: last.hash, atMs: last.atMs };
  return { sale: saleOf(row), end, now: Math.max(Number(last?.nowMs ?? 0), end.atMs) as EpochMs };
}

export async function loadState(session: Session, dialect: Dialect, sale: Sale, acts: readonly Act[]): Promise<State> {
  const loading = new Loading(session, dialect, sale);
  await loading.load(acts);
  return loading;
}

class Loading implements State {
  readonly items = new Map<Sku, Item>();
  readonly buyers = new Map<BuyerKey, number>();
  readonly orders = new Map<OrderId, Order>();
  readonly orderKeys = new Map<string, OrderId>();
  readonly payments = new Map<string, Payment>();
  readonly requests = new Map<string, RememberedRequest>();
  readonly sale: Sale;
  readonly #session: Session;
  readonly #dialect: Dialect;

  constructor(session: Session, dialect: Dialect, sale: Sale) {
    this.#session = session;
    this.#dialect = dialect;
    this.sale = sale;
  }

  async load(acts: readonly Act[]): Promise<void> {
    await this.#loadItems();
    const claims = acts.filter((act) => act.kind === 'claim');
    await this.#loadBuyers(claims.map((claim) => claim.buyerKey));
    const known = claims.filter((claim) => this.buyers.has(claim.buyerKey));
    const replays = known.length === 0 ? [] : await this.#dialect.ordersByKey(this.#session, this.sale.saleNo, known);
    const others = acts.filter((act) => act.kind !== 'claim');
    const named = others.length === 0 ? [] : await this.#loadNamed(others);
    await this.#takeIn([...replays, ...named].map(orderOf));
  }

  async #loadItems(): Promise<void> {
    const sql = `SELECT ${ITEM_COLUMNS} FROM items WHERE sale_no = ?`;
    for (const row of await this.#session.rows(sql, [this.sale.saleNo])) {
      const item = itemOf(row);
      this.items.set(item.sku, item);
    }
  }

  async #loadBuyers(keys: readonly BuyerKey[]): Promise<void> {
    const wanted = [...new Set(keys)].filter((key) => !this.buyers.has(key));
    if (wanted.length === 0) return;
    const sql = `SELECT buyer_key AS "buyerKey", units AS "units" FROM buyers ${this.#dialect.useIndex('PRIMARY')}
      WHERE sale_no = ? AND ${this.#dialect.isIn('buyer_key', 'text')}`;
    const rows = await this.#session.rows<{ buyerKey: BuyerKey; units: number }>(sql, [this.sale.saleNo, wanted]);
    for (const { buyerKey, units } of rows) this.buyers.set(buyerKey, units);
  }

  /** Rows of the orders that acts name, by id or through a remembered request; also the payments that they name. */
  async #loadNamed(acts: readonly Exclude<Act, { kind: 'claim' }>[]): Promise<unknown[]> {
    const requests = acts.flatMap((act) => ('request' in act && act.request !== undefined ? [act.request] : []));
    for (const request of requests) await this.#loadRequest(request);
    const remembered = [...this.requests.values()].filter(({ thing }) => thing === 'order').map((row) => row.thingId);
    const paymentIds = [...new Set(acts.flatMap((act) => ('paymentId' in act ? [act.paymentId] : [])))];
    if (paymentIds.length > 0) await this.#loadPayments('payment_id', paymentIds);
    const ids = [...new Set([...acts.flatMap((act) => ('orderId' in act ? [act.orderId] : [])), ...remembered])];
    if (ids.length === 0) return [];
    const sql = `SELECT ${ORDER_COLUMNS} FROM orders ${this.#dialect.useIndex('order_id')}
      WHERE ${this.#dialect.isIn('order_id', 'text')} AND sale_no = ?`;
    return this.#session.rows(sql, [ids, this.sale.saleNo]);
  }

  async #loadRequest({ caller, route, key }: { caller: string; route: string; key: string }): Promise<void> {
    const sql = `SELECT ${REQUEST_COLUMNS} FROM requests WHERE caller = ? AND route = ? AND request_key = ?`;
    const [row] = await this.#session.rows<RememberedRequest>(sql, [caller, route, key]);
    if (row !== undefined) this.requests.set(requestKeyOf(row), row);
  }

  async #takeIn(orders: readonly Order[]): Promise<void> {
    if (orders.length === 0) return;
    for (const order of orders) {
      this.orders.set(order.orderId, order);
      this.orderKeys.set(orderKeyOf(order.buyerId, order.key), order.orderId);
    }
    await this.#loadBuyers(orders.map((order) => order.buyerKey));
    await this.#loadPayments('order_id', [...this.orders.keys()]);
  }

  async #loadPayments(by: 'payment_id' | 'order_id', ids: readonly string[]): Promise<void> {
    const index = by === 'payment_id' ? 'payment_id' : 'payments_by_order';
    const sql = `SELECT ${PAYMENT_COLUMNS} FROM payments ${this.#dialect.useIndex(index)} WHERE ${this.#dialect.isIn(by, 'text')}`;
    for (const row of await this.#session.rows(sql, [ids])) {
      const payment = paymentOf(row);
      this.payments.set(paymentKeyOf(payment.paymentId, payment.result), payment);
    }
  }
}
