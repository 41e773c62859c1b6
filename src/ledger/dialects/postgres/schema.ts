/**
 * The ledger's schema on PostgreSQL, with the invariants as constraints, so that no bug above can break them: I1 (sums
 * of an item), I3 (unique keys and payments), I4 (units within the limit). Ids compare byte for byte (COLLATE "C").
 */
import type { Migration } from '../../server/migrations.ts';

const ID = 'text COLLATE "C"';

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'the selling core',
    breaking: true,
    statements: [
      `CREATE TABLE IF NOT EXISTS sales (
        sale_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        sale_id ${ID} NOT NULL UNIQUE,
        phase ${ID} NOT NULL CHECK (phase IN ('draft', 'scheduled', 'open', 'paused', 'ended')),
        version bigint NOT NULL,
        purchase_key ${ID},
        settings text NOT NULL,
        created_at_ms bigint NOT NULL,
        updated_at_ms bigint NOT NULL,
        CHECK (phase NOT IN ('draft', 'scheduled') OR purchase_key IS NULL),
        CHECK (phase NOT IN ('open', 'paused') OR purchase_key IS NOT NULL)
      )`,
      `CREATE INDEX IF NOT EXISTS sales_live ON sales (phase) WHERE phase IN ('scheduled', 'open', 'paused')`,
      `CREATE TABLE IF NOT EXISTS items (
        sale_no bigint NOT NULL REFERENCES sales,
        sku ${ID} NOT NULL,
        position integer NOT NULL,
        title text NOT NULL,
        description text NOT NULL,
        image_url text,
        price_minor bigint NOT NULL CHECK (price_minor >= 0),
        total bigint NOT NULL CHECK (total >= 0),
        free bigint NOT NULL CHECK (free >= 0),
        escrowed bigint NOT NULL CHECK (escrowed >= 0),
        held bigint NOT NULL CHECK (held >= 0),
        sold bigint NOT NULL CHECK (sold >= 0),
        placed bigint NOT NULL CHECK (placed >= 0),
        PRIMARY KEY (sale_no, sku),
        CHECK (free + escrowed + held + sold = total)
      ) WITH (fillfactor = 50)`,
      'CREATE INDEX IF NOT EXISTS items_placed ON items (sale_no) WHERE placed > 0',
      `CREATE TABLE IF NOT EXISTS orders (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        order_id ${ID} NOT NULL UNIQUE,
        sale_no bigint NOT NULL,
        sku ${ID} NOT NULL,
        quantity integer NOT NULL CHECK (quantity > 0),
        unit_price_minor bigint NOT NULL CHECK (unit_price_minor >= 0),
        buyer_id ${ID} NOT NULL,
        buyer_key ${ID} NOT NULL,
        idempotency_key ${ID} NOT NULL,
        status ${ID} NOT NULL CHECK (status IN
          ('accepted', 'placed', 'held', 'paid', 'cancelled', 'expired', 'refused', 'refund_due', 'refunded')),
        placed_at_ms bigint NOT NULL,
        updated_at_ms bigint NOT NULL,
        expires_at_ms bigint,
        paid_at_ms bigint,
        closed_at_ms bigint,
        grace_used smallint NOT NULL DEFAULT 0 CHECK (grace_used IN (0, 1)),
        details text,
        parked_reason text,
        due_at_ms bigint GENERATED ALWAYS AS
          (CASE WHEN status IN ('held', 'placed') AND parked_reason IS NULL THEN expires_at_ms END) STORED,
        UNIQUE (sale_no, buyer_id, idempotency_key)
      )`,
      'CREATE INDEX IF NOT EXISTS orders_due ON orders (due_at_ms) WHERE due_at_ms IS NOT NULL',
      'CREATE INDEX IF NOT EXISTS orders_by_status ON orders (sale_no, status, seq)',
      'CREATE INDEX IF NOT EXISTS orders_by_update ON orders (sale_no, updated_at_ms, seq)',
      `CREATE TABLE IF NOT EXISTS buyers (
        sale_no bigint NOT NULL,
        buyer_key ${ID} NOT NULL,
        units bigint NOT NULL CHECK (units >= 0),
        unit_limit bigint,
        PRIMARY KEY (sale_no, buyer_key),
        CHECK (unit_limit IS NULL OR units <= unit_limit)
      )`,
      `CREATE TABLE IF NOT EXISTS requests (
        caller ${ID} NOT NULL,
        route ${ID} NOT NULL,
        request_key ${ID} NOT NULL,
        fingerprint ${ID} NOT NULL,
        thing ${ID} NOT NULL CHECK (thing IN ('order', 'sale', 'payment')),
        thing_id ${ID} NOT NULL,
        at_ms bigint NOT NULL,
        PRIMARY KEY (caller, route, request_key)
      )`,
      `CREATE TABLE IF NOT EXISTS payments (
        payment_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        payment_id ${ID} NOT NULL,
        result ${ID} NOT NULL CHECK (result IN ('succeeded', 'failed', 'expired')),
        order_id ${ID} NOT NULL,
        sale_no bigint,
        amount_minor bigint,
        currency ${ID},
        state ${ID} NOT NULL CHECK (state IN ('applied', 'ignored', 'parked', 'resolved')),
        reason text,
        received_at_ms bigint NOT NULL,
        updated_at_ms bigint NOT NULL,
        refund ${ID} NOT NULL CHECK (refund IN ('none', 'due', 'done')),
        refund_reason text,
        UNIQUE (payment_id, result),
        CHECK (refund = 'none' OR (amount_minor IS NOT NULL AND currency IS NOT NULL AND refund_reason IS NOT NULL))
      )`,
      'CREATE INDEX IF NOT EXISTS payments_by_order ON payments (order_id)',
      'CREATE INDEX IF NOT EXISTS payments_by_state ON payments (state, payment_no)',
      `CREATE TABLE IF NOT EXISTS audit (
        audit_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        sale_no bigint NOT NULL,
        seq bigint NOT NULL,
        at_ms bigint NOT NULL,
        has_acts smallint NOT NULL CHECK (has_acts IN (0, 1)),
        entries text NOT NULL,
        previous_hash ${ID} NOT NULL,
        hash ${ID} NOT NULL,
        UNIQUE (sale_no, seq)
      )`,
      'CREATE INDEX IF NOT EXISTS audit_acts ON audit (sale_no, seq) WHERE has_acts = 1',
      `CREATE OR REPLACE FUNCTION doorbuster_audit_is_fixed() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''the audit chain is never changed or cut''; END'`,
      'DROP TRIGGER IF EXISTS audit_is_fixed ON audit',
      `CREATE TRIGGER audit_is_fixed BEFORE UPDATE OR DELETE ON audit
        FOR EACH ROW EXECUTE FUNCTION doorbuster_audit_is_fixed()`,
      `CREATE TABLE IF NOT EXISTS outbox (
        outbox_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        sale_no bigint NOT NULL,
        audit_seq bigint NOT NULL,
        at_ms bigint NOT NULL,
        UNIQUE (sale_no, audit_seq)
      )`,
      `CREATE TABLE IF NOT EXISTS signing_keys (
        name ${ID} PRIMARY KEY,
        value text NOT NULL,
        created_at_ms bigint NOT NULL
      )`,
      `CREATE TABLE IF NOT EXISTS leases (
        name ${ID} PRIMARY KEY,
        holder ${ID},
        fence bigint NOT NULL,
        until_ms bigint NOT NULL
      )`,
      `INSERT INTO leases (name, holder, fence, until_ms) VALUES ('sweep', NULL, 0, 0), ('parked', NULL, 0, 0)
        ON CONFLICT DO NOTHING`,
    ],
  },
];
