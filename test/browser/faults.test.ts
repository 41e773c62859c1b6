/**
 * The page on a bad day: answers get lost, connections break, the server restarts or is busy, the network is slow. The
 * page may wait and must say so; it asks again with the same key, and ends on the one order that there is.
 */
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inSeconds, levels, until } from '../support/expecting.ts';
import { FaultProxy, isOrderRequest } from '../support/fault-proxy.ts';
import type { Answered } from '../support/forward.ts';
import { newFolder, startServer, type TestServer } from '../support/server.ts';
import { move, openSale, orderElsewhere, ordersOf, purchases, scheduledSale } from './support/buying.ts';
import { SalePage } from './support/sale-page.ts';
import type { Scene } from './support/scene.ts';
import { stage } from './support/stage.ts';

const play = stage();

async function proxied(scene: Scene, server: TestServer = scene.server): Promise<FaultProxy> {
  const proxy = await FaultProxy.to(server.url);
  scene.finally(() => proxy.close());
  return proxy;
}

/** The problem that an overloaded server answers with. */
const busy = (status: 503 | 429, waitSeconds: number) => ({
  kind: 'answer' as const,
  status,
  headers: {
    'content-type': 'application/problem+json',
    'retry-after': String(waitSeconds),
    'cache-control': 'no-store',
  },
  body: JSON.stringify({
    type: 'about:blank',
    title: 'Busy',
    status,
    requestId: 'from-the-proxy',
    code: status === 503 ? 'busy' : 'rate_limited',
    retryable: true,
    effect: 'none',
    retryAfterMs: waitSeconds * 1000,
  }),
});

