/**
 * Runs sales of the workload on the core and has the auditor judge them; on a fault, makes the history as short as
 * it can that still shows it. A run is its seed: sale number n of seed s is the same every time.
 */
import type { Act } from '../../src/core/act.ts';
import { EXAMPLE_START_MS, exampleSale } from '../../src/core/example.ts';
import { MemoryBooks } from '../../src/core/memory-books.ts';
import type { Verdict } from '../../src/core/outcomes.ts';
import type { EpochMs } from '../../src/core/scalars.ts';
import { Auditor } from './auditor.ts';
import { Random } from './random.ts';
import { LIFELIKE, type SaleSetUp, setUpSale, Workload } from './workload.ts';

/** `decide`, or a broken one. */
export type Rules = ConstructorParameters<typeof MemoryBooks>[1];

export interface Step {
  readonly atMs: number;
  readonly acts: readonly Act[];
}

export interface Told extends Step {
  /** Missing where the rules threw. */
  readonly verdicts: readonly Verdict[];
}

export interface Failure {
  readonly what: string;
  readonly setUp: SaleSetUp;
  readonly history: readonly Told[];
}

export interface SaleRun {
  readonly operations: number;
  readonly failure: Failure | null;
}

const SALE_OPERATIONS = 300;
const BATCH_ACTS_MAX = 12;

/** The seed of one sale of a run. */
export const seedOf = (seed: number, saleIndex: number): number => Math.imul(seed, 0x9e3779b1) + saleIndex;

/** Books with one sale, and the auditor beside them. */
class Court {
  readonly #setUp: SaleSetUp;
  readonly #books: MemoryBooks;
  readonly #auditor: Auditor;
  readonly #saleNo: number;
  readonly history: Told[] = [];
  #nowMs = EXAMPLE_START_MS;

  constructor(setUp: SaleSetUp, rules: Rules) {
    this.#setUp = setUp;
    this.#books = new MemoryBooks(() => this.#nowMs, rules);
    const sale = this.#books.createSale(exampleSale(setUp.settings, setUp.items));
    this.#saleNo = sale.saleNo;
    this.#auditor = new Auditor({ sale, items: setUp.items });
  }

  /** What is wrong, in words, or null. */
  take({ atMs, acts }: Step): string | null {
    this.#nowMs = atMs as EpochMs;
    try {
      const { verdicts } = this.#books.run(this.#saleNo, acts);
      this.history.push({ atMs, acts, verdicts });
      return this.#auditor.judge({ atMs, acts, verdicts });
    } catch (error) {
      this.history.push({ atMs, acts, verdicts: [] });
      return error instanceof Error ? error.message : String(error);
    }
  }

  close(): string | null {
    return this.#auditor.close(this.#books.rows(this.#saleNo));
  }

  failure(what: string): Failure {
    return { what, setUp: this.#setUp, history: this.history };
  }
}

/** One sale of the workload. */
export function runSale(seed: number, rules?: Rules): SaleRun {
  const random = new Random(seed);
  const setUp = setUpSale(random, LIFELIKE, EXAMPLE_START_MS);
  const workload = new Workload(random, setUp);
  const court = new Court(setUp, rules);
  let atMs: number = EXAMPLE_START_MS;
  let operations = 0;
  while (operations < SALE_OPERATIONS && !workload.isOver) {
    atMs += workload.pauseMs(atMs);
    const acts = workload.batch(atMs, BATCH_ACTS_MAX);
    operations += acts.length;
    const fault = court.take({ atMs, acts });
    if (fault !== null) return { operations, failure: court.failure(fault) };
    workload.learn(acts, court.history.at(-1)?.verdicts ?? []);
  }
  const fault = court.close();
  return { operations, failure: fault === null ? null : court.failure(fault) };
}

/** Plays given steps again; answers the fault or null. */
export function replay(setUp: SaleSetUp, steps: readonly Step[], rules?: Rules): Failure | null {
  const court = new Court(setUp, rules);
  for (const step of steps) {
    const fault = court.take(step);
    if (fault !== null) return court.failure(fault);
  }
  const fault = court.close();
  return fault === null ? null : court.failure(fault);
}

/** Enough for a sale's history, and an end to it where a fault will not stay put. */
const REPLAYS_MAX = 3000;

/** The same failure with as few acts as can be found: whole stretches are left out first, then single acts. */
export function shrink(failure: Failure, rules?: Rules): Failure {
  let best = failure;
  let replays = 0;
  /** Whether these steps still fail; then they are the best so far. */
  const stillFails = (steps: readonly Step[]): boolean => {
    if (replays++ >= REPLAYS_MAX) return false;
    const still = replay(failure.setUp, steps, rules);
    if (still !== null) best = still;
    return still !== null;
  };
  // Some faults need their acts to come in one batch; the others read better one by one.
  stillFails(stepsOf(failure).flatMap(({ atMs, acts }) => acts.map((act) => ({ atMs, acts: [act] }))));
  for (let size = best.history.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < best.history.length; ) if (!stillFails(stepsOf(best).toSpliced(at, size))) at += size;
  for (let at = 0; at < best.history.length; at++)
    for (let place = 0; place < (best.history[at]?.acts.length ?? 0); )
      if (!stillFails(withoutAct(stepsOf(best), at, place))) place++;
  return best;
}

const stepsOf = ({ history }: Failure): Step[] => history.map(({ atMs, acts }) => ({ atMs, acts }));

const withoutAct = (steps: readonly Step[], at: number, place: number): Step[] =>
  steps
    .map((step, each) => (each === at ? { ...step, acts: step.acts.toSpliced(place, 1) } : step))
    .filter(({ acts }) => acts.length > 0);

export interface RunResult {
  readonly operations: number;
  readonly sales: number;
  readonly failure: (Failure & { readonly saleSeed: number }) | null;
}

/** Sales until at least so many operations are done, or one fails. */
export function run(options: { operations: number; seed: number; rules?: Rules }): RunResult {
  let operations = 0;
  for (let sales = 0; ; sales++) {
    if (operations >= options.operations) return { operations, sales, failure: null };
    const saleSeed = seedOf(options.seed, sales);
    const done = runSale(saleSeed, options.rules);
    operations += done.operations;
    if (done.failure !== null) return { operations, sales: sales + 1, failure: { ...done.failure, saleSeed } };
  }
}
