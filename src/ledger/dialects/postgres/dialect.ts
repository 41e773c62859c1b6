/** How PostgreSQL spells what the server ledgers need; lists and many rows travel as arrays, one value a column. */

import { ORDER_COLUMNS_OF } from '../../server/rows.ts';
import type { Dialect, Insert, Session, SqlScalar } from '../../server/session.ts';
import { faultOf } from './driver.ts';

const ARRAYS = { text: 'text[]', number: 'bigint[]' } as const;

export const postgres: Dialect = {
  name: 'postgres',
  faultOf,
  nowMs: 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint',
  isIn: (column, type) => `${column} = ANY(?::${ARRAYS[type]})`,
  insertRows,
  beginSnapshot: ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'],
  shareLock: 'FOR SHARE',
  // The connections of batches have sequential scans turned off instead (driver.ts).
  useIndex: () => '',
  ordersByKey: (session, saleNo, keys) =>
    session.rows(
      `SELECT ${ORDER_COLUMNS_OF('orders')} FROM unnest(?::text[], ?::text[]) AS wanted (buyer_id, idempotency_key)
       JOIN orders ON orders.sale_no = ? AND orders.buyer_id = wanted.buyer_id COLLATE "C"
         AND orders.idempotency_key = wanted.idempotency_key COLLATE "C"`,
      [keys.map(({ buyerId }) => buyerId), keys.map(({ key }) => key), saleNo],
    ),
};

async function insertRows<Row>(session: Session, insert: Insert<Row>, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { table, columns, onConflict } = insert;
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = columns.map(({ type }) => `?::${ARRAYS[type]}`).join(', ');
  const upsert =
    onConflict === undefined
      ? ''
      : `ON CONFLICT (${onConflict.key.join(', ')}) DO UPDATE SET ${onConflict.set.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  const values = columns.map(({ of }): SqlScalar[] => rows.map(of));
  await session.run(`INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays}) ${upsert}`, values);
}
