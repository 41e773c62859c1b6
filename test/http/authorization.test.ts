/**
 * Every route × every credential × somebody else's ids: what is expected stands in a table by plane, from the
 * contract ("Four planes, four credentials"; `not_found` also for things of another buyer). At the end the books
 * are as they were: no refused request has done anything.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Code } from '../support/contract.ts';
import { expectOk, expectProblem, item, newId, saleBody } from '../support/expecting.ts';
import { fillPath, type Route, routeName, routes } from '../support/routes.ts';
import { mintToken, type Reply, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

interface World {
  readonly sale: { saleId: string; purchaseKey: string };
  readonly draftId: string;
  readonly orderId: string;
  readonly guestToken: string;
  readonly parkedId: string;
}
let world: World;

/** An open sale with an order of ann, a draft, a guest of another sale and a parked payment. */
async function makeWorld(): Promise<World> {
  const sale = await server.openSale({
    limitPerBuyer: 5,
    guests: true,
    demoPayment: true,
    items: [item({ stock: 50 })],
  });
  const order = expectOk(await server.order(sale, 'ann'), 201);
  const draftId = expectOk(
    await server.merchant('POST', '/v1/merchant/sales', saleBody({ saleId: newId('draft') })),
    201,
  ).saleId;
  const other = await server.openSale({ guests: true });
  const guestToken = expectOk(await server.request('POST', `/v1/sales/${other.saleId}/guests`), 201).token;
  const parkedId = newId('pay');
  const payment = {
    paymentId: parkedId,
    orderId: 'no-such-order',
    result: 'succeeded',
    amountMinor: 1,
    currency: 'EUR',
  };
  expectOk(await server.merchant('POST', '/v1/merchant/payments', payment), 202);
  return { sale, draftId, orderId: order.orderId, guestToken, parkedId };
}

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
  world = await makeWorld();
});
afterAll(async () => {
  await server.stop();
});

/** A body that the route accepts from the right caller. */
const bodies: Record<string, (saleOf: World) => unknown> = {
  'POST /v1/sales/{saleId}/orders': () => ({ sku: 'tee-m', quantity: 1 }),
  'PUT /v1/orders/{orderId}/details': () => ({ contact: 'mine' }),
  'POST /v1/orders/{orderId}/demo-payment': () => ({ result: 'failed' }),
  'POST /v1/merchant/buyer-tokens': () => ({ buyers: [{ id: 'u1' }], expiresInSeconds: 60 }),
  'POST /v1/merchant/sales': () => saleBody(),
  'PATCH /v1/merchant/sales/{saleId}': () => ({ title: 'New' }),
  'POST /v1/merchant/sales/{saleId}/items/{sku}/stock': () => ({ delta: 1, reason: 'x' }),
  'POST /v1/merchant/sales/{saleId}/corrections': () => ({ set: { title: 'New' }, reason: 'x' }),
  'POST /v1/merchant/orders/{orderId}/cancel': () => ({ returnToStock: false, reason: 'x' }),
  'POST /v1/merchant/orders/{orderId}/refunded': () => ({ paymentId: 'pay-1', reason: 'x' }),
  'POST /v1/merchant/payments': (of) => ({
    paymentId: 'pay-1',
    orderId: of.orderId,
    result: 'succeeded',
    amountMinor: 2500,
    currency: 'EUR',
  }),
  'POST /v1/merchant/payments/{paymentId}/resolve': () => ({ as: 'ignored', reason: 'x' }),
  'POST /v1/merchant/payments/{paymentId}/refunded': () => ({ reason: 'x' }),
};

interface Ids {
  readonly saleId: string;
  readonly orderId: string;
  readonly sku: string;
  readonly paymentId: string;
}

const idsOf = (of: World): Ids => ({
  saleId: of.sale.saleId,
  orderId: of.orderId,
  sku: 'tee-m',
  paymentId: of.parkedId,
});

function call(route: Route, of: World, ids: Ids, authorization: string | undefined): Promise<Reply> {
  const name = routeName(route);
  const query = name === 'POST /v1/sales/{saleId}/orders' ? `?key=${of.sale.purchaseKey}` : '';
  const body = bodies[name]?.(of);
  return server.request(route.method, fillPath(route.path, ids) + query, {
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(route.method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
      ...(authorization === undefined ? {} : { authorization }),
    },
  });
}

