/**
 * What the bad requests are thrown at: witness sales in every phase with orders in every state, which nothing may
 * change, and a scratch sale where strange but right requests may do what they can.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { mintToken, type Reply, type TestServer } from '../support/server.ts';

export interface World {
  readonly merchantKey: string;
  readonly annToken: string;
  readonly benToken: string;
  readonly guestToken: string;
  /** Never valid: expired, alg none, another secret, garbage. */
  readonly badCredentials: readonly string[];
  readonly openId: string;
  readonly purchaseKey: string;
  readonly pausedId: string;
  readonly scheduledId: string;
  readonly draftId: string;
  readonly endedId: string;
  readonly heldOrderId: string;
  readonly paidOrderId: string;
  readonly cancelledOrderId: string;
  readonly parkedId: string;
  readonly scratchId: string;
  readonly scratchKey: string;
  readonly scratchOrderIds: readonly string[];
}

function must(reply: Reply, status: number): Reply['body'] {
  if (reply.status !== status) throw new Error(`the world could not be made: ${reply.status} ${reply.text}`);
  return reply.body;
}

const stock = (count: number) => [{ sku: 'tee-m', title: 'Tee', priceMinor: 2500, stock: count }];

export async function makeWorld(server: TestServer): Promise<World> {
  const settings = { limitPerBuyer: null, holdSeconds: 86_400, guests: true, demoPayment: true };
  const act = async (saleId: string, name: string) =>
    must(await server.merchant('POST', `/v1/merchant/sales/${saleId}/${name}`), 200);
  const draft = async (saleId: string) => {
    const body = { saleId, title: saleId, currency: 'EUR', items: stock(20), ...settings };
    must(await server.merchant('POST', '/v1/merchant/sales', body), 201);
    return saleId;
  };
  const open = await server.openSale({ saleId: 'witness-open', items: stock(50), ...settings });
  const make = async () => must(await server.order(open, 'ann'), 201);
  const [held, paid, cancelled] = [await make(), await make(), await make()];
  must(await server.pay(paid), 200);
  must(await server.shopper('ann', 'POST', `/v1/orders/${cancelled.orderId}/cancel`), 200);
  const parkedId = 'pay-parked';
  const parked = {
    paymentId: parkedId,
    orderId: 'no-such-order',
    result: 'succeeded',
    amountMinor: 1,
    currency: 'EUR',
  };
  must(await server.merchant('POST', '/v1/merchant/payments', parked), 202);
  const scheduledId = await draft('witness-scheduled');
  await act(scheduledId, 'schedule');
  const paused = await server.openSale({ saleId: 'witness-paused', items: stock(5), ...settings });
  must(await server.order(paused, 'ann'), 201);
  await act(paused.saleId, 'pause');
  const ended = await server.openSale({ saleId: 'witness-ended', items: stock(5), ...settings });
  must(await server.order(ended, 'ann'), 201);
  await act(ended.saleId, 'end');
  const scratch = await server.openSale({ saleId: 'scratch', items: stock(1_000_000), ...settings });
  const scratchOrders = await Promise.all(
    Array.from({ length: 40 }, async () => must(await server.order(scratch, 'ann'), 201).orderId as string),
  );
  const past = Math.floor(Date.now() / 1000) - 60;
  const annToken = mintToken(server.buyerSecret, 'ann', { exp: past + 86_400 });
  return {
    merchantKey: server.merchantKey,
    annToken,
    benToken: mintToken(server.buyerSecret, 'ben', { exp: past + 86_400 }),
    guestToken: must(await server.request('POST', `/v1/sales/${open.saleId}/guests`), 201).token,
    badCredentials: [
      '',
      'Bearer',
      'Bearer ',
      'Bearer a.b.c',
      'Bearer ..',
      `Bearer ${'x'.repeat(4000)}`,
      `Basic ${server.merchantKey}`,
      `Bearer ${server.merchantKey}x`,
      `Bearer ${mintToken(server.buyerSecret, 'ann', { exp: past })}`,
      `Bearer ${mintToken('x'.repeat(43), 'ann')}`,
      `Bearer ${mintToken(server.buyerSecret, 'ann', {}, { alg: 'none' })}`,
      `Bearer ${mintToken(server.buyerSecret, 'ann', { sub: 'a\u0000' })}`,
      'Bearer \u00ff\u00fe.\u00ff.\u00ff',
      '\u00e9',
    ],
    openId: open.saleId,
    purchaseKey: open.purchaseKey,
    pausedId: paused.saleId,
    scheduledId,
    draftId: await draft('witness-draft'),
    endedId: ended.saleId,
    heldOrderId: held.orderId,
    paidOrderId: paid.orderId,
    cancelledOrderId: cancelled.orderId,
    parkedId,
    scratchId: scratch.saleId,
    scratchKey: scratch.purchaseKey,
    scratchOrderIds: scratchOrders,
  };
}

