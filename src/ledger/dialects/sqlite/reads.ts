/**
 * Reading the books, on a connection that cannot write. Every list goes by a key that has an index, and its cursor
 * is that key; nothing here waits for the writer.
 */
import type {
  BooksReport,
  OrderFilter,
  OrderRow,
  Page,
  PageRequest,
  Reads,
  SaleAndItems,
} from '../../../core/books.ts';
import type { Item } from '../../../core/item.ts';
import type { Payment } from '../../../core/payment.ts';
import type { Sale } from '../../../core/sale.ts';
import type { RememberedRequest } from '../../../core/state.ts';
import { unpackEntries } from '../../audit-chain.ts';
import { booksReportOf, type OrderSum } from '../../books-report.ts';
import { pageOf, parseCursor } from '../../pages.ts';
import type { Database, SqlValue } from './driver.ts';
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

/** The same calls as `Reads`, but at once. `dueOrders` is the writer's: it needs the monotonic clock of the orders. */
export type SyncReads = {
  [K in Exclude<keyof Reads, 'dueOrders'>]: (...args: Parameters<Reads[K]>) => Awaited<ReturnType<Reads[K]>>;
};

const NO_ROW = undefined;

export function createReads(db: Database): SyncReads {
  const statements = new Map<string, ReturnType<Database['prepare']>>();
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = db.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  const all = (sql: string, ...values: SqlValue[]): unknown[] => prepare(sql).all(...values);
  const one = (sql: string, ...values: SqlValue[]): unknown => prepare(sql).get(...values);

  const itemsOf = (saleNo: number): Item[] =>
    all(`SELECT ${ITEM_COLUMNS} FROM items WHERE sale_no = ? ORDER BY position`, saleNo).map(itemOf);
  const withItems = (sale: Sale): SaleAndItems => ({ sale, items: itemsOf(sale.saleNo) });
  const sale = (where: string, value: SqlValue): SaleAndItems | null => {
    const row = one(`SELECT ${SALE_COLUMNS} FROM sales WHERE ${where}`, value);
    return row === NO_ROW ? null : withItems(saleOf(row));
  };

  const refundsDueOf = (orderId: string): Payment[] =>
    all(
      `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id = ? AND refund = 'due' ORDER BY payment_no`,
      orderId,
    ).map(paymentOf);

  const orderRow = (row: unknown): OrderRow => {
    const { saleId, currency, seq, ...flat } = row as { saleId: OrderRow['saleId']; currency: string; seq: number };
    const order = orderOf(flat);
    return { order, saleId, currency, refundsDue: refundsDueOf(order.orderId) };
  };

  const ORDER_ROW = `SELECT seq, ${ORDER_COLUMNS}, (SELECT sale_id FROM sales WHERE sales.sale_no = orders.sale_no) AS saleId,
    (SELECT settings ->> 'currency' FROM sales WHERE sales.sale_no = orders.sale_no) AS currency FROM orders`;

  /** One page by `seq`, or by (updated_at_ms, seq) where changes since a time are asked for. */
  const orderPage = (where: string[], values: SqlValue[], byUpdate: boolean, page: PageRequest): Page<OrderRow> => {
    const key = byUpdate ? '(updated_at_ms, seq)' : 'seq';
    const after = page.after === null ? null : parseCursor(page.after, byUpdate ? 2 : 1);
    const conditions = after === null ? where : [...where, byUpdate ? `${key} > (?, ?)` : `${key} > ?`];
    const sql = `${ORDER_ROW} WHERE ${conditions.join(' AND ')} ORDER BY ${byUpdate ? 'updated_at_ms, seq' : 'seq'} LIMIT ?`;
    const rows = all(sql, ...values, ...(after ?? []), page.limit + 1) as { seq: number; updatedAtMs: number }[];
    return pageOf(rows, page.limit, (row) => (byUpdate ? [row.updatedAtMs, row.seq] : [row.seq]), orderRow);
  };

  const orderFilter = (saleNo: number, filter: OrderFilter): { where: string[]; values: SqlValue[] } => {
    const where = ['sale_no = ?'];
    const values: SqlValue[] = [saleNo];
    if (filter.status !== null) where.push('status = ?') && values.push(filter.status);
    if (filter.buyerId !== null) where.push('buyer_id = ?') && values.push(filter.buyerId);
    if (filter.updatedSinceMs !== null) where.push('updated_at_ms >= ?') && values.push(filter.updatedSinceMs);
    return { where, values };
  };

  const books = (saleNo: number): BooksReport => {
    const items = itemsOf(saleNo);
    const sums = all(
      'SELECT sku, status, count(*) AS orders, sum(quantity) AS units FROM orders WHERE sale_no = ? GROUP BY sku, status',
      saleNo,
    ) as OrderSum[];
    return booksReportOf(items, sums);
  };

  return {
    saleById: (saleId) => sale('sale_id = ?', saleId),
    saleByNo: (saleNo) => sale('sale_no = ?', saleNo),
    liveSales: () =>
      all(`SELECT ${SALE_COLUMNS} FROM sales WHERE phase IN ('scheduled', 'open', 'paused')`).map((row) =>
        withItems(saleOf(row)),
      ),
    sales: (page) => {
      const after = page.after === null ? [0] : parseCursor(page.after, 1);
      const rows = all(
        `SELECT ${SALE_COLUMNS} FROM sales WHERE sale_no > ? ORDER BY sale_no LIMIT ?`,
        ...after,
        page.limit + 1,
      );
      return pageOf(
        rows as { saleNo: number }[],
        page.limit,
        (row) => [row.saleNo],
        (row) => withItems(saleOf(row)),
      );
    },
    order: (orderId) => {
      const row = one(`${ORDER_ROW} WHERE order_id = ?`, orderId);
      return row === NO_ROW ? null : orderRow(row);
    },
    ordersOfBuyer: (saleNo, buyerId, page) =>
      orderPage(['sale_no = ?', 'buyer_id = ?'], [saleNo, buyerId], false, page),
    ordersOfSale: (saleNo, filter, page) => {
      const { where, values } = orderFilter(saleNo, filter);
      return orderPage(where, values, filter.updatedSinceMs !== null, page);
    },
    buyersOf: (saleNo) =>
      (all('SELECT buyer_key AS buyerKey FROM buyers WHERE sale_no = ?', saleNo) as { buyerKey: never }[]).map(
        (row) => row.buyerKey,
      ),
    payments: (state, page) => {
      const after = page.after === null ? [0] : parseCursor(page.after, 1);
      const where = state === null ? 'payment_no > ?' : 'state = ? AND payment_no > ?';
      const sql = `SELECT payment_no AS paymentNo, ${PAYMENT_COLUMNS} FROM payments WHERE ${where} ORDER BY payment_no LIMIT ?`;
      const rows = all(sql, ...(state === null ? [] : [state]), ...after, page.limit + 1) as { paymentNo: number }[];
      return pageOf(
        rows,
        page.limit,
        (row) => [row.paymentNo],
        ({ paymentNo, ...row }) => paymentOf(row),
      );
    },
    paymentsById: (paymentId) =>
      all(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE payment_id = ? ORDER BY payment_no`, paymentId).map(paymentOf),
    parkedUnknown: (sinceMs, limit) =>
      all(
        `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE state = 'parked' AND sale_no IS NULL AND received_at_ms >= ?
         ORDER BY payment_no LIMIT ?`,
        sinceMs,
        limit,
      ).map(paymentOf),
    books: (saleNo) => snapshot(db, () => books(saleNo)),
    audit: (saleNo, which, page) => {
      const after = page.after === null ? [0] : parseCursor(page.after, 1);
      const rows = all(
        `SELECT seq, at_ms AS atMs, entries, hash, previous_hash AS previousHash FROM audit
         WHERE sale_no = ? AND seq > ? ${which === 'acts' ? 'AND has_acts = 1' : ''} ORDER BY seq LIMIT ?`,
        saleNo,
        ...after,
        page.limit + 1,
      ) as AuditSource[];
      return pageOf(
        rows,
        page.limit,
        (row) => [row.seq],
        (row) => ({ ...row, entries: unpackEntries(row.entries) as never }),
      );
    },
    request: ({ caller, route, key }) =>
      (one(
        `SELECT caller, route, key, fingerprint, thing, thing_id AS thingId FROM requests WHERE caller = ? AND route = ? AND key = ?`,
        caller,
        route,
        key,
      ) as RememberedRequest | undefined) ?? null,
    placedWithoutStock: (limit) =>
      all(
        `SELECT orders.sale_no AS saleNo, order_id AS orderId FROM items
         JOIN sales ON sales.sale_no = items.sale_no AND settings ->> 'deductAt' = 'payment'
         JOIN orders ON orders.sale_no = items.sale_no AND orders.status = 'placed' AND orders.sku = items.sku
         WHERE items.placed > 0 AND items.free = 0 AND parked_reason IS NULL LIMIT ?`,
        limit,
      ) as { saleNo: number; orderId: never }[],
  };
}

interface AuditSource {
  readonly seq: number;
  readonly atMs: never;
  readonly entries: string;
  readonly hash: string;
  readonly previousHash: string;
}

/** All that is read inside sees one state of the books. */
function snapshot<T>(db: Database, read: () => T): T {
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    db.exec('COMMIT');
  }
}
