/**
 * The ledger as a test sees it from outside, past the product: an operator with a tool, a bad disk, a careless hand.
 * The same few acts on the SQLite file and on a database.
 */
import type { TestServer } from '../../support/server.ts';
import { databaseOf } from './field-server.ts';
import { openLedgerFile } from './ledger-file.ts';

export interface LedgerAccess {
  /** The status of the only order. */
  statusOfOnlyOrder(): string;
  /** Makes the record of an order contradict itself. */
  spoil(orderId: string): void;
  /** Holds the sale up, as a backup or a forgotten tool would; resolves with what lets it go. */
  holdUp(saleId: string): Promise<() => Promise<void>>;
  /** Tries to make a second order of one number, new in everything else; throws what the database says. */
  copyOrder(): void;
  close(): void;
}

export async function openLedger(server: TestServer, options: { readOnly?: boolean } = {}): Promise<LedgerAccess> {
  return (await onDatabase(server)) ?? inFile(server, options);
}

async function inFile({ data }: TestServer, options: { readOnly?: boolean }): Promise<LedgerAccess> {
  const file = await openLedgerFile(data, options);
  return {
    statusOfOnlyOrder: () => String(file.prepare('SELECT status FROM orders').all()[0]?.status),
    spoil: (orderId) => {
      file.exec('PRAGMA ignore_check_constraints = ON');
      file.exec('PRAGMA foreign_keys = OFF');
      file.exec(`UPDATE orders SET sku = 'no-such-item' WHERE order_id = '${orderId}'`);
    },
    holdUp: async () => {
      file.exec('BEGIN IMMEDIATE');
      return async () => file.exec('COMMIT');
    },
    copyOrder: () => {
      file.exec(`CREATE TEMP TABLE copy AS SELECT * FROM orders LIMIT 1;
        UPDATE copy SET seq = NULL, buyer_id = 'another', idempotency_key = 'another'`);
      file.exec('INSERT INTO orders SELECT * FROM copy');
    },
    close: () => file.close(),
  };
}

const COLUMNS =
  'order_id, sale_no, sku, quantity, unit_price_minor, buyer_key, status, placed_at_ms, updated_at_ms, buyer_id, idempotency_key';
const COPIED = COLUMNS.replace('buyer_id, idempotency_key', "'another', 'another'");

async function onDatabase(server: TestServer): Promise<LedgerAccess | null> {
  const found = await databaseOf(server);
  if (found === null) return null;
  const { database, url } = found;
  const ask = (sql: string): string => database.ask(sql, url).trim();
  return {
    statusOfOnlyOrder: () => ask('SELECT status FROM orders'),
    spoil: (orderId) => void ask(`UPDATE orders SET sku = 'no-such-item' WHERE order_id = '${orderId}'`),
    holdUp: async (saleId) => {
      const session = database.session(url);
      await session.run('BEGIN');
      await session.run(`SELECT 1 FROM sales WHERE sale_id = '${saleId}' FOR UPDATE`);
      return async () => {
        await session.run('COMMIT');
        await session.close();
      };
    },
    copyOrder: () => void ask(`INSERT INTO orders (${COLUMNS}) SELECT ${COPIED} FROM orders LIMIT 1`),
    close: () => {},
  };
}