const none = (token: string): string => {
  const [, payload] = token.split('.');
  return `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
};

/** The last character of the first part of a key or token, changed. */
const lastChanged = (text: string): string => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');

type Kind = 'absent' | 'bad' | 'merchant' | 'owner' | 'other buyer' | 'guest of another sale';

interface Credential {
  readonly name: string;
  readonly kind: Kind;
  header(): string | undefined;
}

const credentials: readonly Credential[] = [
  { name: 'none', kind: 'absent', header: () => undefined },
  { name: 'an empty header', kind: 'bad', header: () => '' },
  { name: 'Bearer without a token', kind: 'bad', header: () => 'Bearer' },
  { name: 'garbage', kind: 'bad', header: () => 'Bearer garbage' },
  { name: 'three garbage parts', kind: 'bad', header: () => 'Bearer a.b.c' },
  { name: 'Basic', kind: 'bad', header: () => `Basic ${Buffer.from('ann:x').toString('base64')}` },
  { name: 'Basic with the merchant key', kind: 'bad', header: () => `Basic ${server.merchantKey}` },
  { name: 'the merchant key without Bearer', kind: 'bad', header: () => server.merchantKey },
  {
    name: 'an expired token',
    kind: 'bad',
    header: () => `Bearer ${server.token('ann', { exp: Math.floor(Date.now() / 1000) - 60 })}`,
  },
  { name: 'alg none', kind: 'bad', header: () => `Bearer ${none(server.token('ann'))}` },
  { name: 'a token of another secret', kind: 'bad', header: () => `Bearer ${mintToken('x'.repeat(43), 'ann')}` },
  {
    name: 'a token signed with the merchant key',
    kind: 'bad',
    header: () => `Bearer ${mintToken(server.merchantKey, 'ann')}`,
  },
  { name: 'the merchant key with one character more', kind: 'bad', header: () => `Bearer ${server.merchantKey}x` },
  {
    name: 'the merchant key with one character less',
    kind: 'bad',
    header: () => `Bearer ${server.merchantKey.slice(0, -1)}`,
  },
  {
    name: 'the merchant key with its last character changed',
    kind: 'bad',
    header: () => `Bearer ${lastChanged(server.merchantKey)}`,
  },
  { name: 'the buyer secret', kind: 'bad', header: () => `Bearer ${server.buyerSecret}` },
  {
    name: 'a digest of the merchant key',
    kind: 'bad',
    header: () => `Bearer ${createHmac('sha256', server.merchantKey).digest('hex')}`,
  },
  { name: 'the merchant key', kind: 'merchant', header: () => `Bearer ${server.merchantKey}` },
  { name: 'the buyer', kind: 'owner', header: () => `Bearer ${server.token('ann')}` },
  { name: 'another buyer', kind: 'other buyer', header: () => `Bearer ${server.token('ben')}` },
  { name: 'a guest of another sale', kind: 'guest of another sale', header: () => `Bearer ${world.guestToken}` },
];

type Expected = Code | 'own' | 'granted';

/** What a credential gets on a route whose ids are ann's. `own`: 2xx, but only about the caller's own things. */
function expected(route: Route, kind: Kind): Expected {
  if (route.plane === 'public' || route.open === true) return 'granted';
  if (kind === 'absent' || kind === 'bad') return 'unauthenticated';
  if (route.plane === 'merchant') return kind === 'merchant' ? 'granted' : 'forbidden';
  if (kind === 'merchant') return 'forbidden';
  if (kind === 'owner') return 'granted';
  if (route.path.startsWith('/v1/orders/')) return 'not_found';
  if (route.method === 'POST' && kind === 'guest of another sale') return 'not_eligible';
  return 'own';
}

const table = routes.flatMap((route) =>
  credentials.map(
    (credential) => [routeName(route), credential.name, expected(route, credential.kind), route, credential] as const,
  ),
);

describe('refused credentials', () => {
  const rows = table.filter(([, , want]) => want !== 'granted' && want !== 'own');

  it('are most of the table', () => {
    expect(rows.length).toBeGreaterThan(500);
  });

  it('get the code of the table on every route, and change nothing', async () => {
    const look = async () => [
      await server.books(world.sale.saleId),
      expectOk(await server.merchant('GET', `/v1/merchant/orders/${world.orderId}`)),
      expectOk(await server.merchant('GET', '/v1/merchant/sales?limit=500')),
      expectOk(await server.merchant('GET', '/v1/merchant/payments?state=parked')),
    ];
    const before = await look();
    const wrong: string[] = [];
    for (const [route, credential, want, entry, by] of rows) {
      const reply = await call(entry, world, idsOf(world), by.header());
      try {
        expectProblem(reply, want as Code);
      } catch {
        wrong.push(`${route} with ${credential}: expected ${want}, got ${reply.status} ${reply.text.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await look()).toEqual(before);
  });

  it('get the same for ids that are not there: nobody learns what exists', async () => {
    const ids: Ids = { saleId: 'nobody', orderId: 'no-such-order', sku: 'nothing', paymentId: 'pay-none' };
    const wrong: string[] = [];
    const some = new Set([
      'none',
      'garbage',
      'an expired token',
      'the merchant key with one character more',
      'the merchant key',
    ]);
    for (const [route, credential, want, entry, by] of rows.filter(([, name]) => some.has(name))) {
      const reply = await call(entry, world, ids, by.header());
      if (reply.body.code !== want)
        wrong.push(`${route} with ${credential}: expected ${want}, got ${reply.status} ${reply.text}`);
    }
    expect(wrong).toEqual([]);
  });

  it('get the same answer for an order of another buyer as for none at all', async () => {
    const strip = (reply: Reply) => ({ ...reply.body, requestId: '', instance: '' });
    for (const route of routes.filter((entry) => entry.path.startsWith('/v1/orders/'))) {
      const authorization = `Bearer ${server.token('ben')}`;
      const theirs = await call(route, world, idsOf(world), authorization);
      const nothing = await call(route, world, { ...idsOf(world), orderId: 'no-such-order' }, authorization);
      expect(strip(theirs)).toEqual(strip(nothing));
      expect(theirs.status).toBe(nothing.status);
    }
  });
});

