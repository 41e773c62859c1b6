/**
 * The embedded ledger's schema as numbered migrations, with the invariants as constraints, so that no bug above
 * can break them: I1 (sums of an item), I3 (unique keys and payments), I4 (units within the limit). Applied at
 * start, each in a transaction of its own. An older binary refuses a newer schema that is marked breaking.
 */
import { OperatingError, SettingError } from '../../../kit/errors.ts';
import type { Database } from './driver.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** A binary that does not know this step must not use the ledger. */
  readonly breaking: boolean;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'the selling core',
    breaking: true,
    sql: `
      CREATE TABLE sales (
        sale_no INTEGER PRIMARY KEY AUTOINCREMENT,
        sale_id TEXT NOT NULL UNIQUE,
        phase TEXT NOT NULL CHECK (phase IN ('draft', 'scheduled', 'open', 'paused', 'ended')),
        version INTEGER NOT NULL,
        purchase_key TEXT,
        settings TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL,
        CHECK (phase NOT IN ('draft', 'scheduled') OR purchase_key IS NULL),
        CHECK (phase NOT IN ('open', 'paused') OR purchase_key IS NOT NULL)
      ) STRICT;
      CREATE INDEX sales_live ON sales (phase) WHERE phase IN ('scheduled', 'open', 'paused');

      CREATE TABLE items (
        sale_no INTEGER NOT NULL REFERENCES sales,
        sku TEXT NOT NULL,
        position INTEGER NOT NULL,
        title TEXT NOT NULL,
        description TEXT NOT NULL,
        image_url TEXT,
        price_minor INTEGER NOT NULL CHECK (price_minor >= 0),
        total INTEGER NOT NULL CHECK (total >= 0),
        free INTEGER NOT NULL CHECK (free >= 0),
        escrowed INTEGER NOT NULL CHECK (escrowed >= 0),
        held INTEGER NOT NULL CHECK (held >= 0),
        sold INTEGER NOT NULL CHECK (sold >= 0),
        placed INTEGER NOT NULL CHECK (placed >= 0),
        PRIMARY KEY (sale_no, sku),
        CHECK (free + escrowed + held + sold = total)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE orders (
        seq INTEGER PRIMARY KEY,
        order_id TEXT NOT NULL UNIQUE,
        sale_no INTEGER NOT NULL,
        sku TEXT NOT NULL,
        quantity INTEGER NOT NULL CHECK (quantity > 0),
        unit_price_minor INTEGER NOT NULL CHECK (unit_price_minor >= 0),
        buyer_id TEXT NOT NULL,
        buyer_key TEXT NOT NULL,
        idempotency_key TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN
          ('accepted', 'placed', 'held', 'paid', 'cancelled', 'expired', 'refused', 'refund_due', 'refunded')),
        placed_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER,
        paid_at_ms INTEGER,
        closed_at_ms INTEGER,
        grace_used INTEGER NOT NULL DEFAULT 0 CHECK (grace_used IN (0, 1)),
        details TEXT,
        parked_reason TEXT,
        UNIQUE (sale_no, buyer_id, idempotency_key)
      ) STRICT;
      CREATE INDEX orders_due ON orders (expires_at_ms) WHERE status IN ('held', 'placed') AND parked_reason IS NULL;
      CREATE INDEX orders_by_status ON orders (sale_no, status, seq);
      CREATE INDEX orders_by_update ON orders (sale_no, updated_at_ms, seq);

      CREATE TABLE buyers (
        sale_no INTEGER NOT NULL,
        buyer_key TEXT NOT NULL,
        units INTEGER NOT NULL CHECK (units >= 0),
        unit_limit INTEGER,
        PRIMARY KEY (sale_no, buyer_key),
        CHECK (unit_limit IS NULL OR units <= unit_limit)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE requests (
        caller TEXT NOT NULL,
        route TEXT NOT NULL,
        key TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        thing TEXT NOT NULL CHECK (thing IN ('order', 'sale', 'payment')),
        thing_id TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (caller, route, key)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE payments (
        payment_no INTEGER PRIMARY KEY,
        payment_id TEXT NOT NULL,
        result TEXT NOT NULL CHECK (result IN ('succeeded', 'failed', 'expired')),
        order_id TEXT NOT NULL,
        sale_no INTEGER,
        amount_minor INTEGER,
        currency TEXT,
        state TEXT NOT NULL CHECK (state IN ('applied', 'ignored', 'parked', 'resolved')),
        reason TEXT,
        received_at_ms INTEGER NOT NULL,
        updated_at_ms INTEGER NOT NULL,
        refund TEXT NOT NULL CHECK (refund IN ('none', 'due', 'done')),
        refund_reason TEXT,
        UNIQUE (payment_id, result),
        CHECK (refund = 'none' OR (amount_minor IS NOT NULL AND currency IS NOT NULL AND refund_reason IS NOT NULL))
      ) STRICT;
      CREATE INDEX payments_by_order ON payments (order_id);
      CREATE INDEX payments_by_state ON payments (state, payment_no);

      CREATE TABLE audit (
        audit_no INTEGER PRIMARY KEY,
        sale_no INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        has_acts INTEGER NOT NULL CHECK (has_acts IN (0, 1)),
        entries TEXT NOT NULL,
        previous_hash TEXT NOT NULL,
        hash TEXT NOT NULL,
        UNIQUE (sale_no, seq)
      ) STRICT;
      CREATE INDEX audit_acts ON audit (sale_no, seq) WHERE has_acts = 1;
      CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit chain is never changed'); END;
      CREATE TRIGGER audit_is_never_cut BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit chain is never cut'); END;

      CREATE TABLE outbox (
        outbox_no INTEGER PRIMARY KEY,
        sale_no INTEGER NOT NULL,
        audit_seq INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        UNIQUE (sale_no, audit_seq)
      ) STRICT;

      CREATE TABLE keys (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE clock (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        at_ms INTEGER NOT NULL
      ) STRICT;
      INSERT INTO clock (id, at_ms) VALUES (1, 0);
    `,
  },
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** Brings the schema up to this binary's; refuses one that a newer binary made breaking. */
export function migrate(db: Database, nowMs: number): Migrated {
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT`);
  const from = versionOf(db);
  refuseNewer(db);
  for (const step of MIGRATIONS.filter(({ number }) => number > from)) {
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(step.sql);
      db.prepare('INSERT INTO migrations (number, name, breaking, applied_at_ms) VALUES (?, ?, ?, ?)').run(
        step.number,
        step.name,
        step.breaking ? 1 : 0,
        nowMs,
      );
      db.exec('COMMIT');
    } catch (cause) {
      db.exec('ROLLBACK');
      throw new OperatingError('unavailable', `migration ${step.number} (${step.name}) failed`, {
        effect: 'none',
        cause,
      });
    }
  }
  return { from, to: versionOf(db) };
}

/** The highest migration that the ledger has; 0 for a new one. */
export function versionOf(db: Database): number {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get();
  if (hasTable === undefined) return 0;
  const row = db.prepare('SELECT max(number) AS version FROM migrations').get() as { version: number | null };
  return row.version ?? 0;
}

function refuseNewer(db: Database): void {
  const row = db.prepare('SELECT max(number) AS newest FROM migrations WHERE breaking = 1').get() as {
    newest: number | null;
  };
  if ((row.newest ?? 0) <= SCHEMA_VERSION) return;
  throw new SettingError(
    `the ledger has schema version ${row.newest}, this program knows ${SCHEMA_VERSION}: run the newer doorbuster, or restore a backup made before the upgrade`,
  );
}
