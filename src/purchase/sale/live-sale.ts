/**
 * One sale as this server process sees it: the settings, the levels after the last batch, the batcher in front of
 * the engine, and the sold-out latch. Everything that touches the sale goes through `submit`; a batch refreshes
 * the view before its acts are answered, so nobody is told less than what was acknowledged.
 *
 * The latch answers `sold_out` from memory, for buyers who have no order in the sale. Before it does, it loads
 * those who have one; they always go on to the engine, since a winner's retry must find the order (I5).
 * With one process the view is exact: units come back only through batches that pass here. Where several processes
 * share the books, `refresh` brings what the others did; each thing is then known as of a number of the ledger, so
 * that what was read earlier never replaces what a batch answered later.
 */
import type { Act, Claim } from '../../core/act.ts';
import { availabilityOf, orderableUnits } from '../../core/availability.ts';
import type { BatchResult, Reads, SaleAndItems, Watch } from '../../core/books.ts';
import type { Item } from '../../core/item.ts';
import { type Refusal, refuse, type Verdict } from '../../core/outcomes.ts';
import { phaseAt, type Sale } from '../../core/sale.ts';
import type { BuyerKey, EpochMs, Sku } from '../../core/scalars.ts';
import type { ActQueue, OnBatch } from '../../inventory/contract.ts';

export interface LiveSaleParts {
  /** Makes the queue in front of the engine; `onBatch` is told of every batch before its acts are answered. */
  readonly queueOf: (saleNo: number, onBatch: OnBatch) => ActQueue;
  readonly reads: Pick<Reads, 'buyersOf'>;
  /** Where several processes share the books. */
  readonly watch?: Pick<Watch, 'buyersSince'> | undefined;
  /** Told when the sale itself changed (phase, times), so that its schedule can be looked at again. */
  readonly onSale?: (sale: Sale) => void;
  readonly onBatch?: OnBatch;
}

export class LiveSale {
  readonly #parts: LiveSaleParts;
  readonly #queue: ActQueue;
  #sale: Sale;
  /** Everything is known at least as of this number of the ledger; -1 where one process owns the books. */
  #knownSeq: number;
  #saleSeq = 0;
  readonly #itemSeqs = new Map<Sku, number>();
  readonly #items = new Map<Sku, Item>();
  /** Grows whenever something that the state file shows may have changed. */
  #revision = 0;
  /** Buyers with any order here; null until the latch first needs them. */
  #buyers: Set<BuyerKey> | null = null;
  #loadingBuyers = false;

  constructor(view: SaleAndItems, parts: LiveSaleParts) {
    this.#parts = parts;
    this.#sale = view.sale;
    this.#knownSeq = view.ledgerSeq ?? -1;
    this.replace(view);
    this.#queue = parts.queueOf(view.sale.saleNo, (result, acts, tookMs) => this.#onBatch(result, acts, tookMs));
  }

  get sale(): Sale {
    return this.#sale;
  }

