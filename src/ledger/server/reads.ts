/**
 * Reading the books on a database server, from connections of their own, so that lists never stand in the way of
 * orders. Every list goes by a key that has an index, and its cursor is that key. Always asks the server that writes:
 * what was acknowledged is seen.
 */
import type { OrderFilter, OrderRow, Page, PageRequest, Reads, SaleAndItems, Watch } from '../../core/books.ts';
import type { Item } from '../../core/item.ts';
import type { Payment } from '../../core/payment.ts';
import type { BuyerKey, EpochMs, OrderId } from '../../core/scalars.ts';
import type { RememberedRequest } from '../../core/state.ts';
import { unpackEntries } from '../audit-chain.ts';
import { booksReportOf, type OrderSum } from '../books-report.ts';
import { pageOf, parseCursor } from '../pages.ts';
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
import type { Dialect, Pool, Session, SqlParameter } from './session.ts';
import { reading } from './transaction.ts';

type SaleOfOrder = Pick<OrderRow, 'saleId' | 'currency'>;

export interface ServerReads {
  readonly reads: Reads;
  readonly watch: Pick<Watch, 'changes' | 'buyersSince'>;
}

/** How far a sale has come; looked up per sale, since a maximum per group would walk the whole chain. */
const LEDGER_SEQ = `(SELECT audit.seq FROM audit WHERE audit.sale_no = sales.sale_no
  ORDER BY audit.sale_no DESC, audit.seq DESC LIMIT 1) AS "ledgerSeq"`;