const witnesses = (world: World): readonly string[] => [
  world.openId,
  world.pausedId,
  world.scheduledId,
  world.draftId,
  world.endedId,
];

/** Everything about the witnesses that a bad request could have changed, by name. */
export type Sight = Readonly<Record<string, unknown>>;

export async function look(server: TestServer, world: World): Promise<Sight> {
  const sight: Record<string, unknown> = {};
  for (const saleId of witnesses(world)) {
    const target = `/v1/merchant/sales/${saleId}`;
    sight[`${saleId}: sale`] = must(await server.merchant('GET', target), 200);
    sight[`${saleId}: books`] = must(await server.merchant('GET', `${target}/books`), 200);
    sight[`${saleId}: orders`] = must(await server.merchant('GET', `${target}/orders?limit=500`), 200).items;
    sight[`${saleId}: audit`] = must(await server.merchant('GET', `${target}/audit?all=true&limit=500`), 200).items;
  }
  sight['parked payments'] = must(
    await server.merchant('GET', '/v1/merchant/payments?state=parked&limit=500'),
    200,
  ).items;
  return sight;
}

const excerpt = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 600);

/** What has changed between two sights. Books that do not balance are a fault by themselves. */
export function sightFaults(before: Sight, after: Sight): string[] {
  const faults: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isDeepStrictEqual(before[name], after[name])) {
      faults.push(`${name} changed\n  from ${excerpt(before[name])}\n  to   ${excerpt(after[name])}`);
    }
  }
  for (const [name, value] of Object.entries(after))
    if (name.endsWith(': books')) faults.push(...booksFaults(name, value));
  return faults;
}

interface Books {
  readonly balanced?: unknown;
  readonly items?: readonly Record<'total' | 'available' | 'held' | 'sold' | 'inFlight', number>[];
}

/** I1, counted here and not believed: available + held + sold + inFlight = total, none below 0. */
export function booksFaults(name: string, value: unknown): string[] {
  const books = value as Books;
  if (books.balanced !== true || !Array.isArray(books.items)) return [`${name} not balanced: ${excerpt(books)}`];
  return books.items.flatMap((row) => {
    const parts = [row.available, row.held, row.sold, row.inFlight];
    const sum = parts.reduce((total, part) => total + part, 0);
    return sum === row.total && parts.every((part) => part >= 0) ? [] : [`${name} does not add up: ${excerpt(row)}`];
  });
}

/** The scratch sale's books balance, and its orders are those that were granted, each once. */
export async function scratchFaults(server: TestServer, world: World, granted: number): Promise<string[]> {
  const target = `/v1/merchant/sales/${world.scratchId}`;
  const books = must(await server.merchant('GET', `${target}/books`), 200);
  const faults = booksFaults('scratch: books', books);
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = must(await server.merchant('GET', `${target}/orders?limit=500${query}`), 200);
    for (const row of page.items) ids.add(row.orderId);
    cursor = page.nextCursor;
  } while (cursor !== null);
  const wanted = world.scratchOrderIds.length + granted;
  if (ids.size !== wanted) faults.push(`scratch: ${ids.size} orders, but ${wanted} were granted`);
  return faults;
}

/** A fresh key of the run, so that a replayed seed in the same folder never meets its own keys. */
export const runMark = (): string => randomUUID().slice(0, 8);
