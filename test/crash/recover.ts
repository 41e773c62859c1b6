/**
 * What clients do after a crash: every acknowledged key is replayed, everything unanswered is tried
 * again, twice. Completes the Tally, and counts what had died between commit and answer: an effect
 * that is there although nobody was told.
 */

import { audit, type Books, type LedgerOrder } from './audit.ts';
import { type Answer, type Client, isUnknown, noteAct, noteOrder } from './load.ts';
import type { Act, OrderAttempt, Tally } from './tally.ts';
import { inLanes } from './until.ts';

const lanes = 32;

interface Recovered {
  readonly ordersDiedAfterCommit: number;
  readonly actsDiedAfterCommit: number;
  readonly unanswered: number;
  readonly replayed: number;
  readonly orders: readonly LedgerOrder[];
  readonly books: Books;
}

/** All orders of the sale, page by page, over the merchant plane. */
export async function listOrders(client: Client): Promise<LedgerOrder[]> {
  const orders: LedgerOrder[] = [];
  let cursor: string | null = null;
  do {
    const page: Answer | undefined = await client.merchant(
      `/v1/merchant/sales/${client.sale.saleId}/orders?limit=500${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (page?.status !== 200) throw new Error(`orders were not listed: ${page?.status} ${JSON.stringify(page?.body)}`);
    orders.push(...page.body.items);
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  return orders;
}

export async function readBooks(client: Client): Promise<Books> {
  const answer = await client.merchant(`/v1/merchant/sales/${client.sale.saleId}/books`);
  if (answer?.status !== 200) throw new Error(`no books: ${answer?.status} ${JSON.stringify(answer?.body)}`);
  return answer.body;
}

/** Retries through refusals that pass by themselves (`busy`), at most for 10 s. */
async function insist(ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  const deadlineMs = performance.now() + 10_000;
  for (;;) {
    const answer = await ask();
    const passing = isUnknown(answer) || answer?.status === 503;
    if (!passing || performance.now() > deadlineMs) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** An acknowledged key, again: the same order, said to be a replay. */
async function replay(client: Client, tally: Tally, attempt: OrderAttempt): Promise<void> {
  const answer = await insist(() => client.order(attempt));
  if (answer?.status === 201 && answer.replayed && answer.body.orderId === attempt.orderId) return;
  const got = `${answer?.status} ${answer?.body?.code ?? answer?.body?.orderId} replayed=${answer?.replayed}`;
  tally.problems.push(`key ${attempt.key} was answered ${attempt.orderId}; after the restart: ${got}`);
}

/** An unanswered key: what it answers first must be what it answers from then on. Says whether it had been committed. */
async function retryOrder(client: Client, tally: Tally, attempt: OrderAttempt): Promise<boolean> {
  const first = await insist(() => client.order(attempt));
  noteOrder(tally, attempt, first);
  if (attempt.fate === 'acknowledged') await replay(client, tally, attempt);
  return first?.status === 201 && first.replayed;
}

async function retryAct(client: Client, tally: Tally, act: Act): Promise<void> {
  noteAct(tally, act, await insist(() => client.act(act)));
  noteAct(tally, act, await insist(() => client.act(act)));
}

/** Brings the tally up to date with a restarted server. `since` is where this round's attempts begin in the tally. */
export async function recover(
  client: Client,
  tally: Tally,
  since: { orders: number; acts: number } = { orders: 0, acts: 0 },
): Promise<Recovered> {
  const attempts = tally.orders.slice(since.orders);
  const openActs = tally.acts.slice(since.acts).filter((act) => act.fate === 'unanswered');
  const found = new Map((await listOrders(client)).map((order) => [order.orderId, order.status]));
  for (const attempt of tally.orders)
    if (attempt.fate === 'acknowledged' && !found.has(attempt.orderId as string))
      tally.problems.push(`acknowledged order ${attempt.orderId} is missing right after the restart`);
  const actsDiedAfterCommit = openActs.filter((act) => found.get(act.attempt.orderId as string) !== 'held').length;

  const acknowledged = attempts.filter((attempt) => attempt.fate === 'acknowledged');
  const unanswered = attempts.filter((attempt) => attempt.fate === 'unanswered');
  let ordersDiedAfterCommit = 0;
  await inLanes(acknowledged, lanes, (attempt) => replay(client, tally, attempt));
  await inLanes(unanswered, lanes, async (attempt) => {
    if (await retryOrder(client, tally, attempt)) ordersDiedAfterCommit += 1;
  });
  await inLanes(openActs, lanes, (act) => retryAct(client, tally, act));

  return {
    ordersDiedAfterCommit,
    actsDiedAfterCommit,
    unanswered: unanswered.length + openActs.length,
    replayed: acknowledged.length,
    orders: await listOrders(client),
    books: await readBooks(client),
  };
}

export const stock = { 'tee-m': 1_000_000, 'tee-s': 120 };

/** The sale of the crash tests: more than enough of one item, and one that ends in the middle of it. */
export const crashSale = {
  items: Object.entries(stock).map(([sku, units]) => ({ sku, title: sku, priceMinor: 2500, stock: units })),
  holdSeconds: 3600,
  limitPerBuyer: 1,
};

/** Every fault that the recovered server shows against what its clients were told. */
export const faultsOf = (tally: Tally, recovered: Recovered): string[] =>
  audit({ tally, orders: recovered.orders, books: recovered.books, stock, limitPerBuyer: crashSale.limitPerBuyer });

/** Buys `sku` until it is sold out; hands back how many were sold. The sale goes on, and ends exactly at its stock. */
export async function sellOut(client: Client, tally: Tally, sku: string): Promise<number> {
  let sold = 0;
  for (;;) {
    const key = crypto.randomUUID();
    const attempt: OrderAttempt = { key, buyerId: `late-${key}`, sku, quantity: 1, fate: 'unanswered' };
    tally.orders.push(attempt);
    const answer = await insist(() => client.order(attempt));
    noteOrder(tally, attempt, answer);
    if (attempt.fate !== 'acknowledged') {
      if (answer?.body?.code !== 'sold_out') tally.problems.push(`the end of ${sku}: ${JSON.stringify(answer?.body)}`);
      return sold;
    }
    sold += 1;
  }
}
