/**
 * The ledger's schema on MySQL (8.0.16 and newer) and MariaDB (10.6 and newer), with the invariants as constraints, so
 * that no bug above can break them: I1 (sums of an item), I3 (unique keys and payments), I4 (units within the limit).
 *
 * Ids are bytes (VARBINARY): no collation folds case, pads with blanks or reads two spellings as one. The audit chain
 * has no trigger here: with a binary log, making one takes rights that a shop's account rarely has; its hashes tell.
 */
import type { Migration } from '../../server/migrations.ts';

/** A word of ours. */
const WORD = 'VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin';
const TEXT = 'LONGTEXT CHARACTER SET utf8mb4';
const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4';
/** Up to 128 characters of up to four bytes; folding may make three of one. */
const BUYER_ID = 'VARBINARY(512)';
const BUYER_KEY = 'VARBINARY(1536)';

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'the selling core',
    breaking: true,
    statements: [
      `CREATE TABLE IF NOT EXISTS sales (
        sale_no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        sale_id VARBINARY(64) NOT NULL,
        phase ${WORD} NOT NULL,
        version BIGINT NOT NULL,
        purchase_key VARBINARY(255),
        settings ${TEXT} NOT NULL,
        created_at_ms BIGINT NOT NULL,
        updated_at_ms BIGINT NOT NULL,
        UNIQUE KEY sale_id (sale_id),
        KEY sales_live (phase),
        CONSTRAINT sales_phase CHECK (phase IN ('draft', 'scheduled', 'open', 'paused', 'ended')),
        CONSTRAINT sales_no_key_before CHECK (phase NOT IN ('draft', 'scheduled') OR purchase_key IS NULL),
        CONSTRAINT sales_key_while_open CHECK (phase NOT IN ('open', 'paused') OR purchase_key IS NOT NULL)
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS items (
        sale_no BIGINT NOT NULL,
        sku VARBINARY(64) NOT NULL,
        position INT NOT NULL,
        title ${TEXT} NOT NULL,
        description ${TEXT} NOT NULL,
        image_url ${TEXT},
        price_minor BIGINT NOT NULL,
        total BIGINT NOT NULL,
        free BIGINT NOT NULL,
        escrowed BIGINT NOT NULL,
        held BIGINT NOT NULL,
        sold BIGINT NOT NULL,
        placed BIGINT NOT NULL,
        PRIMARY KEY (sale_no, sku),
        KEY items_placed (placed),
        CONSTRAINT items_sale FOREIGN KEY (sale_no) REFERENCES sales (sale_no),
        CONSTRAINT items_parts CHECK (price_minor >= 0 AND total >= 0 AND free >= 0 AND escrowed >= 0 AND held >= 0
          AND sold >= 0 AND placed >= 0),
        CONSTRAINT items_sum CHECK (free + escrowed + held + sold = total)
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS orders (
        seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        order_id VARBINARY(64) NOT NULL,
        sale_no BIGINT NOT NULL,
        sku VARBINARY(64) NOT NULL,
        quantity INT NOT NULL,
        unit_price_minor BIGINT NOT NULL,
        buyer_id ${BUYER_ID} NOT NULL,
        buyer_key ${BUYER_KEY} NOT NULL,
        idempotency_key VARBINARY(255) NOT NULL,
        status ${WORD} NOT NULL,
        placed_at_ms BIGINT NOT NULL,
        updated_at_ms BIGINT NOT NULL,
        expires_at_ms BIGINT,
        paid_at_ms BIGINT,
        closed_at_ms BIGINT,
        grace_used TINYINT NOT NULL DEFAULT 0,
        details ${TEXT},
        parked_reason VARCHAR(1000) CHARACTER SET utf8mb4,
        due_at_ms BIGINT GENERATED ALWAYS AS
          (CASE WHEN status IN ('held', 'placed') AND parked_reason IS NULL THEN expires_at_ms END) STORED,
        UNIQUE KEY order_id (order_id),
        UNIQUE KEY orders_by_key (sale_no, buyer_id, idempotency_key),
        KEY orders_due (due_at_ms),
        KEY orders_by_status (sale_no, status, seq),
        KEY orders_by_update (sale_no, updated_at_ms, seq),
        CONSTRAINT orders_quantity CHECK (quantity > 0 AND unit_price_minor >= 0),
        CONSTRAINT orders_status CHECK (status IN
          ('accepted', 'placed', 'held', 'paid', 'cancelled', 'expired', 'refused', 'refund_due', 'refunded')),
        CONSTRAINT orders_grace CHECK (grace_used IN (0, 1))
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS buyers (
        sale_no BIGINT NOT NULL,
        buyer_key ${BUYER_KEY} NOT NULL,
        units BIGINT NOT NULL,
        unit_limit BIGINT,
        PRIMARY KEY (sale_no, buyer_key),
        CONSTRAINT buyers_units CHECK (units >= 0),
        CONSTRAINT buyers_limit CHECK (unit_limit IS NULL OR units <= unit_limit)
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS requests (
        caller VARBINARY(600) NOT NULL,
        route VARBINARY(600) NOT NULL,
        request_key VARBINARY(255) NOT NULL,
        fingerprint VARBINARY(255) NOT NULL,
        thing ${WORD} NOT NULL,
        thing_id VARBINARY(1024) NOT NULL,
        at_ms BIGINT NOT NULL,
        PRIMARY KEY (caller, route, request_key),
        CONSTRAINT requests_thing CHECK (thing IN ('order', 'sale', 'payment'))
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS payments (
        payment_no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        payment_id VARBINARY(1024) NOT NULL,
        result ${WORD} NOT NULL,
        order_id VARBINARY(1024) NOT NULL,
        sale_no BIGINT,
        amount_minor BIGINT,
        currency VARBINARY(16),
        state ${WORD} NOT NULL,
        reason ${TEXT},
        received_at_ms BIGINT NOT NULL,
        updated_at_ms BIGINT NOT NULL,
        refund ${WORD} NOT NULL,
        refund_reason ${TEXT},
        UNIQUE KEY payment_id (payment_id, result),
        KEY payments_by_order (order_id),
        KEY payments_by_state (state, payment_no),
        CONSTRAINT payments_words CHECK (result IN ('succeeded', 'failed', 'expired')
          AND state IN ('applied', 'ignored', 'parked', 'resolved') AND refund IN ('none', 'due', 'done')),
        CONSTRAINT payments_refund CHECK (refund = 'none'
          OR (amount_minor IS NOT NULL AND currency IS NOT NULL AND refund_reason IS NOT NULL))
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS audit (
        audit_no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        sale_no BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        at_ms BIGINT NOT NULL,
        has_acts TINYINT NOT NULL,
        entries ${TEXT} NOT NULL,
        previous_hash VARBINARY(64) NOT NULL,
        hash VARBINARY(64) NOT NULL,
        UNIQUE KEY audit_by_seq (sale_no, seq),
        KEY audit_acts (sale_no, has_acts, seq)
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS outbox (
        outbox_no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        sale_no BIGINT NOT NULL,
        audit_seq BIGINT NOT NULL,
        at_ms BIGINT NOT NULL,
        UNIQUE KEY outbox_by_seq (sale_no, audit_seq)
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS signing_keys (
        name VARBINARY(64) NOT NULL PRIMARY KEY,
        value ${TEXT} NOT NULL,
        created_at_ms BIGINT NOT NULL
      ) ${TABLE}`,
      `CREATE TABLE IF NOT EXISTS leases (
        name VARBINARY(64) NOT NULL PRIMARY KEY,
        holder VARBINARY(64),
        fence BIGINT NOT NULL,
        until_ms BIGINT NOT NULL
      ) ${TABLE}`,
      `INSERT INTO leases (name, holder, fence, until_ms) VALUES ('sweep', NULL, 0, 0), ('parked', NULL, 0, 0)
        ON DUPLICATE KEY UPDATE name = name`,
    ],
  },
];
