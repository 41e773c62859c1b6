/**
 * One batch of acts, one transaction, one commit with full sync: load, `decide`, write (I1 to I4, I6). A batch that
 * changes nothing (sold out, replays) is answered without a commit.
 *
 * Failure paths:
 *   a broken invariant or constraint   rolled back; the batch is halved until the one act that breaks it stands
 *                                      alone and is refused as `internal`; the others go through
 *   disk full, or locked by a stranger rolled back or never begun: `unavailable`, effect none
 *   any other fault (fsync, I/O)       fatal: nobody can say what the disk holds, so the process must stop (I8)
 */
import type { Act } from '../../../core/act.ts';
import type { BatchResult } from '../../../core/books.ts';
import { decide } from '../../../core/decide.ts';
import { InvariantError } from '../../../core/invariants.ts';
import { refuse, type Verdict } from '../../../core/outcomes.ts';
import type { EpochMs } from '../../../core/scalars.ts';
import { changesNothing, type Decision, type State } from '../../../core/state.ts';
import { OperatingError } from '../../../kit/errors.ts';
import { type Database, isConstraint } from './driver.ts';
import type { HoldClock } from './hold-clock.ts';
import type { LedgerClock } from './ledger-clock.ts';
import { createLoader } from './load.ts';
import { sureRefusalOf } from './sure-refusal.ts';
import { createWriter } from './write.ts';

export interface RunBatchParts {
  readonly db: Database;
  readonly clock: LedgerClock;
  readonly holdClock: HoldClock;
  /** Told of an act that would have broken the books, for the log. */
  readonly onBroken: (error: Error, act: Act) => void;
}

export type RunBatch = (saleNo: number, acts: readonly Act[]) => BatchResult;

export function createRunBatch({ db, clock, holdClock, onBroken }: RunBatchParts): RunBatch {
  const loader = createLoader(db);
  const writer = createWriter(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');

  const attempt = (saleNo: number, acts: readonly Act[]): BatchResult => {
    begin.run();
    try {
      const now = clock.now();
      const sale = loader.sale(saleNo);
      if (sale === null) return nothingThere(acts, now);
      const state = loader.state(sale, acts);
      const decision = decide(state, acts, now);
      if (changesNothing(decision.change)) return resultOf(decision, now);
      store(state, decision, now);
      return resultOf(decision, now);
    } finally {
      if (isOpen(db)) rollback.run();
    }
  };

  const nothingThere = (acts: readonly Act[], now: EpochMs): BatchResult => ({
    verdicts: acts.map(() => refuse('not_found', 'There is no such sale.')),
    atMs: now,
    sale: null,
    items: [],
  });

  const store = (state: State, { change }: Decision, now: EpochMs) => {
    const lastSeq = writer.write(state, change, now);
    commit.run();
    clock.committed(now);
    if (lastSeq !== null) holdClock.note(lastSeq - change.newOrders.length + 1, clock.offset(now));
  };

  return function runBatch(saleNo, acts) {
    try {
      return attempt(saleNo, acts);
    } catch (error) {
      const refusal = sureRefusalOf(error);
      if (refusal !== null) throw refusal;
      if (!(error instanceof InvariantError) && !isConstraint(error)) throw error;
      const [act] = acts;
      if (act === undefined || acts.length > 1) return inHalves(runBatch, saleNo, acts);
      onBroken(error as Error, act);
      const verdict: Verdict = refuse('internal', 'This would have broken the books; nothing was taken.');
      return { verdicts: [verdict], atMs: clock.now(), sale: null, items: [] };
    }
  };
}

function inHalves(runBatch: RunBatch, saleNo: number, acts: readonly Act[]): BatchResult {
  const middle = acts.length >> 1;
  const first = runBatch(saleNo, acts.slice(0, middle));
  const second = afterCommit(runBatch, saleNo, acts.slice(middle), first.atMs);
  const items = new Map([...first.items, ...second.items].map((item) => [item.sku, item]));
  return {
    verdicts: [...first.verdicts, ...second.verdicts],
    atMs: second.atMs,
    sale: second.sale ?? first.sale,
    items: [...items.values()],
  };
}

/** The second half must not speak for the first, which stands: a disk that fills up now refuses these acts alone. */
function afterCommit(runBatch: RunBatch, saleNo: number, acts: readonly Act[], atMs: EpochMs): BatchResult {
  try {
    return runBatch(saleNo, acts);
  } catch (error) {
    if (!(error instanceof OperatingError) || error.effect !== 'none') throw error;
    const refusal = refuse('unavailable', error.message);
    return { verdicts: acts.map(() => refusal), atMs, sale: null, items: [] };
  }
}

const resultOf = ({ verdicts, change }: Decision, now: EpochMs): BatchResult => ({
  verdicts,
  atMs: now,
  sale: change.sale,
  items: change.items,
});

/** Whether a transaction is open: a full disk may have ended it already. */
const isOpen = (db: Database): boolean => (db as unknown as { isTransaction: boolean }).isTransaction;