/** What the right caller gets on a world of its own; a refusal by state shows that the door was open. */
const grantedAnswers: Record<string, readonly (number | Code)[]> = {
  'POST /v1/merchant/sales/{saleId}/schedule': ['wrong_state'],
  'POST /v1/merchant/sales/{saleId}/resume': [200],
  'PATCH /v1/merchant/sales/{saleId}': ['sale_frozen'],
  'DELETE /v1/merchant/sales/{saleId}': ['wrong_state'],
  'POST /v1/merchant/orders/{orderId}/refunded': ['not_found', 'wrong_state'],
  'POST /v1/merchant/payments/{paymentId}/refunded': ['not_found', 'wrong_state'],
  'POST /v1/merchant/sales': [201],
  'POST /v1/sales/{saleId}/guests': [201],
  'POST /v1/sales/{saleId}/orders': [201],
};

describe('the right credential', () => {
  const granted = routes.filter((route) => route.plane !== 'public');

  it.each(granted.map((route) => [routeName(route), route] as const))('opens %s', async (name, route) => {
    const own = await makeWorld();
    const authorization = `Bearer ${route.plane === 'merchant' ? server.merchantKey : server.token('ann')}`;
    const reply = await call(route, own, idsOf(own), authorization);
    const wanted = grantedAnswers[name] ?? [200];
    if (wanted.some((entry) => typeof entry === 'number')) expect(wanted, reply.text).toContain(reply.status);
    else expectProblem(reply, ...(wanted as Code[]));
  });

  it('finds no sale, order, item or payment that is not there', async () => {
    const ids: Ids = { saleId: 'nobody', orderId: 'no-such-order', sku: 'nothing', paymentId: 'pay-none' };
    for (const route of routes.filter((entry) => entry.path.includes('{'))) {
      const authorization = `Bearer ${route.plane === 'merchant' ? server.merchantKey : server.token('ann')}`;
      expectProblem(await call(route, world, ids, authorization), 'not_found');
    }
  });

  it('draws no line between the letters of Bearer', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${server.token('ann')}` };
      expectOk(await server.request('GET', `/v1/orders/${world.orderId}`, { headers }));
    }
  });

  it('is not taken from the address', async () => {
    for (const name of ['token', 'access_token', 'authorization']) {
      expectProblem(
        await server.request('GET', `/v1/orders/${world.orderId}?${name}=${server.token('ann')}`),
        'unauthenticated',
      );
    }
  });
});

describe('another buyer', () => {
  it('sees only own orders of the sale', async () => {
    const mine = await server.openSale({ limitPerBuyer: 5 });
    const order = expectOk(await server.order(mine, 'ben'), 201);
    expectOk(await server.order(mine, 'ann'), 201);
    const list = expectOk(await server.shopper('ben', 'GET', `/v1/sales/${mine.saleId}/orders`)).items;
    expect(list.map((row: { orderId: string }) => row.orderId)).toEqual([order.orderId]);
  });

  it('with the key of ann gets an own order', async () => {
    const sale = await server.openSale();
    const key = randomUUID();
    const first = expectOk(await server.order(sale, 'ann', { key }), 201);
    const second = await server.order(sale, 'ben', { key });
    expect(expectOk(second, 201).orderId).not.toBe(first.orderId);
    expect(second.headers.get('idempotent-replayed')).toBeNull();
  });
});
