/**
 * What the sections about the purchase path share: a sale on a served product, sold out or with more stock than any
 * run can sell, and batches of requests for it, each from a buyer who was never there before.
 */
import type { Sample } from '../bare-server.ts';
import { makeRequests } from '../load/requests.ts';
import type { ClosedResult, Target } from '../load/runs.ts';
import type { LoadGenerator, Served, ServedProduct } from '../processes.ts';

export type Kind = 'sold_out' | 'selling';

const CONNECTIONS = 64;
const SKU = 'tee-m';
const HUGE_STOCK = 100_000_000;
/** Holds must not run out in the middle of a run. */
const HOLD_SECONDS = 86_400;

export interface BenchSale {
  readonly kind: Kind;
  readonly product: ServedProduct;
  readonly saleId: string;
  readonly purchaseKey: string;
  /** The next buyer's number. */
  next: number;
}

/** Opens a sale for a run; a `sold_out` one has had its single unit taken. */
export async function openBenchSale(product: ServedProduct, kind: Kind): Promise<BenchSale> {
  const saleId = `bench-${kind.replace('_', '-')}-${Date.now().toString(36)}`;
  await product.merchant('POST', '/v1/merchant/sales', {
    saleId,
    title: 'Bench',
    currency: 'EUR',
    items: [{ sku: SKU, title: 'Tee M', priceMinor: 2500, stock: kind === 'selling' ? HUGE_STOCK : 1 }],
    limitPerBuyer: 1,
    holdSeconds: HOLD_SECONDS,
  });
  await product.merchant('POST', `/v1/merchant/sales/${saleId}/open`);
  const state = (await (await fetch(`${product.url}/v1/sales/${saleId}/state`)).json()) as { purchaseKey: string };
  const sale: BenchSale = { kind, product, saleId, purchaseKey: state.purchaseKey, next: 1 };
  if (kind === 'sold_out') {
    const taken = await answerOf(sale);
    if (taken.status !== 201) throw new Error(`the only unit could not be taken: ${taken.status}`);
  }
  return sale;
}

const expectedStatus = (kind: Kind): number => (kind === 'selling' ? 201 : 409);

/** One answer as the bare server shall give it: status, headers that are not the connection's, and body. */
export async function sampleAnswer(sale: BenchSale): Promise<Sample> {
  const answer = await answerOf(sale);
  if (answer.status !== expectedStatus(sale.kind))
    throw new Error(`an order was answered ${answer.status}: ${await answer.text()}`);
  const ofConnection = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ofConnection.includes(name)));
  const body = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, headers, body, idField: sale.kind === 'selling' ? 'orderId' : 'requestId' };
}

/** Makes the next requests ready in the generator's process: each buyer, token and key is used once. */
export async function prepare(load: LoadGenerator, sale: BenchSale, count: number): Promise<void> {
  await load.prepare({ ...planOf(sale), first: sale.next, count });
  sale.next += count;
}

export const targetOf = ({ host, port }: Served): Target => ({ host, port, connections: CONNECTIONS });

/** Throws unless every answer had the status that this sale must give: a fast wrong answer is no figure. */
export function demandStatus(result: Pick<ClosedResult, 'statuses'>, sale: BenchSale): void {
  const wrong = Object.entries(result.statuses).filter(([status]) => Number(status) !== expectedStatus(sale.kind));
  if (wrong.length > 0) throw new Error(`answers of a ${sale.kind} run: ${JSON.stringify(result.statuses)}`);
}

const planOf = ({ product, saleId, purchaseKey }: BenchSale) => ({
  host: `${product.host}:${product.port}`,
  saleId,
  purchaseKey,
  sku: SKU,
  buyerSecret: product.buyerSecret,
  prefix: 'buyer',
});

/** One order request through `fetch`, from the next buyer. */
async function answerOf(sale: BenchSale): Promise<Response> {
  const [request] = makeRequests({ ...planOf(sale), first: sale.next, count: 1 });
  sale.next += 1;
  const [head = '', body = ''] = String(request).split('\r\n\r\n');
  const lines = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(': ') as [string, string]);
  const headers = Object.fromEntries(lines.filter(([name]) => name !== 'host' && name !== 'content-length'));
  const path = head.split(' ')[1] ?? '';
  return fetch(sale.product.url + path, { method: 'POST', headers, body });
}
