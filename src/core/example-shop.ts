/**
 * One sale on books in memory, with a clock that stands still until it is told to move: where tests of the rules
 * send their acts. The product itself never uses it.
 */
import type { Act } from './act.ts';
import type { decide } from './decide.ts';
import { EXAMPLE_START_MS, exampleItem, exampleSale, lifecycleOf } from './example.ts';
import { invariant } from './invariants.ts';
import type { Item } from './item.ts';
import { MemoryBooks, type SaleRows } from './memory-books.ts';
import type { Order } from './order.ts';
import type { Verdict } from './outcomes.ts';
import type { Sale, SaleSettings } from './sale.ts';
import { type BuyerId, buyerKeyOf, type EpochMs } from './scalars.ts';
import { addMs } from './time.ts';

export interface ExampleShopParts {
  readonly settings?: Partial<SaleSettings>;
  /** By default ten of `tee` at 25.00. */
  readonly items?: readonly Item[];
  /** Stands in for `decide`. */
  readonly rules?: typeof decide;
}

export class ExampleShop {
  #nowMs = EXAMPLE_START_MS;
  readonly #books: MemoryBooks;
  readonly #saleNo: number;

  /** The sale is a draft. */
  constructor({ settings = {}, items = [exampleItem('tee', { stock: 10 })], rules }: ExampleShopParts = {}) {
    this.#books = new MemoryBooks(() => this.#nowMs, rules);
    this.#saleNo = this.#books.createSale(exampleSale(settings, items)).saleNo;
  }

  /** A shop whose sale sells already. */
  static opened(parts: ExampleShopParts = {}): ExampleShop {
    const shop = new ExampleShop(parts);
    shop.act(lifecycleOf('open'));
    return shop;
  }

  get now(): EpochMs {
    return this.#nowMs;
  }

  /** Lets time pass (or, below zero, go back). */
  pass(ms: number): void {
    this.#nowMs = addMs(this.#nowMs, ms);
  }

  batch(acts: readonly Act[]): readonly Verdict[] {
    return this.#books.run(this.#saleNo, acts).verdicts;
  }

  act(act: Act): Verdict {
    const [verdict] = this.batch([act]);
    invariant(verdict !== undefined, 'I8', 'an act has no verdict');
    return verdict;
  }

  rows(): SaleRows {
    return this.#books.rows(this.#saleNo);
  }

  get sale(): Sale {
    return this.rows().sale;
  }

  item(sku = 'tee'): Item {
    const item = this.rows().items.find((each) => each.sku === sku);
    invariant(item !== undefined, 'I8', 'no such item', { sku });
    return item;
  }

  order(orderId: string): Order {
    const order = this.rows().orders.find((each) => each.orderId === orderId);
    invariant(order !== undefined, 'I8', 'no such order', { orderId });
    return order;
  }

  /** Units of the buyer that count against the limit. */
  units(buyer: string): number {
    const buyerKey = buyerKeyOf(buyer as BuyerId);
    return this.rows().buyers.find((each) => each.buyerKey === buyerKey)?.units ?? 0;
  }
}
