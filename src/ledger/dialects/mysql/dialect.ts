/** How MySQL and MariaDB spell what the server ledgers need; lists and many rows are written out in the statement. */
import { ORDER_COLUMNS_OF } from '../../server/rows.ts';
import type { Dialect, Insert, Session, SqlParameter } from '../../server/session.ts';
import { faultOf } from './driver.ts';

export const mysqlDialect: Dialect = {
  name: 'mysql',
  faultOf,
  nowMs: 'CAST(FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000) AS SIGNED)',
  isIn: (column) => `${column} IN (?)`,
  insertRows,
  beginSnapshot: ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION READ ONLY'],
  shareLock: 'LOCK IN SHARE MODE',
  useIndex: (index) => `FORCE INDEX (${index})`,
  ordersByKey: (session, saleNo, keys) => {
    // Pairs joined one by one: a list of pairs is read by its key on one of the two servers only.
    const pairs = keys.map((_, at) => (at === 0 ? PAIR_NAMED : 'SELECT ?, ?')).join(' UNION ALL ');
    return session.rows(
      `SELECT ${ORDER_COLUMNS_OF('orders')} FROM (${pairs}) AS wanted
       STRAIGHT_JOIN orders FORCE INDEX (orders_by_key) ON orders.sale_no = ? AND orders.buyer_id = wanted.buyer_id
         AND orders.idempotency_key = wanted.idempotency_key`,
      [...keys.flatMap(({ buyerId, key }) => [buyerId, key]), saleNo],
    );
  },
};

const PAIR_NAMED = 'SELECT CAST(? AS BINARY) AS buyer_id, CAST(? AS BINARY) AS idempotency_key';

async function insertRows<Row>(session: Session, insert: Insert<Row>, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { table, columns, onConflict } = insert;
  const names = columns.map(({ name }) => name).join(', ');
  const upsert =
    onConflict === undefined
      ? ''
      : `ON DUPLICATE KEY UPDATE ${onConflict.set.map((name) => `${name} = VALUES(${name})`).join(', ')}`;
  const values = rows.map((row) => columns.map(({ of }) => of(row)));
  await session.run(`INSERT INTO ${table} (${names}) VALUES ? ${upsert}`, [values as unknown as SqlParameter]);
}
