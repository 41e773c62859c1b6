/**
 * Collects the acts on one sale while the previous batch is in flight, and hands them to the engine as the next:
 * one commit per batch, not per buyer. When the engine is idle nothing waits. Called by everything that touches
 * stock; upholds I3 (an act is handed over once) and the meaning of `busy`: never executed.
 *
 * States of an act:
 *   queued    waits for the batch in flight; a claim leaves as `busy` after `queueWaitMs`    → handed, refused
 *   handed    the engine has it; no time-out can call it back                                → answered
 *   answered  its promise is settled
 *
 * Two lanes: payments, ends and the merchant's acts go before new orders, which would else starve them. When an
 * item's stock has ended, all claims that wait for it go with the next batch, past its bound: they write nothing.
 */
import type { Act, Claim } from '../core/act.ts';
import type { BatchResult } from '../core/books.ts';
import type { Verdict } from '../core/outcomes.ts';
import type { Sku } from '../core/scalars.ts';
import type { Clock } from '../kit/clock.ts';
import { OperatingError } from '../kit/errors.ts';
import type { ActQueue, Engine, OnBatch } from './contract.ts';

export interface BatcherOptions {
  readonly saleNo: number;
  readonly engine: Pick<Engine, 'act' | 'keepsOrder'>;
  readonly clock: Clock;
  /** How long a claim may wait for the engine before it is `busy`. */
  readonly queueWaitMs: number;
  /** Most acts in one batch: bounds the time that the sale's row is locked. */
  readonly batchActsMax?: number;
  /** Most claims that may wait; past it a claim is `busy` at once. */
  readonly queueClaimsMax?: number;
  /** Told of every batch before its acts are answered, so that views are never behind an answer. */
  readonly onBatch?: OnBatch;
}

interface Waiting<Kind extends Act = Act> {
  readonly act: Kind;
  readonly sinceMs: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/** Measured: past some 500 acts a commit's fixed cost is spread thin, and waiting grows with the batch. */
const BATCH_ACTS_MAX = 512;
/** Five seconds' worth of a fast disk: more could not be answered within any patience. */
const QUEUE_CLAIMS_MAX = 50_000;
/** A share of each batch is kept for new orders, so that a flood of payments cannot shut them out. */
const CLAIM_SHARE = 4;

export class Batcher implements ActQueue {
  readonly #options: BatcherOptions;
  readonly #batchActsMax: number;
  readonly #queueClaimsMax: number;
  #claims: Waiting<Claim>[] = [];
  #others: Waiting[] = [];
  /** Items that had nothing left when the last batch was through. */
  #soldOut: ReadonlySet<Sku> = new Set();
  #inFlight = 0;
  #scheduled = false;
  #timer: NodeJS.Timeout | null = null;
  #idle: (() => void)[] = [];

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#batchActsMax = options.batchActsMax ?? BATCH_ACTS_MAX;
    this.#queueClaimsMax = options.queueClaimsMax ?? QUEUE_CLAIMS_MAX;
  }

  /** Acts that wait for the engine. */
  get waiting(): number {
    return this.#claims.length + this.#others.length;
  }

