/**
 * The workload through a real engine: acts go in at once, through the batchers of two servers, and the auditor judges
 * the batches in the order in which the books took them. On the engine's own clock, so holds are short.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { exampleSale } from '../../src/core/example.ts';
import { Batcher } from '../../src/inventory/batcher.ts';
import type { Subject } from '../../src/inventory/conformance/subject.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { Auditor } from './auditor.ts';
import { Random } from './random.ts';
import { type Failure, seedOf, type Told } from './simulate.ts';
import { type Pace, setUpSale, Workload } from './workload.ts';

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

async function runSale(subject: Subject, seed: number): Promise<SaleRun> {
  const random = new Random(seed);
  const startMs = subject.nowMs();
  const setUp = setUpSale(random, ON_A_REAL_CLOCK, startMs);
  const workload = new Workload(random, setUp);
  const saleNo = await subject.createSale(exampleSale(setUp.settings, setUp.items));
  const auditor = new Auditor({
    sale: { ...setUp.settings, phase: 'draft', version: 1, purchaseKey: null },
    items: setUp.items,
  });
  const history: Told[] = [];
  const faults: string[] = [];
  const batcher = async () =>
    new Batcher({
      saleNo,
      engine: await subject.another(),
      clock: systemClock,
      queueWaitMs: QUEUE_WAIT_MS,
      batchActsMax: BATCH_ACTS_MAX,
      onBatch: ({ verdicts, atMs }, acts) => {
        history.push({ atMs, acts, verdicts });
        const fault = faults.length > 0 ? null : auditor.judge({ atMs, acts, verdicts });
        if (fault !== null) faults.push(fault);
      },
    });
  const batchers = [await batcher(), await batcher()] as const;

  let operations = 0;
  while (operations < SALE_OPERATIONS && !workload.isOver && faults.length === 0) {
    const pauseMs = workload.pauseMs(subject.nowMs());
    if (pauseMs > 0 && random.chance(0.5)) await sleep(Math.min(pauseMs, PAUSE_MS_MAX));
    const acts = workload.batch(subject.nowMs(), AT_ONCE_MAX);
    operations += acts.length;
    workload.learn(acts, await Promise.all(acts.map((act, at) => batchers[at % 2 === 0 ? 0 : 1].submit(act))));
  }
  const { items, orders } = await subject.books(saleNo);
  const sale = history
    .flatMap(({ verdicts }) => verdicts.flatMap((each) => (each.outcome === 'sale' ? [each.sale] : [])))
    .at(-1);
  const fault = faults[0] ?? (sale === undefined ? null : auditor.close({ sale, items, orders }));
  return {
    operations,
    batches: history.length,
    startMs,
    failure: fault === null ? null : { what: fault, setUp, history },
  };
}

/** Sales, one after another, until at least so many operations are done, or one fails. */
export async function runOnEngine(options: {
  operations: number;
  seed: number;
  subject: () => Promise<Subject>;
}): Promise<EngineRun> {
  let [operations, batches] = [0, 0];
  for (let sales = 0; ; sales++) {
    if (operations >= options.operations) return { operations, batches, sales, failure: null };
    const saleSeed = seedOf(options.seed, sales);
    const done = await runSale(await options.subject(), saleSeed);
    operations += done.operations;
    batches += done.batches;
    const { failure, startMs } = done;
    if (failure !== null) return { operations, batches, sales: sales + 1, failure: { ...failure, saleSeed, startMs } };
  }
}
