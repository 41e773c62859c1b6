/**
 * Opens and ends sales by the clock. Told of every change of a sale, it keeps the ones that time can still change
 * and submits `open` or `end` when one is due. Upholds I6 together with the ledger, which looks at the time again
 * inside the atomic step: an act that comes too early changes nothing there and is sent again.
 *
 * A sale here is:
 *   waiting   its due time lies ahead                                    → acting, gone (an act of the merchant)
 *   acting    its act is with the engine; not submitted a second time    → waiting, resting, gone
 *   resting   its act failed or was too early; tried again soon          → acting, gone
 *
 * Timers: a tick of half a second compares one number, so a wall clock that jumps is noticed in time and no timer
 * needs more than 32 bits; a second, exact timer runs only for the last second before something is due.
 */
import { randomBytes } from 'node:crypto';
import type { Act } from '../../core/act.ts';
import type { Verdict } from '../../core/outcomes.ts';
import { dueAct, nextDueAtMs, type Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';

/** Half of the second within which a jump of the wall clock must be noticed. */
const TICK_MS = 500;
/** Below this an exact timer is worth having; above it the next tick comes first. */
const EXACT_WITHIN_MS = 1000;
/** The ledger found an act too early: its clock is behind ours by less than this, as a rule. */
const TOO_EARLY_MS = 10;
const FAILED_AGAIN_MS = 500;
const PURCHASE_KEY_BYTES = 24;

/** The sale's way to the engine. */
interface Submits {
  submit(act: Act): Promise<Verdict>;
}

export interface SchedulerParts {
  readonly now: () => EpochMs;
  readonly liveSales: () => Promise<readonly { readonly sale: Sale }[]>;
  readonly saleByNo: (saleNo: number) => Promise<Submits | null>;
  /** An act that failed; it is tried again by itself. */
  readonly onFault: (error: unknown, sale: Sale) => void;
  /** A sale was opened or ended by time. */
  readonly onDone?: (sale: Sale, kind: 'open' | 'end') => void;
}

interface Watched {
  sale: Sale;
  state: 'waiting' | 'acting' | 'resting';
}

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #watched = new Map<number, Watched>();
  readonly #acting = new Set<Promise<void>>();
  #earliestMs = Number.POSITIVE_INFINITY;
  #tick: NodeJS.Timeout | null = null;
  #exact: NodeJS.Timeout | null = null;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** Loads the sales that time may still change and begins to tick. What was missed while away happens at once. */
  async start(): Promise<void> {
    for (const { sale } of await this.#parts.liveSales()) this.watch(sale);
    this.#tick = setInterval(() => this.#look(), TICK_MS);
    this.#look();
  }

  /** Takes note of how a sale now stands. Cheap for one that time cannot change. */
  watch(sale: Sale): void {
    const known = this.#watched.get(sale.saleNo);
    if (nextDueAtMs(sale) === null) this.#watched.delete(sale.saleNo);
    else if (known === undefined) this.#watched.set(sale.saleNo, { sale, state: 'waiting' });
    else if (sale.version >= known.sale.version) known.sale = sale;
    this.#plan();
  }

  /** Stops ticking; resolves when nothing of it is with the engine any more. */
  async stop(): Promise<void> {
    if (this.#tick !== null) clearInterval(this.#tick);
    if (this.#exact !== null) clearTimeout(this.#exact);
    this.#tick = null;
    this.#exact = null;
    await Promise.all(this.#acting);
  }

  /** Cost: one comparison, unless something is due. */
  #look(): void {
    if (this.#tick === null) return;
    const now = this.#parts.now();
    if (now >= this.#earliestMs) {
      for (const watched of this.#watched.values()) this.#actOn(watched, now);
      this.#plan();
    } else this.#aim(now);
  }

  #actOn(watched: Watched, now: EpochMs): void {
    const kind = dueAct(watched.sale, now);
    if (watched.state !== 'waiting' || kind === null) return;
    watched.state = 'acting';
    const acting = this.#act(watched, kind).then((restMs) => {
      this.#acting.delete(acting);
      this.#rest(watched, restMs);
    });
    this.#acting.add(acting);
  }

  /** Returns how long the sale rests before it is looked at again. Never rejects. */
  async #act(watched: Watched, kind: 'open' | 'end'): Promise<number> {
    const { sale } = watched;
    try {
      const live = await this.#parts.saleByNo(sale.saleNo);
      // Not before this moment does the sale's purchase key exist anywhere (I6).
      const purchaseKey = randomBytes(PURCHASE_KEY_BYTES).toString('base64url');
      const verdict = live === null ? null : await live.submit({ kind, by: 'schedule', purchaseKey });
      if (verdict?.outcome !== 'sale') throw new Error(`the sale cannot ${kind}: ${JSON.stringify(verdict)}`);
      this.watch(verdict.sale);
      if (!verdict.changed) return TOO_EARLY_MS;
      this.#parts.onDone?.(verdict.sale, kind);
      return 0;
    } catch (error) {
      this.#parts.onFault(error, sale);
      return FAILED_AGAIN_MS;
    }
  }

  /** On a timer of its own: it runs by monotonic time, whatever the wall clock does meanwhile. */
  #rest(watched: Watched, restMs: number): void {
    const wake = () => {
      watched.state = 'waiting';
      this.#plan();
    };
    watched.state = 'resting';
    if (restMs === 0 || this.#tick === null) wake();
    else setTimeout(wake, restMs);
  }

  /** Finds the earliest due time anew. Cost: all watched sales, at a change only. */
  #plan(): void {
    this.#earliestMs = Number.POSITIVE_INFINITY;
    for (const { sale, state } of this.#watched.values()) {
      const dueAtMs = nextDueAtMs(sale) ?? Number.POSITIVE_INFINITY;
      if (state === 'waiting' && dueAtMs < this.#earliestMs) this.#earliestMs = dueAtMs;
    }
    this.#aim(this.#parts.now());
  }

  #aim(now: EpochMs): void {
    if (this.#exact !== null) clearTimeout(this.#exact);
    this.#exact = null;
    const aheadMs = this.#earliestMs - now;
    if (this.#tick === null || aheadMs > EXACT_WITHIN_MS) return;
    this.#exact = setTimeout(() => this.#look(), Math.max(0, aheadMs));
  }
}