  get items(): readonly Item[] {
    return [...this.#items.values()];
  }

  item(sku: Sku): Item | undefined {
    return this.#items.get(sku);
  }

  get revision(): number {
    return this.#revision;
  }

  /** As of which number of the ledger everything here is known. */
  get knownSeq(): number {
    return this.#knownSeq;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** A draft was edited: its settings and items stand anew. */
  replace(view: SaleAndItems): void {
    this.#sale = view.sale;
    this.#items.clear();
    for (const item of view.items) this.#items.set(item.sku, item);
    this.#revision++;
  }

  /** How the sale stands in the books that several processes share; older news than what is known changes nothing. */
  refresh({ sale, items, ledgerSeq = 0 }: SaleAndItems): void {
    const before = this.#sale;
    if (ledgerSeq < this.#knownSeq) return;
    this.#knownSeq = ledgerSeq;
    if (ledgerSeq >= this.#saleSeq) this.#sale = sale;
    const gone = new Set(this.#items.keys());
    for (const item of items) {
      gone.delete(item.sku);
      if (ledgerSeq >= (this.#itemSeqs.get(item.sku) ?? 0)) this.#items.set(item.sku, item);
    }
    for (const sku of gone) this.#items.delete(sku);
    this.#revision++;
    if (this.#sale.version !== before.version) this.#parts.onSale?.(this.#sale);
    this.#learnBuyers();
  }

  /** Through the batcher to the engine. Resolves when durable; rejects with an OperatingError. */
  submit(act: Act): Promise<Verdict> {
    return this.#queue.submit(act);
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** `sold_out` from memory where that is certain and the buyer has no order here; else null: ask the engine. */
  latched(claim: Pick<Claim, 'sku' | 'buyerKey'>, now: EpochMs): Refusal | null {
    const item = this.#items.get(claim.sku);
    if (item === undefined || phaseAt(this.#sale, now) !== 'open' || orderableUnits(this.#sale, item) > 0) return null;
    if (this.#buyers === null) {
      this.#loadBuyers();
      return null;
    }
    if (this.#buyers.has(claim.buyerKey)) return null;
    const availability = availabilityOf(this.#sale, item);
    const detail = availability === 'all_held' ? 'All units are held by other buyers just now.' : 'Sold out.';
    return refuse('sold_out', detail, { availability });
  }

  #loadBuyers(): void {
    if (this.#loadingBuyers) return;
    this.#loadingBuyers = true;
    const seen = new Set<BuyerKey>();
    this.#arriving = seen;
    this.#allBuyers().then(
      ({ buyers, untilMs }) => {
        for (const buyer of buyers) seen.add(buyer);
        this.#buyersUntilMs = untilMs;
        this.#buyers = seen;
        this.#loadingBuyers = false;
      },
      () => {
        // The engine goes on answering; the next refusal tries again.
        this.#loadingBuyers = false;
        this.#arriving = null;
      },
    );
  }

  /** First until when, then who: what others do in between is found again, not missed. */
  async #allBuyers(): Promise<{ buyers: readonly BuyerKey[]; untilMs: EpochMs }> {
    const { saleNo } = this.#sale;
    const end = await this.#parts.watch?.buyersSince(saleNo, Number.MAX_SAFE_INTEGER as EpochMs);
    return { buyers: await this.#parts.reads.buyersOf(saleNo), untilMs: end?.untilMs ?? (0 as EpochMs) };
  }

  /** Others have changed the sale: their buyers must pass the latch from now on. */
  #learnBuyers(): void {
    const buyers = this.#buyers;
    if (buyers === null || this.#parts.watch === undefined) return;
    this.#parts.watch.buyersSince(this.#sale.saleNo, this.#buyersUntilMs).then(
      (news) => {
        for (const buyer of news.buyers) buyers.add(buyer);
        this.#buyersUntilMs = Math.max(this.#buyersUntilMs, news.untilMs) as EpochMs;
      },
      () => {
        // Without them the latch could turn a buyer's retry away: it is lifted until the list is whole again.
        if (this.#buyers === buyers) this.#buyers = null;
      },
    );
  }

  #buyersUntilMs = 0 as EpochMs;

  /** Buyers whose orders are made while the list of buyers is being loaded: they must not fall between. */
  #arriving: Set<BuyerKey> | null = null;

  #onBatch(result: BatchResult, acts: readonly Act[], tookMs: number): void {
    this.#takeIn(result);
    if (result.sale !== null || result.items.length > 0) this.#revision++;
    const buyers = this.#buyers ?? this.#arriving;
    if (buyers !== null)
      for (const verdict of result.verdicts)
        if (verdict.outcome === 'order' && verdict.changed) buyers.add(verdict.order.buyerKey);
    if (result.sale !== null) this.#parts.onSale?.(result.sale);
    this.#parts.onBatch?.(result, acts, tookMs);
  }

  #takeIn({ sale, items, ledgerSeq }: BatchResult): void {
    const seq = ledgerSeq?.after ?? 0;
    if (sale !== null && seq >= this.#saleSeq) {
      this.#sale = sale;
      this.#saleSeq = seq;
    }
    for (const item of items) {
      if (seq < (this.#itemSeqs.get(item.sku) ?? 0)) continue;
      this.#items.set(item.sku, item);
      this.#itemSeqs.set(item.sku, seq);
    }
    // What others did before this batch is not in it: then everything is known only after a refresh.
    if (ledgerSeq !== undefined && ledgerSeq.before === this.#knownSeq) this.#knownSeq = ledgerSeq.after;
  }
}
