/**
 * The workload through a real engine: acts go in at once, through the batchers of several servers, and the auditor
 * judges the batches in the order in which the books took them. Results of several connections need not arrive in
 * that order; where the books number their changes, the numbers say it. On the engine's own clock, so holds are short.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchResult } from '../../src/core/books.ts';
import { exampleSale } from '../../src/core/example.ts';
import { Batcher } from '../../src/inventory/batcher.ts';
import type { Subject } from '../../src/inventory/conformance/subject.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { Auditor } from './auditor.ts';
import { Random } from './random.ts';
import { type Failure, seedOf, type Told } from './simulate.ts';
import { type Pace, type SaleSetUp, setUpSale, Workload } from './workload.ts';

/** As short as a busy machine can tell apart. */
const ON_A_REAL_CLOCK: Pace = { holdSeconds: [0.05, 0.4], graceSeconds: [0, 0.2], saleMs: [300, 5000] };
const SALE_OPERATIONS = 400;
const AT_ONCE_MAX = 48;
const BATCH_ACTS_MAX = 32;
/** Nothing may be `busy` here: what is not executed says nothing about the rules. */
const QUEUE_WAIT_MS = 60_000;
const PAUSE_MS_MAX = 20;

export interface EngineRun {
  readonly operations: number;
  readonly batches: number;
  readonly sales: number;
  readonly failure: (Failure & { readonly saleSeed: number; readonly startMs: number }) | null;
}

interface SaleRun {
  readonly operations: number;
  readonly batches: number;
  readonly startMs: number;
  readonly failure: Failure | null;
}

interface Arrived extends Told {
  readonly ledgerSeq: BatchResult['ledgerSeq'];
}

/** A change comes before the batches that saw it and changed nothing; these among themselves by their time. */
export function inOrderOfTheBooks(arrived: readonly Arrived[]): Told[] {
  const isIdle = ({ ledgerSeq }: Arrived): number => (ledgerSeq?.before === ledgerSeq?.after ? 1 : 0);
  return arrived.toSorted((a, b) => {
    if (a.ledgerSeq === undefined || b.ledgerSeq === undefined) return 0;
    return a.ledgerSeq.after - b.ledgerSeq.after || isIdle(a) - isIdle(b) || a.atMs - b.atMs;
  });
}

async function runSale(subject: Subject, seed: number, servers: number): Promise<SaleRun> {
  const random = new Random(seed);
  const startMs = subject.nowMs();
  const setUp = setUpSale(random, ON_A_REAL_CLOCK, startMs);
  const workload = new Workload(random, setUp);
  const saleNo = await subject.createSale(exampleSale(setUp.settings, setUp.items));
  const arrived: Arrived[] = [];
  const batchers: Batcher[] = [];
  for (let each = 0; each < servers; each++)
    batchers.push(
      new Batcher({
        saleNo,
        engine: await subject.another(),
        clock: systemClock,
        queueWaitMs: QUEUE_WAIT_MS,
        batchActsMax: BATCH_ACTS_MAX,
        onBatch: ({ verdicts, atMs, ledgerSeq }, acts) => void arrived.push({ atMs, acts, verdicts, ledgerSeq }),
      }),
    );

  let operations = 0;
  while (operations < SALE_OPERATIONS && !workload.isOver) {
    const pauseMs = workload.pauseMs(subject.nowMs());
    if (pauseMs > 0 && random.chance(0.5)) await sleep(Math.min(pauseMs, PAUSE_MS_MAX));
    const acts = workload.batch(subject.nowMs(), AT_ONCE_MAX);
    operations += acts.length;
    workload.learn(acts, await Promise.all(acts.map((act, at) => (batchers[at % servers] as Batcher).submit(act))));
  }
  const { items, orders } = await subject.books(saleNo);
  const batches = inOrderOfTheBooks(arrived);
  const { fault, history } = judged(setUp, batches, { items, orders });
  const failure = fault === null ? null : { what: fault, setUp, history };
  return { operations, batches: batches.length, startMs, failure };
}

/** The first fault, and the history up to it. */
function judged(
  setUp: SaleSetUp,
  batches: readonly Told[],
  rows: Pick<Parameters<Auditor['close']>[0], 'items' | 'orders'>,
): { fault: string | null; history: readonly Told[] } {
  const sale = { ...setUp.settings, phase: 'draft', version: 1, purchaseKey: null } as const;
  const auditor = new Auditor({ sale, items: setUp.items });
  for (const [at, batch] of batches.entries()) {
    const fault = auditor.judge(batch);
    if (fault !== null) return { fault, history: batches.slice(0, at + 1) };
  }
  const last = batches
    .flatMap(({ verdicts }) => verdicts.flatMap((each) => (each.outcome === 'sale' ? [each.sale] : [])))
    .at(-1);
  return { fault: last === undefined ? null : auditor.close({ sale: last, ...rows }), history: batches };
}

/** Sales, one after another, until at least so many operations are done, or one fails. */
export async function runOnEngine(options: {
  operations: number;
  seed: number;
  subject: () => Promise<Subject>;
  /** How many batchers take turns, each with an engine of its own. */
  servers?: number;
}): Promise<EngineRun> {
  let [operations, batches] = [0, 0];
  for (let sales = 0; ; sales++) {
    if (operations >= options.operations) return { operations, batches, sales, failure: null };
    const saleSeed = seedOf(options.seed, sales);
    const done = await runSale(await options.subject(), saleSeed, options.servers ?? 2);
    operations += done.operations;
    batches += done.batches;
    const { failure, startMs } = done;
    if (failure !== null) return { operations, batches, sales: sales + 1, failure: { ...failure, saleSeed, startMs } };
  }
}
