/**
 * Ends holds whose time is up, and what is still `placed` when the last unit is paid: asks the ledger's index
 * which orders are due and sends one act each through their sale's batcher. Needs no traffic; with nothing due a
 * pass costs two reads. Upholds I5 (units come back, within 2 s) and leaves the decision to the atomic step (I3).
 *
 * An order that the step sets aside (a record that cannot be right) is reported, and holds nobody up: neither does
 * one whose act fails. Such an order rests, and while whole pages of orders rest the next pages are larger, so that
 * those behind them are reached.
 */
import type { Act, Fence } from '../../core/act.ts';
import type { Verdict } from '../../core/outcomes.ts';
import type { EpochMs, OrderId } from '../../core/scalars.ts';

/** Eight looks within the 2 s that API.md allows until units are back. */
const EVERY_MS = 250;
/** What one batch takes. */
const PAGE = 512;
/** 512 · 4^4: the furthest that resting orders can push a pass. */
const PAGE_MAX = 131_072;
/** How long an order rests whose act failed or changed nothing: two tries within the 2 s. */
const REST_MS = 1000;

export interface DueOrder {
  readonly saleNo: number;
  readonly orderId: OrderId;
  /** The `expiresAt` that was found due. */
  readonly dueAtMs?: EpochMs;
}

/** The sale's way to the engine. */
interface Submits {
  submit(act: Act): Promise<Verdict>;
}

export interface SweepParts {
  readonly kind: 'expire' | 'close_placed';
  /** The lease under which to work, where several processes could; null: another one does it. */
  readonly fence?: (() => Fence | null) | undefined;
  /** Orders that are due, oldest first. */
  readonly due: (limit: number) => Promise<readonly DueOrder[]>;
  readonly saleByNo: (saleNo: number) => Promise<Submits | null>;
  readonly monotonicMs: () => number;
  readonly onSetAside: (order: DueOrder, reason: string) => void;
  /** A read or an act that failed: tried again by itself. `orders`: how many acts it concerned. */
  readonly onFault: (error: unknown, orders: number) => void;
}

export class Sweep {
  readonly #parts: SweepParts;
  readonly #restUntilMs = new Map<OrderId, number>();
  #page = PAGE;
  #timer: NodeJS.Timeout | null = null;
  #pass: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#pass = this.pass().then(() => {
        if (!this.#stopped) this.start();
      });
    }, EVERY_MS);
  }

  /** No new pass begins; resolves when the one that runs is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#pass;
  }

  /** One pass: until nothing is due, or nothing that is due moves. Never rejects. */
  async pass(): Promise<void> {
    try {
      while (!this.#stopped && this.#fence() !== null && (await this.#sweepPage()));
    } catch (error) {
      this.#parts.onFault(error, 0);
    }
  }

  /** Whether there may be more to do at once. */
  async #sweepPage(): Promise<boolean> {
    const due = await this.#parts.due(this.#page);
    const nowMs = this.#parts.monotonicMs();
    this.#wake(nowMs);
    const ready = due.filter((order) => !this.#restUntilMs.has(order.orderId)).slice(0, PAGE);
    const moved = await Promise.all(ready.map((order) => this.#end(order)));
    const faults = moved.filter((one) => typeof one === 'object');
    if (faults.length > 0) this.#parts.onFault(faults[0]?.fault, faults.length);
    moved.forEach((one, at) => {
      const order = ready[at];
      if (one !== true && order !== undefined) this.#restUntilMs.set(order.orderId, nowMs + REST_MS);
    });
    const pageWasFull = due.length >= this.#page;
    const more = ready.length === PAGE || (pageWasFull && ready.length > 0);
    if (!more && pageWasFull && this.#page < PAGE_MAX) {
      this.#page *= 4;
      return true;
    }
    if (!more) this.#page = PAGE;
    return more;
  }

  /** Undefined where no lease is needed. */
  #fence(): Fence | null | undefined {
    return this.#parts.fence?.();
  }

  #wake(nowMs: number): void {
    for (const [orderId, untilMs] of this.#restUntilMs) if (untilMs <= nowMs) this.#restUntilMs.delete(orderId);
  }

  /** True: the order is out of the way. False: nothing changed. */
  async #end(order: DueOrder): Promise<boolean | { fault: unknown }> {
    try {
      const sale = await this.#parts.saleByNo(order.saleNo);
      if (sale === null)
        throw new Error(`order ${order.orderId} names sale number ${order.saleNo}, which is not there`);
      const { orderId, dueAtMs } = order;
      const due = dueAtMs === undefined ? {} : { dueAtMs };
      const fence = this.#fence();
      if (fence === null) return false;
      const fenced = fence === undefined ? {} : { fence };
      const verdict = await sale.submit({ kind: this.#parts.kind, orderId, ...due, ...fenced });
      if (verdict.outcome === 'set_aside') {
        this.#parts.onSetAside(order, verdict.reason);
        return true;
      }
      return verdict.outcome === 'order' && verdict.changed;
    } catch (fault) {
      return { fault };
    }
  }
}