export function createReads({ pool, dialect }: { pool: Pool; dialect: Dialect }): ServerReads {
  const read = <T>(work: (session: Session) => Promise<T>): Promise<T> => reading({ pool, dialect }, work);
  const all = <Row>(sql: string, ...values: SqlParameter[]): Promise<Row[]> =>
    read((session) => session.rows<Row>(sql, values));

  /** A sale with its items as of one moment: one statement would repeat the settings for each of 500 items. */
  const salesWhere = (where: string, ...values: SqlParameter[]): Promise<SaleAndItems[]> =>
    read((session) =>
      inSnapshot(session, dialect, async () => {
        const rows = await session.rows<{ saleNo: number; ledgerSeq: number | null }>(
          `SELECT ${SALE_COLUMNS}, ${LEDGER_SEQ} FROM sales WHERE ${where}`,
          values,
        );
        if (rows.length === 0) return [];
        const items = await session.rows<{ saleNo: number }>(
          `SELECT sale_no AS "saleNo", ${ITEM_COLUMNS} FROM items WHERE ${dialect.isIn('sale_no', 'number')}
           ORDER BY sale_no, position`,
          [rows.map(({ saleNo }) => saleNo)],
        );
        return rows.map(({ ledgerSeq, ...sale }) => ({
          sale: saleOf(sale),
          items: items.filter(({ saleNo }) => saleNo === sale.saleNo).map(withoutSaleNo),
          ledgerSeq: ledgerSeq ?? 0,
        }));
      }),
    );
  const oneSale = async (where: string, value: SqlParameter): Promise<SaleAndItems | null> =>
    (await salesWhere(where, value))[0] ?? null;

  /** An order names its sale by number; id and currency of a sale with orders never change. */
  const salesOfOrders = new Map<number, SaleOfOrder>();
  const orderRows = async (session: Session, rows: readonly unknown[]): Promise<OrderRow[]> => {
    const orders = rows.map(orderOf);
    await learnSales(
      session,
      [...new Set(orders.map(({ saleNo }) => saleNo))].filter((no) => !salesOfOrders.has(no)),
    );
    const refunds = await refundsOf(
      session,
      orders.map(({ orderId }) => orderId),
    );
    return orders.map((order) => ({
      order,
      ...(salesOfOrders.get(order.saleNo) as SaleOfOrder),
      refundsDue: refunds.filter(({ orderId }) => orderId === order.orderId),
    }));
  };
  const learnSales = async (session: Session, saleNos: readonly number[]): Promise<void> => {
    if (saleNos.length === 0) return;
    const sql = `SELECT ${SALE_COLUMNS} FROM sales WHERE ${dialect.isIn('sale_no', 'number')}`;
    for (const row of await session.rows(sql, [saleNos])) {
      const { saleNo, saleId, currency } = saleOf(row);
      salesOfOrders.set(saleNo, { saleId, currency });
    }
  };
  const refundsOf = async (session: Session, orderIds: readonly OrderId[]): Promise<Payment[]> => {
    if (orderIds.length === 0) return [];
    const sql = `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE ${dialect.isIn('order_id', 'text')} AND refund = 'due'
      ORDER BY payment_no`;
    return (await session.rows(sql, [orderIds])).map(paymentOf);
  };

  /** One page by `seq`, or by (updated_at_ms, seq) where changes since a time are asked for. */
  const orderPage = (
    conditions: readonly string[],
    values: readonly SqlParameter[],
    byUpdate: boolean,
    page: PageRequest,
  ): Promise<Page<OrderRow>> =>
    read(async (session) => {
      const after = page.after === null ? null : parseCursor(page.after, byUpdate ? 2 : 1);
      const behind = after === null ? [] : [byUpdate ? LATER_BY_UPDATE : 'seq > ?'];
      const cursor =
        after === null ? [] : byUpdate ? [after[0] as number, ...after.slice(0, 1), after[1] as number] : after;
      const sql = `SELECT seq AS "seq", ${ORDER_COLUMNS} FROM orders WHERE ${[...conditions, ...behind].join(' AND ')}
        ORDER BY ${byUpdate ? 'updated_at_ms, seq' : 'seq'} LIMIT ?`;
      const rows = await session.rows<{ seq: number; updatedAtMs: number }>(sql, [
        ...values,
        ...cursor,
        page.limit + 1,
      ]);
      const shown = await orderRows(
        session,
        rows.slice(0, page.limit).map(({ seq, ...order }) => order),
      );
      const bare = pageOf(
        rows,
        page.limit,
        (row) => (byUpdate ? [row.updatedAtMs, row.seq] : [row.seq]),
        (row) => row,
      );
      return { items: shown, next: bare.next };
    });

  const reads: Reads = {
    saleById: (saleId) => oneSale('sale_id = ?', saleId),
    saleByNo: (saleNo) => oneSale('sale_no = ?', saleNo),
    liveSales: () => salesWhere("phase IN ('scheduled', 'open', 'paused')"),
    sales: async (page) => {
      const [after] = page.after === null ? [0] : parseCursor(page.after, 1);
      const rows = await salesWhere('sale_no > ? ORDER BY sale_no LIMIT ?', after as number, page.limit + 1);
      return pageOf(
        rows,
        page.limit,
        ({ sale }) => [sale.saleNo],
        (row) => row,
      );
    },
    order: (orderId) =>
      read(async (session) => {
        const rows = await session.rows(`SELECT ${ORDER_COLUMNS} FROM orders WHERE order_id = ?`, [orderId]);
        return (await orderRows(session, rows))[0] ?? null;
      }),
    ordersOfBuyer: (saleNo, buyerId, page) =>
      orderPage(['sale_no = ?', 'buyer_id = ?'], [saleNo, buyerId], false, page),
    ordersOfSale: (saleNo, filter, page) => {
      const { conditions, values } = conditionsOf(saleNo, filter);
      return orderPage(conditions, values, filter.updatedSinceMs !== null, page);
    },
    buyersOf: async (saleNo) =>
      (await all<{ buyerKey: BuyerKey }>('SELECT buyer_key AS "buyerKey" FROM buyers WHERE sale_no = ?', saleNo)).map(
        (row) => row.buyerKey,
      ),
    payments: async (state, page) => {
      const [after] = page.after === null ? [0] : parseCursor(page.after, 1);
      const where = state === null ? 'payment_no > ?' : 'state = ? AND payment_no > ?';
      const sql = `SELECT payment_no AS "paymentNo", ${PAYMENT_COLUMNS} FROM payments WHERE ${where}
        ORDER BY payment_no LIMIT ?`;
      const values = [...(state === null ? [] : [state]), after as number, page.limit + 1];
      const rows = await all<{ paymentNo: number }>(sql, ...values);
      return pageOf(
        rows,
        page.limit,
        (row) => [row.paymentNo],
        ({ paymentNo, ...payment }) => paymentOf(payment),
      );
    },
    paymentsById: async (paymentId) =>
      (await all(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE payment_id = ? ORDER BY payment_no`, paymentId)).map(
        paymentOf,
      ),
    parkedUnknown: async (sinceMs, limit) =>
      (
        await all(
          `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE state = 'parked' AND sale_no IS NULL AND received_at_ms >= ?
           ORDER BY payment_no LIMIT ?`,
          sinceMs,
          limit,
        )
      ).map(paymentOf),
    books: (saleNo) =>
      read((session) =>
        inSnapshot(session, dialect, async () => {
          const items = await session.rows(`SELECT ${ITEM_COLUMNS} FROM items WHERE sale_no = ? ORDER BY position`, [
            saleNo,
          ]);
          const sums = await session.rows<OrderSum>(
            `SELECT sku AS "sku", status AS "status", count(*) AS "orders", sum(quantity) AS "units" FROM orders
             WHERE sale_no = ? GROUP BY sku, status`,
            [saleNo],
          );
          return booksReportOf(items.map(itemOf), sums);
        }),
      ),
    audit: async (saleNo, which, page) => {
      const [after] = page.after === null ? [0] : parseCursor(page.after, 1);
      const rows = await all<AuditSource>(
        `SELECT seq AS "seq", at_ms AS "atMs", entries AS "entries", hash AS "hash", previous_hash AS "previousHash"
         FROM audit WHERE sale_no = ? AND seq > ? ${which === 'acts' ? 'AND has_acts = 1' : ''} ORDER BY seq LIMIT ?`,
        saleNo,
        after as number,
        page.limit + 1,
      );
      return pageOf(
        rows,
        page.limit,
        (row) => [row.seq],
        (row) => ({ ...row, entries: unpackEntries(row.entries) as never }),
      );
    },
    request: async ({ caller, route, key }) =>
      (
        await all<RememberedRequest>(
          `SELECT ${REQUEST_COLUMNS} FROM requests WHERE caller = ? AND route = ? AND request_key = ?`,
          caller,
          route,
          key,
        )
      )[0] ?? null,
    dueOrders: (limit) =>
      all(
        `SELECT sale_no AS "saleNo", order_id AS "orderId", due_at_ms AS "dueAtMs" FROM orders
         WHERE due_at_ms <= ${dialect.nowMs} ORDER BY due_at_ms LIMIT ?`,
        limit,
      ),
    placedWithoutStock: (limit) =>
      all(
        `SELECT orders.sale_no AS "saleNo", order_id AS "orderId" FROM items JOIN orders
           ON orders.sale_no = items.sale_no AND orders.status = 'placed' AND orders.sku = items.sku
         WHERE items.placed > 0 AND items.free = 0 AND parked_reason IS NULL LIMIT ?`,
        limit,
      ),
  };

  return {
    reads,
    watch: {
      changes: async (known) => {
        const saleNos = [...known.keys()];
        const found = await all<{ saleNo: number; ledgerSeq: number | null }>(
          `SELECT sale_no AS "saleNo", ${LEDGER_SEQ} FROM sales WHERE ${dialect.isIn('sale_no', 'number')}`,
          saleNos,
        );
        const moved = found.filter(({ saleNo, ledgerSeq }) => ledgerSeq !== known.get(saleNo));
        const views =
          moved.length === 0
            ? []
            : await salesWhere(
                dialect.isIn('sale_no', 'number'),
                moved.map(({ saleNo }) => saleNo),
              );
        const there = new Set(found.map(({ saleNo }) => saleNo));
        const gone = saleNos.filter((saleNo) => !there.has(saleNo));
        return new Map([
          ...views.map((view): [number, SaleAndItems] => [view.sale.saleNo, view]),
          ...gone.map((saleNo): [number, null] => [saleNo, null]),
        ]);
      },
      buyersSince: (saleNo, sinceMs) =>
        read(async (session) => {
          // First how far the sale has come, then the buyers: what commits in between is found twice, not never.
          const [last] = await session.rows<{ atMs: EpochMs }>(
            'SELECT at_ms AS "atMs" FROM audit WHERE sale_no = ? ORDER BY sale_no DESC, seq DESC LIMIT 1',
            [saleNo],
          );
          const rows = await session.rows<{ buyerKey: BuyerKey }>(
            'SELECT DISTINCT buyer_key AS "buyerKey" FROM orders WHERE sale_no = ? AND updated_at_ms >= ?',
            [saleNo, sinceMs],
          );
          return { buyers: rows.map(({ buyerKey }) => buyerKey), untilMs: last?.atMs ?? (0 as EpochMs) };
        }),
    },
  };
}

/** Written out: not every server looks a pair of columns up in an index. */
const LATER_BY_UPDATE = '(updated_at_ms > ? OR (updated_at_ms = ? AND seq > ?))';

interface AuditSource {
  readonly seq: number;
  readonly atMs: never;
  readonly entries: string;
  readonly hash: string;
  readonly previousHash: string;
}

function conditionsOf(saleNo: number, filter: OrderFilter): { conditions: string[]; values: SqlParameter[] } {
  const conditions = ['sale_no = ?'];
  const values: SqlParameter[] = [saleNo];
  if (filter.status !== null) conditions.push('status = ?') && values.push(filter.status);
  if (filter.buyerId !== null) conditions.push('buyer_id = ?') && values.push(filter.buyerId);
  if (filter.updatedSinceMs !== null) conditions.push('updated_at_ms >= ?') && values.push(filter.updatedSinceMs);
  return { conditions, values };
}

const withoutSaleNo = ({ saleNo, ...item }: { saleNo: number }): Item => itemOf(item);

/** All that is read inside sees one state of the books. */
async function inSnapshot<T>(session: Session, dialect: Dialect, work: () => Promise<T>): Promise<T> {
  for (const statement of dialect.beginSnapshot) await session.run(statement);
  try {
    return await work();
  } finally {
    await session.run('ROLLBACK');
  }
}
