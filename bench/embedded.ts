/**
 * The embedded engine in this process, as `serve` wires it but without HTTP: ledger, SQL engine, batcher. Used to
 * measure the engine alone, and to fill a ledger by the product's own means.
 */
import { randomBytes } from 'node:crypto';
import { claimOf, exampleItem, exampleSale, lifecycleOf } from '../dist/core/example.js';
import { Batcher } from '../dist/inventory/batcher.js';
import { createSqlEngine } from '../dist/inventory/engines/sql/engine.js';
import { systemClock } from '../dist/kit/clock.js';
import { OrderIds } from '../dist/kit/ids.js';
import { openSqliteLedger, type SqliteLedger } from '../dist/ledger/dialects/sqlite/open.js';

type Claim = ReturnType<typeof claimOf>;

const SKU = 'tee-m';
const HOLD_SECONDS = 86_400;
/** Two full batches: one in flight, one collecting. */
const IN_FLIGHT = 1024;
/** No claim is refused for waiting: a measurement wants them all. */
const QUEUE_WAIT_MS = 600_000;

export interface Embedded {
  readonly ledger: SqliteLedger;
  readonly saleNo: number;
}

/** Opens a ledger in the folder and an open sale in it, one unit for each buyer. */
export async function openEmbedded(options: { folder: string; saleId: string; stock: number }): Promise<Embedded> {
  const ledger = await openSqliteLedger({
    folder: options.folder,
    onFatal: (error) => {
      throw error;
    },
  });
  const items = [exampleItem(SKU, { stock: options.stock })];
  const made = await ledger.desk.createSale(exampleSale({ holdSeconds: HOLD_SECONDS }, items, options.saleId), null);
  if (made.outcome !== 'sale') throw new Error(`the sale was not made: ${JSON.stringify(made)}`);
  const { saleNo } = made.sale;
  await ledger.books.runBatch(saleNo, 'free', [lifecycleOf('open')]);
  return { ledger, saleNo };
}

/** Claims of one unit each, from buyers who were never there; made before the clock runs. */
export function makeClaims(saleNo: number, options: { first: number; count: number }): Claim[] {
  const ids = new OrderIds(randomBytes(32));
  return Array.from({ length: options.count }, (_, n) => {
    const buyer = `buyer-${options.first + n}`;
    return claimOf(ids.make({ saleNo, segment: 0, epoch: 1 }, Date.now()), { buyer, sku: SKU });
  });
}

export interface Held {
  readonly seconds: number;
  /** How many claims each batch carried, in order. */
  readonly batches: readonly number[];
}

/** Sends the claims through batcher and engine and waits until each is durably held. */
export async function hold({ ledger, saleNo }: Embedded, claims: readonly Claim[]): Promise<Held> {
  const batches: number[] = [];
  const batcher = new Batcher({
    saleNo,
    engine: createSqlEngine(ledger),
    clock: systemClock,
    queueWaitMs: QUEUE_WAIT_MS,
    onBatch: (_result, acts) => batches.push(acts.length),
  });
  let next = 0;
  const keepAsking = async (): Promise<void> => {
    for (let claim = claims[next]; claim !== undefined; claim = claims[next]) {
      next += 1;
      const verdict = await batcher.submit(claim);
      if (verdict.outcome !== 'order' || !verdict.changed)
        throw new Error(`a claim was answered ${JSON.stringify(verdict)}`);
    }
  };
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
  return { seconds: (performance.now() - startedAtMs) / 1000, batches };
}
