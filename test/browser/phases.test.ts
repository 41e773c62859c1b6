/** What the page shows as the sale goes on around it, and as an order ends in each of the ways that it can end. */
import { expect, it } from 'vitest';
import { expectOk, item, levels, until } from '../support/expecting.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { TestServer } from '../support/server.ts';
import { openSale, orderElsewhere, ordersOf } from './support/buying.ts';
import { stage } from './support/stage.ts';

const play = stage();

const act = async (server: TestServer, saleId: string, name: string): Promise<void> => {
  expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/${name}`));
};

it.concurrent('paused, resumed and ended: Buy goes dark, is lit again, and is gone', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.lights();
    await act(server, saleId, 'pause');
    await sale.reaches('paused');
    expect(await sale.canBuy()).toBe(false);
    await act(server, saleId, 'resume');
    await sale.reaches('open');
    await sale.lights();
    await act(server, saleId, 'end');
    await sale.reaches('ended');
    expect(await sale.canBuy()).toBe(false);
  }));

it.concurrent('a press on Buy in the very moment of a pause is answered by the pause, and sells after it', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const saleId = await openSale(server);
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.lights();
    const still = await server.request('GET', `/v1/sales/${saleId}/state`);
    const headers = { 'content-type': 'application/json' };
    // The page has not heard of it yet.
    proxy.befall(({ path }) => path.includes('/state'), { kind: 'answer', status: 200, headers, body: still.text }, 2);
    await act(server, saleId, 'pause');
    await sale.press('buy');
    await sale.reaches(['paused', 'try_later']);
    await act(server, saleId, 'resume');
    const state = await sale.reaches(['open', 'held'], 20_000);
    if (state === 'open') await sale.buy();
    await sale.reaches('held', 20_000);
    expect(await ordersOf(server, saleId)).toHaveLength(1);
  }));

it.concurrent('all held: the page keeps watching, and lights Buy again when a hold expires', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { items: [item({ stock: 1 })] });
    const held = await orderElsewhere(server, saleId, 'bob');
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('all_held');
    expect(await sale.canBuy()).toBe(false);
    await server.pay(held, { result: 'expired' });
    await sale.reaches('open');
    await sale.buy();
    await sale.reaches('held');
    await sale.press('pay');
    await sale.reaches('paid');
  }));

it.concurrent('sold out is said, also to who was a moment too late; new units light Buy again', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const saleId = await openSale(server, { items: [item({ stock: 1 })] });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.lights();
    const still = await server.request('GET', `/v1/sales/${saleId}/state`);
    const headers = { 'content-type': 'application/json' };
    proxy.befall(({ path }) => path.includes('/state'), { kind: 'answer', status: 200, headers, body: still.text }, 2);
    await server.pay(await orderElsewhere(server, saleId, 'bob'));
    await sale.press('buy');
    await sale.reaches('sold_out');
    expect(await sale.canBuy()).toBe(false);
    const more = { delta: 1, reason: 'one was found' };
    expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/items/tee-m/stock`, more));
    await sale.reaches('open', 20_000);
    await sale.buy();
    await sale.reaches('held');
  }));

it.concurrent('a hold that runs out is said to have expired, and the buyer may try again', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { holdSeconds: 5 });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('held');
    await sale.reaches('expired', 20_000);
    expect(await sale.text('message')).not.toBe('');
    await until('the unit is back', 5_000, async () => (await levels(server, saleId)).available === 10);
    await sale.reaches(['expired', 'open']);
    await sale.buy();
    await sale.reaches('held');
    expect((await ordersOf(server, saleId)).map(({ status }) => status).sort()).toEqual(['expired', 'held']);
  }));

it.concurrent('a paid order that the shop cancels is refund_due, then refunded, and is never offered for payment', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const order = await orderElsewhere(server, saleId, 'ann');
    await server.pay(order, { paymentId: `pay-${order.orderId}` });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('paid');
    const cancel = { returnToStock: true, reason: 'damaged' };
    expectOk(await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, cancel));
    await sale.page.reload();
    await sale.reaches('refund_due');
    expect(await sale.action('pay').isVisible()).toBe(false);
    const refunded = { paymentId: `pay-${order.orderId}`, reason: 'sent back' };
    expectOk(await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/refunded`, refunded));
    await sale.page.reload();
    await sale.reaches('refunded');
    expect(await sale.action('pay').isVisible()).toBe(false);
  }));

it.concurrent('where payment takes the unit, an order is placed, then paid', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { deductAt: 'payment' });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('placed');
    expect(await levels(server, saleId)).toMatchObject({ available: 10 });
    await sale.press('pay');
    await sale.reaches('paid');
  }));

it.concurrent('a sale that does not exist, or is a draft, is not found', () =>
  play(async (scene) => {
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl('no-such-sale', 'ann'));
    await sale.reaches('not_found');
    expect(await sale.canBuy()).toBe(false);
  }));

it.concurrent('H096 back by the button after the state changed: Buy is not offered before the state is fresh', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const saleId = await openSale(server, { items: [item({ stock: 1 })] });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.lights();
    await sale.page.goto(`${proxy.url}/ended`);
    await server.pay(await orderElsewhere(server, saleId, 'bob'));
    proxy.befall(({ path }) => path.includes('/state'), { kind: 'delay', ms: 1_000 });
    await sale.page.goBack({ waitUntil: 'commit' });
    await until('the fresh state is shown', 20_000, async () => {
      expect(await sale.canBuy().catch(() => false)).toBe(false);
      return (await sale.state().catch(() => null)) === 'sold_out';
    });
    expect(visitor.orderRequests()).toEqual([]);
  }));

it.concurrent('H096 a page that comes back from the freezer: Buy is dark until the state is fresh', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const saleId = await openSale(server, { items: [item({ stock: 1 })] });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.lights();
    const cdp = await visitor.context.newCDPSession(sale.page);
    await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
    await server.pay(await orderElsewhere(server, saleId, 'bob'));
    proxy.befall(({ path }) => path.includes('/state'), { kind: 'delay', ms: 1_500 }, 3);
    await cdp.send('Page.setWebLifecycleState', { state: 'active' });
    // What the browser says when it takes a page out of its back/forward cache.
    await sale.page.evaluate(`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await until('the fresh state is shown', 20_000, async () => {
      expect(await sale.canBuy()).toBe(false);
      return (await sale.state()) === 'sold_out';
    });
    expect(visitor.orderRequests()).toEqual([]);
  }));

it.concurrent('H066 a scanner that opens every address of the sale takes nothing and uses nothing up', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const { purchaseKey } = expectOk(await server.request('GET', `/v1/sales/${saleId}/state`));
    const scanner = await scene.visitor();
    const sale = await scanner.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('open');
    const addresses = new Set(scanner.asked.map(({ url }) => url.slice(server.url.length)));
    addresses.add(`/v1/sales/${saleId}/orders?key=${encodeURIComponent(purchaseKey)}`);
    for (const address of addresses)
      for (const method of ['GET', 'HEAD', 'OPTIONS']) await server.request(method, address);
    expect(await levels(server, saleId)).toMatchObject({ available: 10, held: 0 });
    const visitor = await scene.visitor();
    const own = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await own.buy();
    await own.reaches('held');
    expect(await ordersOf(server, saleId)).toHaveLength(1);
  }));