  /**
   * Queues an act; resolves with its verdict once that is durable. Rejects with `busy` (effect none: it was not
   * handed over, and never will be) or with the error of its batch.
   */
  submit(act: Act): Promise<Verdict> {
    if (act.kind === 'claim' && this.#claims.length >= this.#queueClaimsMax) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const waiting = { sinceMs: this.#options.clock.monotonicMs(), resolve, reject };
      if (act.kind === 'claim') this.#claims.push({ act, ...waiting });
      else this.#others.push({ act, ...waiting });
      this.#schedule();
    });
  }

  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void> {
    if (this.#inFlight === 0 && this.waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The batch starts when the current turn of the event loop has brought what it had: no timer, no delay. */
  #schedule(): void {
    if (this.#inFlight > 0) this.#watchQueue();
    if (this.#scheduled || (this.#inFlight > 0 && !this.#mayHand())) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#run();
    });
  }

  #run(): void {
    while (this.#mayHand()) {
      const batch = this.#take();
      if (batch.length === 0) break;
      this.#inFlight += 1;
      this.#watchQueue();
      void this.#hand(batch).then(() => {
        this.#inFlight -= 1;
        this.#run();
      });
    }
    if (this.#inFlight === 0 && this.waiting === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** One batch at a time; one more only when it is full and the engine keeps the order, so that neither side idles. */
  #mayHand(): boolean {
    if (this.#inFlight === 0) return this.waiting > 0;
    return this.#inFlight === 1 && this.#options.engine.keepsOrder === true && this.waiting >= this.#batchActsMax;
  }

  async #hand(batch: readonly Waiting[]): Promise<void> {
    const { engine, saleNo, clock, onBatch } = this.#options;
    const acts = batch.map((waiting) => waiting.act);
    const startedMs = clock.monotonicMs();
    let result: BatchResult;
    try {
      result = await engine.act({ saleNo, acts });
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    this.#soldOut = soldOutAfter(result, acts);
    try {
      onBatch?.(result, acts, clock.monotonicMs() - startedMs);
    } finally {
      // Whatever the view makes of it: the batch is done, and those who asked must hear so.
      for (const [at, waiting] of batch.entries()) settle(waiting, result.verdicts[at]);
    }
  }

  /** The next batch: first what is no claim, then claims in their order of arrival. */
  #take(): readonly Waiting[] {
    this.#refuseOverdue();
    const claimsKept = Math.min(this.#claims.length, Math.floor(this.#batchActsMax / CLAIM_SHARE));
    const others = this.#others.splice(0, this.#batchActsMax - claimsKept);
    const claims = this.#claims.splice(0, this.#batchActsMax - others.length);
    return [...others, ...claims, ...this.#takeSoldOut()];
  }

  /** All claims for items that are gone: nobody waits for a refusal that is known. A retry still finds its order. */
  #takeSoldOut(): readonly Waiting[] {
    const gone = this.#soldOut;
    if (gone.size === 0) return [];
    const taken = this.#claims.filter(({ act }) => gone.has(act.sku));
    if (taken.length > 0) this.#claims = this.#claims.filter(({ act }) => !gone.has(act.sku));
    return taken;
  }

  /** Claims that have waited too long leave as `busy`, also while a slow batch is in flight. */
  #refuseOverdue(): void {
    const deadline = this.#options.clock.monotonicMs() - this.#options.queueWaitMs;
    let overdue = 0;
    while ((this.#claims[overdue]?.sinceMs ?? Number.POSITIVE_INFINITY) <= deadline) overdue++;
    for (const waiting of this.#claims.splice(0, overdue)) waiting.reject(busy());
  }

  #watchQueue(): void {
    const first = this.#claims[0];
    if (this.#timer !== null || first === undefined) return;
    const waited = this.#options.clock.monotonicMs() - first.sinceMs;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#refuseOverdue();
        this.#watchQueue();
      },
      Math.max(1, this.#options.queueWaitMs - waited),
    );
    this.#timer.unref();
  }
}

function settle({ resolve, reject }: Waiting, verdict: Verdict | undefined): void {
  if (verdict !== undefined) resolve(verdict);
  else reject(new OperatingError('internal', 'the engine gave no verdict', { effect: 'unknown' }));
}

/** What a batch leaves sold out: items that it refused as that, and those with no unit free; not what came back. */
function soldOutAfter(result: BatchResult, acts: readonly Act[]): ReadonlySet<Sku> {
  const gone = new Set<Sku>();
  for (const [at, act] of acts.entries()) {
    const verdict = result.verdicts[at];
    if (act.kind === 'claim' && verdict?.outcome === 'refused' && verdict.code === 'sold_out') gone.add(act.sku);
  }
  for (const item of result.items)
    if (item.free === 0) gone.add(item.sku);
    else if (item.placed === 0) gone.delete(item.sku);
  return gone;
}

const BUSY_RETRY_MS = 1000;

const busy = (): OperatingError =>
  new OperatingError(
    'busy',
    'The server has more orders waiting than it can answer in time. Try again with the same key.',
    {
      effect: 'none',
      retryAfterMs: BUSY_RETRY_MS,
    },
  );
