/**
 * The SQL engine on a real ledger, as the product is built: from dist/, with its threads, connections and its real
 * clock. For the conformance suite, the transcripts and the model test.
 *
 * Opening a ledger costs threads or connections and a dozen syncs, so that all subjects of one `LedgerEngines` share
 * it: each has a sale of its own, and the ids that are unique over all sales get the subject's number in front.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSqlEngine } from '../../dist/inventory/engines/sql/engine.js';
import { openMysqlLedger } from '../../dist/ledger/dialects/mysql/open.js';
import { openPostgresLedger } from '../../dist/ledger/dialects/postgres/open.js';
import { openSqliteLedger } from '../../dist/ledger/dialects/sqlite/open.js';
import type { Act } from '../../src/core/act.ts';
import type { Books, Desk, Reads } from '../../src/core/books.ts';
import type { Order } from '../../src/core/order.ts';
import type { Verdict } from '../../src/core/outcomes.ts';
import type { EpochMs, OrderId, SaleId } from '../../src/core/scalars.ts';
import type { Subject } from '../../src/inventory/conformance/subject.ts';
import type { Engine } from '../../src/inventory/contract.ts';
import type { DatabaseKind, TestDatabase } from './database.ts';

/** What is compiled has brands of its own; the shapes are those of src/. */
interface Ledger {
  readonly books: Books;
  readonly desk: Desk;
  readonly reads: Reads;
  close(): Promise<void>;
}

const PAGE = 500;

/** All orders of a sale, oldest first. */
async function allOrders(reads: Reads, saleNo: number): Promise<Order[]> {
  const orders: Order[] = [];
  const everything = { status: null, buyerId: null, updatedSinceMs: null };
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<Reads['ordersOfSale']>> = await reads.ordersOfSale(saleNo, everything, {
      limit: PAGE,
      after,
    });
    orders.push(...page.items.map((row) => row.order));
    if (page.next === null) return orders;
    after = page.next;
  }
}

/** Where the ledgers of a run come from, each as another server process would open it on the same books. */
export interface LedgerSource {
  readonly open: () => Promise<Ledger>;
  /** How many ledgers on the same books take turns: as many as there would be server processes. */
  readonly processes: number;
  readonly remove: () => Promise<void>;
}

const onBroken = (message: string): void => {
  throw new Error(`an act would have broken the books: ${message}`);
};

export function sqliteSource(): LedgerSource {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-engine-'));
  const onFatal = (error: Error): void => {
    throw error;
  };
  return {
    open: () => openSqliteLedger({ folder, onFatal }) as unknown as Promise<Ledger>,
    processes: 1,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Connections of each ledger: two for batches and two for reading. */
const CONNECTIONS = 4;

/** A new database on a server of the test's own. */
export function serverSource(
  kind: DatabaseKind,
  server: () => Promise<Pick<TestDatabase, 'create'>>,
  processes: number,
): LedgerSource {
  let url: string | null = null;
  return {
    open: async () => {
      url ??= (await server()).create();
      const options = { url, connectionsMax: CONNECTIONS, onBroken };
      const opening = kind === 'postgres' ? openPostgresLedger(options) : openMysqlLedger(options);
      return (await opening) as unknown as Ledger;
    },
    processes,
    remove: async () => {},
  };
}

export class LedgerEngines {
  readonly #source: LedgerSource;
  #ledgers: Promise<Ledger>[] = [];
  #subjects = 0;
  #turn = 0;

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /** One of the ledgers on the books; opened on first use, then in turn. */
  ledger(): Promise<Ledger> {
    const at = this.#turn++ % this.#source.processes;
    this.#ledgers[at] ??= this.#source.open();
    return this.#ledgers[at] as Promise<Ledger>;
  }

  /** The engine of the product over a ledger. */
  async engine(): Promise<Engine> {
    return createSqlEngine((await this.ledger()) as never) as unknown as Engine;
  }

  async subject(): Promise<Subject> {
    const ids = idSpace(++this.#subjects);
    const engine = async () => within(ids, await this.engine());
    let current = await engine();
    const nowMs = () => Date.now() as EpochMs;
    return {
      get engine() {
        return current;
      },
      createSale: async (sale) => {
        const { desk } = await this.ledger();
        const verdict = await desk.createSale({ ...sale, saleId: ids.into(sale.saleId) as SaleId }, null);
        if (verdict.outcome !== 'sale') throw new Error(`the sale was not made: ${JSON.stringify(verdict)}`);
        return verdict.sale.saleNo;
      },
      books: async (saleNo) => {
        const { reads } = await this.ledger();
        const orders = (await allOrders(reads, saleNo)).map((order) => shown(ids, order));
        return { items: (await reads.saleByNo(saleNo))?.items ?? [], orders };
      },
      nowMs,
      pass: async (ms) => {
        for (const until = nowMs() + ms; nowMs() < until; ) await sleep(until - nowMs());
      },
      another: engine,
      reopen: async () => {
        await this.#closeLedgers();
        current = await engine();
      },
      close: async () => {},
    };
  }

  async close(): Promise<void> {
    await this.#closeLedgers();
    await this.#source.remove();
  }

  async #closeLedgers(): Promise<void> {
    for (const ledger of this.#ledgers) await (await ledger)?.close();
    this.#ledgers = [];
  }
}

interface IdSpace {
  into(id: string): string;
  outOf(id: string): string;
}

/** The payment of a free order is named after the order: its number goes behind the `free:`. */
const FREE = /^(free:)?/;

function idSpace(subject: number): IdSpace {
  const number = `${subject}.`;
  return {
    into: (id) => id.replace(FREE, `$&${number}`),
    outOf: (id) => id.replace(new RegExp(`^(free:)?${subject}\\.`), '$1'),
  };
}

function within(ids: IdSpace, engine: Engine): Engine {
  return {
    keepsOrder: engine.keepsOrder ?? false,
    open: (saleNo) => engine.open(saleNo),
    act: async ({ saleNo, acts }) => {
      const result = await engine.act({ saleNo, acts: acts.map((act) => inside(ids, act)) });
      return { ...result, verdicts: result.verdicts.map((verdict) => told(ids, verdict)) };
    },
    levels: (saleNo) => engine.levels(saleNo),
    close: () => engine.close(),
  };
}

function inside(ids: IdSpace, act: Act): Act {
  return {
    ...act,
    ...('orderId' in act ? { orderId: ids.into(act.orderId) as OrderId } : {}),
    ...('paymentId' in act ? { paymentId: ids.into(act.paymentId) } : {}),
    ...('request' in act && act.request !== undefined
      ? { request: { ...act.request, caller: ids.into(act.request.caller) } }
      : {}),
  } as Act;
}

const shown = (ids: IdSpace, order: Order): Order => ({ ...order, orderId: ids.outOf(order.orderId) as OrderId });

function told(ids: IdSpace, verdict: Verdict): Verdict {
  if (verdict.outcome !== 'order') return verdict;
  const refundsDue = verdict.refundsDue.map((payment) => ({ ...payment, paymentId: ids.outOf(payment.paymentId) }));
  return { ...verdict, order: shown(ids, verdict.order), refundsDue };
}
