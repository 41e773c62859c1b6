/**
 * One batch of acts, one transaction on the database, one commit: lock the sale, load, `decide`, write (I1 to I4, I6).
 * Batches of several processes on one sale stand in line at the sale's row. A batch that changes nothing lets go of
 * the row without a commit.
 *
 * Failure paths:
 *   a broken invariant or constraint   rolled back; the batch is halved until the one act that breaks it stands alone
 *                                      and is refused as `internal`; the others go through
 *   everything else                    transaction.ts: tried again, `unavailable` with effect none, or unknown
 */
import type { Act } from '../../core/act.ts';
import type { BatchResult, Books } from '../../core/books.ts';
import { decide } from '../../core/decide.ts';
import { InvariantError } from '../../core/invariants.ts';
import { refuse, type Verdict } from '../../core/outcomes.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { changesNothing } from '../../core/state.ts';
import { OperatingError } from '../../kit/errors.ts';
import { lostFences } from './leases.ts';
import { loadState, lockSale } from './load.ts';
import type { Dialect, Session } from './session.ts';
import { type Done, inTransaction, type TransactionParts } from './transaction.ts';
import { writeChange } from './write.ts';

export interface RunBatchParts extends TransactionParts {
  readonly dialect: Dialect;
  /** Told of an act that would have broken the books, for the log. */
  readonly onBroken: (message: string, actKind: string) => void;
}

export function createRunBatch(parts: RunBatchParts): Books['runBatch'] {
  const run = async (saleNo: number, acts: readonly Act[]): Promise<BatchResult> => {
    try {
      return await inTransaction(parts, (session) => attempt(session, parts.dialect, saleNo, acts));
    } catch (error) {
      const breaks = error instanceof InvariantError || parts.dialect.faultOf(error) === 'constraint';
      if (error instanceof OperatingError || !breaks) throw asOperating(error);
      const [act] = acts;
      if (act === undefined || acts.length > 1) return inHalves(run, saleNo, acts);
      parts.onBroken((error as Error).message, act.kind);
      const verdict = refuse('internal', 'This would have broken the books; nothing was taken.');
      return { verdicts: [verdict], atMs: 0 as EpochMs, sale: null, items: [] };
    }
  };
  return (saleNo, _source, acts) => run(saleNo, acts);
}

async function attempt(
  session: Session,
  dialect: Dialect,
  saleNo: number,
  acts: readonly Act[],
): Promise<Done<BatchResult>> {
  const locked = await lockSale(session, dialect, saleNo);
  if (locked === null) return { value: nothingThere(acts), commit: false };
  const { sale, end, now } = locked;
  const lost = await lostFences(session, dialect, acts);
  const judged = lost.size === 0 ? acts : acts.filter((act) => !lost.has(act));
  const state = await loadState(session, dialect, sale, judged);
  const decision = decide(state, judged, now);
  const isIdle = changesNothing(decision.change);
  const after = isIdle ? end.seq : await writeChange(session, dialect, { state, end, change: decision.change, now });
  const { change } = decision;
  const verdicts = lost.size === 0 ? decision.verdicts : withRefusals(acts, lost, decision.verdicts);
  const value = { verdicts, atMs: now, sale: change.sale, items: change.items, ledgerSeq: { before: end.seq, after } };
  return { value, commit: !isIdle };
}

/** What a worker sent under a lease that it has lost changes nothing; whoever has the lease now does it. */
function withRefusals(acts: readonly Act[], lost: ReadonlySet<Act>, verdicts: readonly Verdict[]): Verdict[] {
  let at = 0;
  return acts.map((act) =>
    lost.has(act)
      ? refuse('wrong_state', 'The lease for this work is held by another process.')
      : (verdicts[at++] as Verdict),
  );
}

const nothingThere = (acts: readonly Act[]): BatchResult => ({
  verdicts: acts.map(() => refuse('not_found', 'There is no such sale.')),
  atMs: 0 as EpochMs,
  sale: null,
  items: [],
});

async function inHalves(
  run: (saleNo: number, acts: readonly Act[]) => Promise<BatchResult>,
  saleNo: number,
  acts: readonly Act[],
): Promise<BatchResult> {
  const middle = acts.length >> 1;
  const first = await run(saleNo, acts.slice(0, middle));
  const second = await afterCommit(run, saleNo, acts.slice(middle), first.atMs);
  const items = new Map([...first.items, ...second.items].map((item) => [item.sku, item]));
  return {
    verdicts: [...first.verdicts, ...second.verdicts],
    atMs: Math.max(first.atMs, second.atMs) as EpochMs,
    sale: second.sale ?? first.sale,
    items: [...items.values()],
    ...seqOf(first, second),
  };
}

function seqOf({ ledgerSeq: first }: BatchResult, { ledgerSeq: second }: BatchResult): Pick<BatchResult, 'ledgerSeq'> {
  if (first === undefined || second === undefined) return {};
  return { ledgerSeq: { before: first.after === second.before ? first.before : -1, after: second.after } };
}

/** The second half must not speak for the first, which stands: what it cannot do it answers for itself. */
async function afterCommit(
  run: (saleNo: number, acts: readonly Act[]) => Promise<BatchResult>,
  saleNo: number,
  acts: readonly Act[],
  atMs: EpochMs,
): Promise<BatchResult> {
  try {
    return await run(saleNo, acts);
  } catch (error) {
    if (!(error instanceof OperatingError) || error.effect !== 'none') throw error;
    const refusal = refuse('unavailable', error.message);
    return { verdicts: acts.map(() => refusal), atMs, sale: null, items: [] };
  }
}

/** What the server said that is neither a guard nor weather: a fault of the installation or of ours; rolled back. */
function asOperating(cause: unknown): OperatingError {
  if (cause instanceof OperatingError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatingError('unavailable', `The database refused the batch: ${reason}`, { effect: 'none', cause });
}
