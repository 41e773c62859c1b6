/**
 * The show itself: a sale on the demo's server, the stampede on it, the live view while it runs (plain lines into a
 * pipe), then story and verdict. Ends nothing: who started the processes does.
 */
import { randomInt } from 'node:crypto';
import { DoorbusterApi } from '../../rehearsal/api.ts';
import { type OwnServer, type StampedeProcess, startStampede } from '../../rehearsal/child.ts';
import type { StampedeEvent } from '../../rehearsal/main.ts';
import { progressLine, story, verdict } from '../../rehearsal/plain-words.ts';
import type { StampedeReport } from '../../rehearsal/report.ts';
import type { Printer } from './printer.ts';
import { firstStage, type Stage, stageAfter, stockOf } from './stage.ts';
import { demoView } from './view.ts';

export const SALE_ID = 'demo-drop';
const PRICE_MINOR = 4900;
const PRICE = '49.00 EUR';
/** As short as the contract allows, so that unpaid units come back while somebody is still there to buy them. */
const HOLD_SECONDS = 5;
const OPENS_IN_MS = 3000;
/** Arrivals a second over the whole rush; a good third of all come in its first second. */
const ARRIVALS_PER_SECOND = 1500;
const SHORTEST_RUSH_MS = 2000;
/** Watchers stay until the first unpaid holds have ended and their units are back. */
const WATCH_AFTER_HOLD_MS = 3500;
const SOCKETS = 128;
const OPEN_WITHIN_MS = 60_000;
const LINE_EVERY_MS = 950;
const BOOKS_EVERY_MS = 250;

export interface Plan {
  readonly shoppers: number;
  readonly stock: number;
  readonly seed?: number;
  readonly evidence?: string;
}

export async function perform(
  plan: Plan,
  parts: { server?: OwnServer; stampede?: StampedeProcess },
  printer: Printer,
): Promise<StampedeReport> {
  const { words, say } = printer;
  const { server } = parts;
  if (server === undefined) throw new Error('no server');
  say(words.title(plan.stock, plan.shoppers));
  say(`  ${words.about}`);
  say();
  const { url, merchantKey } = await server.listening;
  say(`  ${words.serverRuns(url)}`);
  const shop = new DoorbusterApi({ url, merchantKey, connections: 2 });
  const show = new Show(plan, printer, shop);
  try {
    await shop.createSale(saleOf(plan.stock));
    say(`  ${words.saleMade(SALE_ID, plan.stock, PRICE, HOLD_SECONDS)}`);
    const rushMs = Math.max(SHORTEST_RUSH_MS, (plan.shoppers / ARRIVALS_PER_SECOND) * 1000);
    const order = {
      url,
      merchantKey,
      saleId: SALE_ID,
      seed: plan.seed ?? randomInt(1, 0x7fff_ffff),
      shoppers: plan.shoppers,
      rushMs,
      watchMs: Math.max(rushMs, HOLD_SECONDS * 1000 + WATCH_AFTER_HOLD_MS),
      connections: SOCKETS,
      openWithinMs: OPEN_WITHIN_MS,
      evidenceFile: plan.evidence ?? null,
    };
    show.begin();
    parts.stampede = startStampede(order, (event) => show.on(event, order.seed));
    const report = await Promise.race([parts.stampede.report, serverEnded(server)]);
    show.on({ event: 'report', report }, order.seed);
    await show.end();
    say();
    for (const line of [...story(report, words), '']) say(line);
    const lines = verdict(report, words, printer.look.signs);
    const last = lines.lastIndexOf('');
    for (const [at, line] of lines.entries()) say(line, at > last ? (report.kept ? 'green' : 'red') : undefined);
    return report;
  } finally {
    await show.end();
    await shop.close();
  }
}

/** What is seen while the stampede runs, and the one act that its events ask for: setting the opening. */
class Show {
  readonly #printer: Printer;
  readonly #shop: DoorbusterApi;
  #stage: Stage;
  #nextLineAtMs = 0;
  #books: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor({ shoppers, stock }: Plan, printer: Printer, shop: DoorbusterApi) {
    this.#printer = printer;
    this.#shop = shop;
    this.#stage = firstStage({ shoppers, stock });
  }

  begin(): void {
    const { words, look, live } = this.#printer;
    if (!look.isTerminal) return;
    this.#printer.say();
    live((width) => demoView(this.#stage, { width: width - 1, nowMs: Date.now(), words, look }));
    this.#books = setInterval(() => {
      this.#looking ??= this.#lookAtBooks();
    }, BOOKS_EVERY_MS);
  }

  on(event: StampedeEvent, seed: number): void {
    this.#stage = stageAfter(this.#stage, event);
    if (event.event === 'ready') this.#schedule();
    if (!this.#printer.look.isTerminal) this.#tell(event, seed);
  }

  /** The last look at the books, so that what stays on the screen is what they say. */
  async end(): Promise<void> {
    if (this.#books === null) return;
    clearInterval(this.#books);
    this.#books = null;
    await this.#looking;
    await this.#lookAtBooks();
    this.#printer.endLive();
  }

  #schedule(): void {
    const opensAtMs = Date.now() + OPENS_IN_MS;
    this.#stage = { ...this.#stage, opensAtMs };
    const done = this.#shop
      .patchSale(SALE_ID, { opensAt: new Date(opensAtMs).toISOString() })
      .then(() => this.#shop.scheduleSale(SALE_ID));
    done.catch((error: unknown) => process.stderr.write(`${this.#printer.words.failed(String(error))}\n`));
  }

  /** Plain lines, once a second at most. */
  #tell(event: StampedeEvent, seed: number): void {
    const { words, say } = this.#printer;
    if (event.event === 'ready') {
      say(words.ready(event.shoppers, event.bots, seed));
      say(words.opensIn(OPENS_IN_MS / 1000));
    } else if (event.event === 'opened') say(words.opened);
    else if (event.event === 'progress' && event.afterOpeningMs >= this.#nextLineAtMs) {
      this.#nextLineAtMs = event.afterOpeningMs + LINE_EVERY_MS;
      say(progressLine(event, words));
    }
  }

  async #lookAtBooks(): Promise<void> {
    // A look that fails shows what was seen before: the verdict asks the books itself.
    const stock = await this.#shop.books(SALE_ID).then(stockOf, () => this.#stage.stock);
    this.#stage = { ...this.#stage, stock };
    this.#looking = null;
  }
}

const saleOf = (stock: number): Record<string, unknown> => ({
  saleId: SALE_ID,
  title: 'Demo drop',
  currency: 'EUR',
  items: [{ sku: 'sneaker', title: 'Sneaker', priceMinor: PRICE_MINOR, stock }],
  limitPerBuyer: 1,
  holdSeconds: HOLD_SECONDS,
});

async function serverEnded(server: OwnServer): Promise<never> {
  await server.ended;
  throw new Error('the server ended in the middle of the sale');
}
