/**
 * One sale on one subject, and the ways in which a case sends acts to it: as one batch, or at once through the
 * batchers of several servers. After each case it looks whether the books are right, whatever the case was about.
 */
import type { Act, Claim, Lifecycle } from '../../core/act.ts';
import { claimOf, exampleItem, exampleSale, lifecycleOf, said } from '../../core/example.ts';
import type { Item } from '../../core/item.ts';
import { countsAgainstLimit, type Order } from '../../core/order.ts';
import type { Verdict } from '../../core/outcomes.ts';
import type { SaleSettings } from '../../core/sale.ts';
import { systemClock } from '../../kit/clock.ts';
import { Batcher } from '../batcher.ts';
import type { Engine } from '../contract.ts';
import { check, same } from './check.ts';
import type { Subject, SubjectBooks } from './subject.ts';

/** Long enough that nothing is `busy`: the suite judges engines, not patience. */
const QUEUE_WAIT_MS = 60_000;
/** Small, so that a few dozen acts make several batches. */
const BATCH_ACTS_MAX = 16;

export interface StageParts {
  readonly settings?: Partial<SaleSettings>;
  /** By default ten of `tee` at 25.00. */
  readonly items?: readonly Item[];
  /** The acts that bring the sale to where the case begins; by default it opens. */
  readonly phases?: readonly Lifecycle['kind'][];
}

export class Stage {
  readonly subject: Subject;
  readonly #settings: Partial<SaleSettings>;
  #saleNo = 0;
  #lastOrder = 0;

  constructor(subject: Subject, settings: Partial<SaleSettings>) {
    this.subject = subject;
    this.#settings = settings;
  }

  static async open(subject: Subject, parts: StageParts = {}): Promise<Stage> {
    const { settings = {}, items = [exampleItem('tee', { stock: 10 })], phases = ['open'] } = parts;
    const stage = new Stage(subject, settings);
    stage.#saleNo = await subject.createSale(exampleSale(settings, items));
    for (const kind of phases) {
      const verdict = await stage.act(lifecycleOf(kind));
      check(verdict.outcome === 'sale', `the sale can ${kind}: ${said(verdict)}`);
    }
    await subject.engine.open(stage.#saleNo);
    return stage;
  }

  get engine(): Engine {
    return this.subject.engine;
  }

  get saleNo(): number {
    return this.#saleNo;
  }

  /** One batch, one call of the engine. */
  async batch(acts: readonly Act[]): Promise<readonly Verdict[]> {
    const { verdicts } = await this.engine.act({ saleNo: this.#saleNo, acts });
    same(verdicts.length, acts.length, 'verdicts in a batch');
    return verdicts;
  }

  async act(act: Act): Promise<Verdict> {
    const [verdict] = await this.batch([act]);
    check(verdict !== undefined, 'an act has a verdict');
    return verdict;
  }

  /** What `said` makes of the verdicts of one batch. */
  async said(acts: readonly Act[]): Promise<string[]> {
    return (await this.batch(acts)).map(said);
  }

  /** At once, dealt out to the batchers of as many servers; the verdicts in the order of the acts. */
  async together(acts: readonly Act[], engines: readonly Engine[] = [this.engine]): Promise<readonly Verdict[]> {
    const batchers = engines.map(
      (engine) =>
        new Batcher({
          saleNo: this.#saleNo,
          engine,
          clock: systemClock,
          queueWaitMs: QUEUE_WAIT_MS,
          batchActsMax: BATCH_ACTS_MAX,
        }),
    );
    return Promise.all(acts.map((act, at) => (batchers[at % batchers.length] as Batcher).submit(act)));
  }

  /** This engine twice and, where books can be shared, another one: calls that overlap. */
  async servers(): Promise<readonly Engine[]> {
    return [this.engine, this.engine, await this.subject.another()];
  }

  /** A claim under an order id that is new in this sale. */
  claim(buyer: string, about: Partial<Parameters<typeof claimOf>[1]> = {}): Claim {
    this.#lastOrder++;
    return claimOf(`order-${this.#lastOrder}`, { buyer, sku: 'tee', ...about });
  }

  /** As many claims, each of a buyer of its own. */
  claims(count: number, about: Partial<Parameters<typeof claimOf>[1]> = {}): Claim[] {
    return Array.from({ length: count }, () => this.claim(`buyer-${this.#lastOrder + 1}`, about));
  }

  books(): Promise<SubjectBooks> {
    return this.subject.books(this.#saleNo);
  }

  async item(sku = 'tee'): Promise<Item> {
    const item = (await this.books()).items.find((each) => each.sku === sku);
    check(item !== undefined, `the books have an item ${sku}`);
    return item;
  }

  async order(orderId: string): Promise<Order> {
    const order = (await this.books()).orders.find((each) => each.orderId === orderId);
    check(order !== undefined, `the books have the order ${orderId}`);
    return order;
  }

  /** Where the item's units are: total, free, held, sold, placed. */
  async levels(sku = 'tee'): Promise<number[]> {
    const { total, free, held, sold, placed } = await this.item(sku);
    return [total, free, held, sold, placed];
  }

  /** I1, I3, I4 from the rows themselves, and that the engine says what the books say. */
  async settle(): Promise<void> {
    const { items, orders } = await this.books();
    for (const item of items) checkItem(item, orders);
    const keys = orders.map((order) => `${order.buyerId} ${order.key}`);
    same(new Set(keys).size, keys.length, 'I3: orders per buyer and key');
    same(new Set(orders.map((order) => order.orderId)).size, orders.length, 'I3: orders per id');
    this.#checkLimit(orders);
    same(bySku(await this.engine.levels(this.#saleNo)), bySku(items), 'levels that the engine tells, and the books');
  }

  #checkLimit(orders: readonly Order[]): void {
    const limit = this.#settings.limitPerBuyer === undefined ? 1 : this.#settings.limitPerBuyer;
    if (limit === null) return;
    const units = new Map<string, number>();
    for (const { buyerId, quantity, status } of orders) {
      const buyer = buyerId.trim().toLowerCase();
      if (countsAgainstLimit(status)) units.set(buyer, (units.get(buyer) ?? 0) + quantity);
    }
    for (const [buyer, count] of units) check(count <= limit, `I4: ${buyer} has ${count} units, the limit is ${limit}`);
  }
}

const bySku = (items: readonly Item[]): Item[] => [...items].sort((a, b) => (a.sku < b.sku ? -1 : 1));

function checkItem(item: Item, orders: readonly Order[]): void {
  const units = (...statuses: readonly Order['status'][]) =>
    orders
      .filter((order) => order.sku === item.sku && statuses.includes(order.status))
      .reduce((sum, order) => sum + order.quantity, 0);
  const { total, free, escrowed, held, sold, placed } = item;
  check(Math.min(total, free, escrowed, held, sold, placed) >= 0, `I1: nothing is negative: ${JSON.stringify(item)}`);
  same(free + escrowed + held + sold, total, `I1: the units of ${item.sku}`);
  same(held, units('held'), `I1: held units of ${item.sku}, and its held orders`);
  same(placed, units('placed'), `I1: placed units of ${item.sku}, and its placed orders`);
  const paid = units('paid');
  const back = units('refund_due', 'refunded');
  check(sold >= paid && sold <= paid + back, `I1: ${sold} sold of ${item.sku}, ${paid} paid, ${back} paid back`);
}
