/**
 * A batch that meets a row which breaks the rules: the act that touches it is refused alone, the others go through;
 * and a disk that fills up after the first half was committed refuses only the second.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Act } from '../../../core/act.ts';
import { systemClock } from '../../../kit/clock.ts';
import { openDatabase } from './driver.ts';
import { HoldClock } from './hold-clock.ts';
import { LedgerClock } from './ledger-clock.ts';
import { createRunBatch } from './run-batch.ts';
import { migrate } from './schema.ts';

const settings = JSON.stringify({
  currency: 'EUR',
  deductAt: 'order',
  holdSeconds: 300,
  limitPerBuyer: 1,
  endsAtMs: null,
});

function ground() {
  const db = openDatabase(path.join(mkdtempSync(path.join(tmpdir(), 'doorbuster-test-')), 'ledger.db'));
  migrate(db, 1);
  db.exec(`INSERT INTO sales VALUES (1, 'sale', 'open', 1, 'key', '${settings}', 1, 1);
    INSERT INTO items VALUES (1, 'good', 0, 'A', '', NULL, 100, 10, 10, 0, 0, 0, 0);
    INSERT INTO items VALUES (1, 'spoilt', 1, 'B', '', NULL, 100, 10, 10, 0, 0, 0, 0);
    PRAGMA ignore_check_constraints = ON; UPDATE items SET total = 12 WHERE sku = 'spoilt'; PRAGMA ignore_check_constraints = OFF`);
  const clock = new LedgerClock(systemClock, 0);
  const broken: string[] = [];
  const holdClock = new HoldClock(clock.offset());
  const runBatch = createRunBatch({ db, clock, holdClock, onBroken: (_error, act) => broken.push(act.kind) });
  return { db, runBatch, broken };
}

const claim = (buyer: number, sku: string): Act =>
  ({
    kind: 'claim',
    orderId: `o${buyer}`,
    buyerId: `b${buyer}`,
    buyerKey: `b${buyer}`,
    key: 'k',
    sku,
    quantity: 1,
    purchaseKey: 'key',
  }) as Act;

const outcomes = (verdicts: readonly { outcome: string; code?: string }[]) =>
  verdicts.map(({ outcome, code }) => code ?? outcome);

it('refuses the act that would break the books alone, and makes the others', () => {
  const { runBatch, broken, db } = ground();
  const acts = [claim(1, 'good'), claim(2, 'good'), claim(3, 'spoilt'), claim(4, 'good'), claim(5, 'good')];
  expect(outcomes(runBatch(1, acts).verdicts)).toEqual(['order', 'order', 'internal', 'order', 'order']);
  expect(broken).toEqual(['claim']);
  expect(db.prepare("SELECT free, held FROM items WHERE sku = 'good'").get()).toEqual({ free: 6, held: 4 });
});

it('does not take back what the first half has committed when the disk fills up in the second', () => {
  const { runBatch, db } = ground();
  // Room for no new page: what is deleted first leaves pages for the small first half, not for long texts.
  const { pages } = db.prepare('SELECT page_count AS pages FROM pragma_page_count').get() as { pages: number };
  db.exec(`PRAGMA max_page_count = ${pages}`);
  const long = (buyer: number): Act => ({ ...claim(buyer, 'good'), key: 'x'.repeat(200_000) }) as Act;
  const verdicts = outcomes(runBatch(1, [claim(1, 'good'), claim(2, 'spoilt'), long(3), long(4)]).verdicts);
  expect(verdicts).toEqual(['order', 'internal', 'unavailable', 'unavailable']);
  expect(db.prepare("SELECT free, held FROM items WHERE sku = 'good'").get()).toEqual({ free: 9, held: 1 });
});
