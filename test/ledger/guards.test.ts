/**
 * The guards in the embedded ledger's schema: with every line of our own code out of the way, plain SQL cannot
 * oversell, pass a limit, use a key twice or change the audit. And the statements that run per claim use their keys.
 */
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/ledger/dialects/sqlite/driver.ts';
import { MIGRATIONS, migrate, SCHEMA_VERSION, versionOf } from '../../src/ledger/dialects/sqlite/schema.ts';
import { newFolder } from '../support/server.ts';

let db: Database;

beforeEach(() => {
  db = openDatabase(path.join(newFolder(), 'ledger.db'));
  migrate(db, 1);
  db.exec(`
    INSERT INTO sales VALUES (1, 'sale', 'open', 1, 'key', '{}', 1, 1);
    INSERT INTO items VALUES (1, 'a', 0, 'A', '', NULL, 100, 10, 10, 0, 0, 0, 0);
    INSERT INTO buyers VALUES (1, 'bob', 1, 1);
    INSERT INTO orders (order_id, sale_no, sku, quantity, unit_price_minor, buyer_id, buyer_key, idempotency_key, status,
      placed_at_ms, updated_at_ms) VALUES ('o1', 1, 'a', 1, 100, 'bob', 'bob', 'k1', 'held', 1, 1);
    INSERT INTO payments (payment_id, result, order_id, state, received_at_ms, updated_at_ms, refund)
      VALUES ('p1', 'failed', 'o1', 'ignored', 1, 1, 'none');
    INSERT INTO audit VALUES (1, 1, 1, 1, 1, '[]', 'x', 'y')`);
});

describe('plain SQL cannot', () => {
  it.each([
    ['I1 sell what is not there', "UPDATE items SET free = free - 11, sold = sold + 11 WHERE sku = 'a'"],
    ['I1 take a unit without putting it anywhere', "UPDATE items SET free = free - 1 WHERE sku = 'a'"],
    ['I1 hold fewer than none', "UPDATE items SET held = held - 1, free = free + 1 WHERE sku = 'a'"],
    ['I4 pass the limit of a buyer', "UPDATE buyers SET units = 2 WHERE buyer_key = 'bob'"],
    ['I4 owe units', "UPDATE buyers SET units = -1 WHERE buyer_key = 'bob'"],
    [
      'I3 make two orders with one key',
      `INSERT INTO orders (order_id, sale_no, sku, quantity, unit_price_minor, buyer_id, buyer_key, idempotency_key, status,
        placed_at_ms, updated_at_ms) VALUES ('o2', 1, 'a', 1, 100, 'bob', 'bob', 'k1', 'held', 1, 1)`,
    ],
    [
      'I3 take one payment result twice',
      `INSERT INTO payments (payment_id, result, order_id, state, received_at_ms, updated_at_ms, refund)
        VALUES ('p1', 'failed', 'o1', 'ignored', 1, 1, 'none')`,
    ],
    ['owe a refund without an amount', "UPDATE payments SET refund = 'due' WHERE payment_id = 'p1'"],
    [
      'I6 have a purchase key before the opening',
      "INSERT INTO sales VALUES (2, 's2', 'scheduled', 1, 'key', '{}', 1, 1)",
    ],
    ['I6 open without a purchase key', "INSERT INTO sales VALUES (2, 's2', 'open', 1, NULL, '{}', 1, 1)"],
    ['order nothing', "UPDATE orders SET quantity = 0 WHERE order_id = 'o1'"],
    ['invent a status', "UPDATE orders SET status = 'lost' WHERE order_id = 'o1'"],
    ['change the audit', "UPDATE audit SET entries = '[1]'"],
    ['cut the audit', 'DELETE FROM audit'],
  ])('%s', (_what, sql) => {
    expect(() => db.exec(sql)).toThrow(/constraint|audit chain/i);
  });

  it('and the same kind of statement within the rules goes through', () => {
    db.exec("UPDATE items SET free = free - 10, sold = sold + 10 WHERE sku = 'a'");
    db.exec("UPDATE buyers SET units = 0 WHERE buyer_key = 'bob'");
    expect(db.prepare("SELECT free, sold FROM items WHERE sku = 'a'").get()).toEqual({ free: 0, sold: 10 });
  });
});

describe('migrations', () => {
  it('are numbered without a gap and leave the version that this program knows', () => {
    expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, at) => at + 1));
    expect(versionOf(db)).toBe(SCHEMA_VERSION);
    expect(migrate(db, 2)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
  });

  it('refuse a newer breaking schema, naming both versions, and take one that is not breaking', () => {
    db.exec(`INSERT INTO migrations VALUES (${SCHEMA_VERSION + 1}, 'harmless', 0, 1)`);
    expect(migrate(db, 2).to).toBe(SCHEMA_VERSION + 1);
    db.exec(`INSERT INTO migrations VALUES (${SCHEMA_VERSION + 2}, 'newer', 1, 1)`);
    expect(() => migrate(db, 3)).toThrow(new RegExp(`${SCHEMA_VERSION + 2}.*${SCHEMA_VERSION}`));
  });
});

describe('the statements of a claim use their keys on a ledger that was never analysed', () => {
  it.each([
    ['SELECT units FROM buyers WHERE sale_no = 1 AND buyer_key = ?', 'SEARCH buyers USING PRIMARY KEY'],
    ['SELECT * FROM orders WHERE sale_no = 1 AND buyer_id = ? AND idempotency_key = ?', 'SEARCH orders USING INDEX'],
    ['SELECT * FROM orders WHERE order_id = ? AND sale_no = 1', 'SEARCH orders USING INDEX'],
    ['SELECT * FROM items WHERE sale_no = 1 AND sku = ?', 'SEARCH items USING PRIMARY KEY'],
    [
      `SELECT seq FROM orders WHERE status IN ('held', 'placed') AND parked_reason IS NULL AND expires_at_ms <= ? ORDER BY expires_at_ms`,
      'USING INDEX orders_due',
    ],
    ['SELECT * FROM payments WHERE order_id = ?', 'USING INDEX payments_by_order'],
    ['SELECT seq, hash FROM audit WHERE sale_no = 1 ORDER BY seq DESC LIMIT 1', 'SEARCH audit USING INDEX'],
  ])('%s', (sql, plan) => {
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(sql.match(/\?/g) ?? []).map(() => 'x')) as {
      detail: string;
    }[];
    expect(rows.map(({ detail }) => detail).join('\n')).toContain(plan);
  });
});
