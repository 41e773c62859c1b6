/**
 * What other processes on the same ledger did: asks ten times a second which of the sales in memory have changed, and
 * twice a second whether there are live ones that this process has not seen, so that phase, levels, latch and schedule
 * are never more than a second old. Also the probe that says whether the database answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reads, Watch } from '../core/books.ts';
import type { LiveSales } from '../purchase/sale/live-sales.ts';

/** A look is one statement that touches one index entry per sale. */
const EVERY_MS = 100;
/** Of the looks, every how-manieth also looks for new sales. */
const NEW_SALES_EVERY = 5;
/** By then the others have looked: their pause, and two statements. */
const HEARD_MS = 150;

export interface NewsParts {
  readonly watch: Pick<Watch, 'changes'>;
  readonly reads: Pick<Reads, 'liveSales'>;
  readonly sales: LiveSales;
  readonly onFault: (error: unknown) => void;
}

export class News {
  readonly #parts: NewsParts;
  #timer: NodeJS.Timeout | null = null;
  #look: Promise<void> = Promise.resolve();
  #looks = 0;
  #stopped = false;
  #failing = false;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  /** Whether the database did not answer the last time. */
  isFailing(): boolean {
    return this.#failing;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#look = this.look().then(() => {
        if (!this.#stopped) this.start();
      });
    }, EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#look;
  }

  /**
   * For the merchant, who presses `pause` and looks at the page, which another process may serve: his acts answer when
   * the others have had the time to hear of them. What they may grant never rests on this: that is the atomic step's.
   */
  heard(): Promise<void> {
    return sleep(HEARD_MS);
  }

  /** One look. Never rejects. */
  async look(): Promise<void> {
    try {
      if (this.#looks++ % NEW_SALES_EVERY === 0) await this.#meetNewSales();
      await this.#hearOfChanges();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#parts.onFault(error);
      this.#failing = true;
    }
  }

  async #meetNewSales(): Promise<void> {
    for (const view of await this.#parts.reads.liveSales()) this.#parts.sales.meet(view);
  }

  async #hearOfChanges(): Promise<void> {
    const { sales, watch } = this.#parts;
    const known = new Map(sales.all().map((live) => [live.sale.saleNo, live.knownSeq]));
    if (known.size === 0) return;
    for (const [saleNo, view] of await watch.changes(known)) {
      const live = sales.all().find(({ sale }) => sale.saleNo === saleNo);
      if (live === undefined) continue;
      if (view === null) sales.forget(live);
      else live.refresh(view);
    }
  }
}
