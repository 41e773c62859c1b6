/**
 * All sales that this process has touched, by id and by number. Loads a sale on first use and keeps it; ended and
 * draft sales are let go again when there are many. Two requests for one sale share one load and one LiveSale,
 * since two batchers over one sale would be two queues.
 */
import type { Reads, SaleAndItems } from '../../core/books.ts';
import { LiveSale, type LiveSaleParts } from './live-sale.ts';

/** Sales kept in memory besides those that are scheduled, open or paused. */
const RESTING_SALES_MAX = 500;

export class LiveSales {
  readonly #parts: LiveSaleParts & { readonly reads: Pick<Reads, 'saleById' | 'saleByNo' | 'buyersOf'> };
  readonly #byId = new Map<string, LiveSale>();
  readonly #byNo = new Map<number, LiveSale>();
  readonly #loading = new Map<string, Promise<LiveSale | null>>();

  constructor(parts: LiveSaleParts & { readonly reads: Pick<Reads, 'saleById' | 'saleByNo' | 'buyersOf'> }) {
    this.#parts = parts;
  }

  /** A sale in memory; the hot path asks here first, without a promise. */
  known(saleId: string): LiveSale | undefined {
    return this.#byId.get(saleId);
  }

  /** The sale (drafts too), or null where there is none. */
  byId(saleId: string): Promise<LiveSale | null> {
    const known = this.#byId.get(saleId);
    if (known !== undefined) return Promise.resolve(known);
    return this.#load(`id ${saleId}`, () => this.#parts.reads.saleById(saleId));
  }

  /**
   * As `byId`, as the books have it now: for the merchant's own acts, which must see what he did through another
   * server a moment ago. Where one process owns the books, memory is as good.
   */
  async fresh(saleId: string): Promise<LiveSale | null> {
    const known = this.#byId.get(saleId);
    if (known === undefined || this.#parts.watch === undefined) return this.byId(saleId);
    const view = await this.#parts.reads.saleById(saleId);
    if (view === null) this.forget(known);
    else if (view.sale.saleNo === known.sale.saleNo) known.refresh(view);
    else return this.#replace(known, view);
    return view === null ? null : known;
  }

  byNo(saleNo: number): Promise<LiveSale | null> {
    const known = this.#byNo.get(saleNo);
    if (known !== undefined) return Promise.resolve(known);
    return this.#load(`no ${saleNo}`, () => this.#parts.reads.saleByNo(saleNo));
  }

  all(): readonly LiveSale[] {
    return [...this.#byId.values()];
  }

  /** Takes a sale in (new, edited, or read from the ledger); an instance that is there already is kept. */
  admit(view: SaleAndItems): LiveSale {
    const known = this.#byNo.get(view.sale.saleNo);
    if (known !== undefined) return known;
    this.#letGoOfResting();
    const live = new LiveSale(view, this.#parts);
    this.#byId.set(view.sale.saleId, live);
    this.#byNo.set(view.sale.saleNo, live);
    return live;
  }

  /** A live sale was read from books that others change too: unknown here, or known by an older number. */
  meet(view: SaleAndItems): void {
    const known = this.#byNo.get(view.sale.saleNo);
    if (known === undefined) this.#parts.onSale?.(this.admit(view).sale);
    else if ((view.ledgerSeq ?? 0) > known.knownSeq) known.refresh(view);
  }

  /** The id names another sale now: its draft was deleted and made anew elsewhere. */
  #replace(known: LiveSale, view: SaleAndItems): LiveSale {
    this.forget(known);
    return this.admit(view);
  }

  /** A draft was deleted. */
  forget(live: LiveSale): void {
    this.#byId.delete(live.sale.saleId);
    this.#byNo.delete(live.sale.saleNo);
  }

  /** Resolves when no batch of any sale waits or is in flight. */
  async idle(): Promise<void> {
    await Promise.all(this.all().map((live) => live.idle()));
  }

  #load(name: string, read: () => Promise<SaleAndItems | null>): Promise<LiveSale | null> {
    const loading = this.#loading.get(name);
    if (loading !== undefined) return loading;
    const promise = read()
      .then((view) => (view === null ? null : this.admit(view)))
      .finally(() => this.#loading.delete(name));
    this.#loading.set(name, promise);
    return promise;
  }

  #letGoOfResting(): void {
    const resting = this.all().filter(
      (live) => (live.sale.phase === 'ended' || live.sale.phase === 'draft') && live.waiting === 0,
    );
    if (resting.length <= RESTING_SALES_MAX) return;
    for (const live of resting.slice(0, resting.length - RESTING_SALES_MAX)) this.forget(live);
  }
}