for (const [what, act] of [
  ['the answer is lost after the server has executed it', { kind: 'swallow' }],
  ['the connection is cut before the server hears of it', { kind: 'cut' }],
] as const)
  it.concurrent(`${what}: the page asks again with the same key and shows the one order`, () =>
    play(async (scene) => {
      const proxy = await proxied(scene);
      const saleId = await openSale(scene.server, { limitPerBuyer: null });
      const visitor = await scene.visitor({ allow: [proxy.url] });
      const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
      proxy.befall(isOrderRequest, act, 2);
      await sale.buy();
      await sale.reaches('held', 30_000);
      const tries = proxy.passed.filter(isOrderRequest);
      expect(tries.filter(({ fault }) => fault === act.kind).length).toBeGreaterThanOrEqual(1);
      expect(await purchases(scene.server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
      expect(new Set(tries.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(await sale.text('order-id')).toContain((await ordersOf(scene.server, saleId))[0]?.orderId as string);
    }));

it.concurrent('an answer that never comes is not waited for without end', () =>
  play(async (scene) => {
    const proxy = await proxied(scene);
    const saleId = await openSale(scene.server, { limitPerBuyer: null });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    proxy.befall(isOrderRequest, { kind: 'hang' });
    await sale.buy();
    await sale.reaches('held', 40_000);
    expect(await purchases(scene.server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
  }));

it.concurrent('the server restarts while the page waits, and again while it sends', () =>
  play(async (scene) => {
    const data = newFolder();
    scene.finally(() => rmSync(data, { recursive: true, force: true }));
    let server = await startServer({ data });
    scene.finally(() => server.stop('SIGKILL'));
    const proxy = await proxied(scene, server);
    const restart = async (meanwhile: () => Promise<void>): Promise<void> => {
      proxy.target = null;
      await server.kill();
      await meanwhile();
      server = await startServer({ data });
      proxy.target = server.url;
    };
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const saleId = await scheduledSale(server, { opensAt: inSeconds(3_600), limitPerBuyer: null });
    const sale = await visitor.open(`${proxy.url}/sales/${saleId}#token=${server.token('ann')}`);
    await sale.reaches('scheduled');
    await restart(async () => {
      const askedBefore = proxy.passed.length;
      await sale.lookAgain();
      await until('the page has asked in vain', 30_000, async () => proxy.passed.length > askedBefore);
      // A page that hears nothing keeps its countdown.
      expect(await sale.state()).toBe('scheduled');
      expect(await sale.canBuy()).toBe(false);
    });
    await move(server, saleId, 'opensAt', 2);
    await sale.lookAgain();
    await sale.lights();

    proxy.befall(isOrderRequest, { kind: 'swallow' });
    await sale.buy();
    await until('the server has executed the order', 30_000, async () =>
      proxy.passed.some((passed) => isOrderRequest(passed) && passed.answer?.status === 201),
    );
    await restart(async () => {});
    await sale.reaches('held', 30_000);
    expect(await purchases(server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
    await sale.press('pay');
    await sale.reaches('paid');
    expect(await levels(server, saleId)).toMatchObject({ available: 9, held: 0, sold: 1 });
  }));

for (const status of [503, 429] as const)
  it.concurrent(`${status} with a wait: said with its seconds, kept to, then asked again with the same key`, () =>
    play(async (scene) => {
      const proxy = await proxied(scene);
      const saleId = await openSale(scene.server, { limitPerBuyer: null });
      const visitor = await scene.visitor({ allow: [proxy.url] });
      const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
      proxy.befall(isOrderRequest, busy(status, 6));
      await sale.buy();
      await sale.reaches('try_later');
      expect(await sale.text('wait')).toMatch(/[1-9]/);
      expect(await sale.canBuy()).toBe(false);
      await sale.reaches('held');
      const tries = proxy.passed.filter(isOrderRequest);
      expect(tries.map(({ headers }) => headers['idempotency-key'])).toEqual([
        tries[0]?.headers['idempotency-key'],
        tries[0]?.headers['idempotency-key'],
      ]);
      const [first, second] = tries.map(({ atMs }) => atMs) as [number, number];
      expect(second - first).toBeGreaterThanOrEqual(5_990);
      expect(second - first).toBeLessThan(30_000);
      expect(await ordersOf(scene.server, saleId)).toHaveLength(1);
    }));

it.concurrent('a wait outlasts a reload: the page comes back to its request and its key', () =>
  play(async (scene) => {
    const proxy = await proxied(scene);
    const saleId = await openSale(scene.server, { limitPerBuyer: null });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    proxy.befall(isOrderRequest, busy(503, 2));
    await sale.buy();
    await sale.reaches('try_later');
    await sale.page.reload();
    const state = await sale.reaches(['open', 'try_later', 'held', 'sending']);
    if (state === 'open') await sale.buy();
    await sale.reaches('held', 20_000);
    expect(await purchases(scene.server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
  }));

const asJson = (answer: Answered, change: Record<string, unknown>): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(answer.body.toString()), ...change }));

/** What a hot engine answers before the ledger has the order. */
const accepted = (answer: Answered): Answered => {
  const { orderId } = JSON.parse(answer.body.toString());
  return {
    status: 202,
    headers: { ...answer.headers, location: `/v1/orders/${orderId}` },
    body: asJson(answer, { status: 'accepted', expiresAt: null }),
  };
};

const orderIdIn = (path: string): string | null => /^\/v1\/orders\/([^/?]+)$/.exec(path)?.[1] ?? null;

const isOrderRead = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'GET' && /^\/v1\/(orders\/|sales\/[^/]+\/orders)/.test(path);

it.concurrent('an accepted order is shown as being confirmed, and asks by itself until it is held', () =>
  play(async (scene) => {
    const proxy = await proxied(scene);
    const saleId = await openSale(scene.server);
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.lights();
    proxy.befall(isOrderRequest, { kind: 'rewrite', change: accepted });
    const stillAccepted = (answer: Answered): Answered => ({
      ...answer,
      body: asJson(answer, { status: 'accepted', expiresAt: null }),
    });
    proxy.befall(({ path, method }) => method === 'GET' && path.startsWith('/v1/orders/'), {
      kind: 'rewrite',
      change: stillAccepted,
    });
    await sale.buy();
    await sale.reaches('accepted');
    expect(await sale.canBuy()).toBe(false);
    expect(await sale.action('pay').isVisible()).toBe(false);
    await sale.reaches('held', 20_000);
    expect(proxy.passed.filter(isOrderRead).length).toBeGreaterThanOrEqual(2);
    expect(proxy.passed.filter(isOrderRequest)).toHaveLength(1);
  }));

it.concurrent('an accepted order that the ledger refuses is said so; a new try has a new key', () =>
  play(async (scene) => {
    const proxy = await proxied(scene);
    const saleId = await openSale(scene.server, { limitPerBuyer: null });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.lights();
    proxy.befall(isOrderRequest, { kind: 'rewrite', change: accepted });
    // This one order, for good; whichever comes after it is real.
    let lost: string | null = null;
    proxy.befall(
      ({ path, method }) => {
        const orderId = method === 'GET' ? orderIdIn(path) : null;
        lost ??= orderId;
        return orderId !== null && orderId === lost;
      },
      {
        kind: 'rewrite',
        change: (answer) => ({ ...answer, body: asJson(answer, { status: 'refused', expiresAt: null }) }),
      },
      Number.POSITIVE_INFINITY,
    );
    await sale.buy();
    await sale.reaches('refused');
    expect(await sale.text('message')).not.toBe('');
    // At once: Buy is lit, so a press is a new order, and not the old one shown again.
    await sale.buy();
    await sale.reaches('held', 10_000);
    expect((await purchases(scene.server, saleId, visitor)).keys).toBe(2);
  }));

it.concurrent('an order that arrives behind its refusal, because its answer was lost, is found all the same', () =>
  play(async (scene) => {
    const proxy = await proxied(scene);
    const saleId = await openSale(scene.server, { limitPerBuyer: null });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    const notEligible = { code: 'not_eligible', status: 403, retryable: false, effect: 'none', requestId: 'planted' };
    proxy.befall(isOrderRequest, { kind: 'cut' });
    proxy.befall(isOrderRequest, {
      kind: 'answer',
      status: 403,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ type: 'about:blank', title: 'Not eligible', ...notEligible }),
    });
    await sale.buy();
    await sale.reaches('not_eligible', 30_000);
    await orderElsewhere(scene.server, saleId, 'ann');
    await sale.reaches('held', 10_000);
  }));

it.concurrent('a slow network: 600 ms each way and 8 KB a second still sell', () =>
  play(async (scene) => {
    const visitor = await scene.visitor();
    const saleId = await scheduledSale(scene.server, { opensAt: inSeconds(8) });
    const page = await visitor.tab();
    const cdp = await visitor.context.newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 1_200,
      downloadThroughput: 8_192,
      uploadThroughput: 8_192,
    });
    await page.goto(scene.saleUrl(saleId, 'ann'), { waitUntil: 'domcontentloaded' });
    const sale = new SalePage(page);
    await sale.reaches(['scheduled', 'open'], 30_000);
    await sale.lights();
    await sale.buy();
    await sale.reaches('held', 30_000);
    await sale.press('pay');
    await sale.reaches('paid', 30_000);
    expect(await ordersOf(scene.server, saleId)).toHaveLength(1);
  }));

it.concurrent('a phone that was offline over the opening lights Buy when it is back', () =>
  play(async (scene) => {
    const saleId = await scheduledSale(scene.server, { opensAt: inSeconds(3_600) });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('scheduled');
    const opensAt = await move(scene.server, saleId, 'opensAt', 3);
    await sale.lookAgain();
    await visitor.context.setOffline(true);
    await until('the opening is a second ago', 10_000, async () => Date.now() > Date.parse(opensAt) + 1_000);
    expect(await sale.canBuy()).toBe(false);
    await visitor.context.setOffline(false);
    await sale.buy();
    await sale.reaches('held');
  }));
