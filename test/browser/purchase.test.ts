/**
 * A purchase on the page, from the countdown to the paid order, and everything that a person does to it on the way:
 * reloading, double clicking, opening it twice, buying with the keyboard alone.
 */
import { expect, it } from 'vitest';
import { expectOk, inSeconds, item, levels, newId, until } from '../support/expecting.ts';
import { FaultProxy, isOrderRequest } from '../support/fault-proxy.ts';
import {
  buyTwiceCarelessly,
  doubleClick,
  move,
  openSale,
  orderElsewhere,
  ordersOf,
  purchases,
  scheduledSale,
} from './support/buying.ts';
import type { SalePage } from './support/sale-page.ts';
import { stage } from './support/stage.ts';

const play = stage();

it.concurrent('from the countdown through the order to paid; Buy is dark before the opening', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await scheduledSale(server, { opensAt: inSeconds(3_600) });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('scheduled');
    expect(await sale.canBuy()).toBe(false);
    expect(await sale.countdownSeconds()).toBeGreaterThan(3_000);
    const opensAt = await move(server, saleId, 'opensAt', 4);
    await sale.lookAgain();

    expect(await sale.lights()).toBeGreaterThanOrEqual(Date.parse(opensAt));
    expect(await sale.state()).toBe('open');
    await sale.buy();
    await sale.reaches('held');
    expect(await levels(server, saleId)).toMatchObject({ available: 9, held: 1, sold: 0 });
    const [order] = await ordersOf(server, saleId);
    expect(await sale.text('deadline')).toMatch(/\d/);

    await sale.press('pay');
    await sale.reaches('paid');
    expect(await levels(server, saleId)).toMatchObject({ available: 9, held: 0, sold: 1 });
    expect(await sale.text('order-id')).toContain(order?.orderId as string);
    const states = (await sale.events()).filter(({ name }) => name === 'state').map(({ detail }) => detail.state);
    expect(states.filter((state) => state !== 'loading')).toEqual(['scheduled', 'open', 'sending', 'held', 'paid']);
  }));

it.concurrent('the state file lights Buy, not the countdown: while it says scheduled, zero is not enough', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const opensAt = inSeconds(3);
    const saleId = await scheduledSale(server, { opensAt });
    const early = await server.request('GET', `/v1/sales/${saleId}/state`);
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=1' };
    proxy.befall(
      ({ path }) => path.includes('/state'),
      { kind: 'answer', status: 200, headers, body: early.text },
      Number.POSITIVE_INFINITY,
    );
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));
    await sale.reaches('scheduled');
    await until('the opening is a second and a half ago', 10_000, async () => {
      expect(await sale.canBuy()).toBe(false);
      return Date.now() > Date.parse(opensAt) + 1_500;
    });
    proxy.heal();
    await sale.buy();
    await sale.reaches('held');
  }));

it.concurrent('H025 a double click 80 ms apart ends on the success view of one order', () =>
  play(async (scene) => {
    const { server } = scene;
    // The second press must neither order again nor press what has come to stand where Buy was.
    const visitor = await scene.visitor();
    for (const limitPerBuyer of [1, null]) {
      const saleId = await openSale(server, { limitPerBuyer });
      const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
      await sale.lights();
      await doubleClick(sale.page, 'doorbuster-sale [data-action="buy"]', 80);
      await sale.reaches('held');
      const seen = new Set<string | null>();
      const endMs = Date.now() + 1_000;
      await until('a second has passed', 5_000, async () => {
        seen.add(await sale.state());
        return Date.now() > endMs;
      });
      expect([...seen]).toEqual(['held']);
      expect(await purchases(server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
      expect((await ordersOf(server, saleId))[0]?.status).toBe('held');
      await sale.page.close();
    }
  }));

it.concurrent('two tabs that buy at once make one order, and both show it', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { limitPerBuyer: null });
    const visitor = await scene.visitor();
    const one = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await one.reaches('open');
    const two = await visitor.open(scene.saleUrl(saleId));
    await Promise.all([one, two].map((tab) => tab.lights()));
    // Only one of two tabs can be in front: the other is pressed without a pointer.
    await Promise.all([one, two].map((tab) => tab.pressUnseen('buy')));
    await Promise.all([one, two].map((tab) => tab.reaches('held', 30_000)));
    expect(await purchases(server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
    const ids = await Promise.all([one, two].map((tab) => tab.text('order-id')));
    expect(ids[0]).toBe(ids[1]);
  }));

it.concurrent('canary: a page that orders twice is noticed by what counts orders and keys', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { limitPerBuyer: null });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId));
    await buyTwiceCarelessly(sale.page, { saleId, token: server.token('ann') });
    expect(await purchases(server, saleId, visitor)).toEqual({ orders: 2, keys: 2 });
  }));

it.concurrent('a reload in the middle of each step loses nothing and orders nothing twice', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const saleId = await openSale(server, { limitPerBuyer: null });
    const visitor = await scene.visitor({ allow: [proxy.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann', proxy.url));

    // While sending: the request is on its way and its answer has nobody to come to.
    proxy.befall(isOrderRequest, { kind: 'delay', ms: 1_000 });
    await sale.buy();
    await sale.reaches('sending');
    await sale.page.reload();
    await sale.reaches('held');
    const [order] = await ordersOf(server, saleId);
    expect(await purchases(server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });

    // While held: the same order with the same end.
    await sale.page.reload();
    await sale.reaches('held');
    expect(await sale.text('order-id')).toContain(order?.orderId as string);
    const [reloaded] = await ordersOf(server, saleId);
    expect(reloaded).toMatchObject({ orderId: order?.orderId, expiresAt: order?.expiresAt });

    // While paying: paid once, and said so.
    proxy.befall(({ path }) => path.endsWith('/demo-payment'), { kind: 'delay', ms: 600 });
    await sale.press('pay');
    await until('the payment is on its way', 5_000, async () =>
      proxy.passed.some(({ path }) => path.endsWith('/demo-payment')),
    );
    await sale.page.reload();
    await sale.reaches('paid');
    await sale.page.reload();
    await sale.reaches('paid');
    expect(await sale.text('order-id')).toContain(order?.orderId as string);
    expect(await levels(server, saleId)).toMatchObject({ available: 9, held: 0, sold: 1 });
  }));

it.concurrent('H011 A holds the last unit, reloads and submits again: the same hold, never sold out', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { items: [item({ stock: 1 })] });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('held');
    const [before] = await ordersOf(server, saleId);
    // The hold made the sale all_held for everybody else: the reloaded page must still know its own.
    expect(expectOk(await server.request('GET', `/v1/sales/${saleId}/state`)).items[0].availability).toBe('all_held');
    await sale.page.reload();
    expect(await sale.reaches(['held', 'sold_out', 'all_held', 'limit_reached'])).toBe('held');
    if (await sale.canBuy()) await sale.press('buy');
    await sale.reaches('held');

    // The same buyer on a device that knows nothing yet: the same hold there.
    const other = await scene.visitor();
    const there = await other.open(scene.saleUrl(saleId, 'ann'));
    expect(await there.reaches(['held', 'sold_out', 'all_held', 'limit_reached'])).toBe('held');
    expect(await there.text('order-id')).toBe(await sale.text('order-id'));
    expect(await ordersOf(server, saleId)).toEqual([before]);
    await there.press('pay');
    await there.reaches('paid');
    await sale.reaches('paid');
  }));

/** Whether the focus is on this control, in the page's shadow root. */
const isFocused = (sale: SalePage, action: string): Promise<boolean> =>
  sale.page.evaluate(
    `document.querySelector('doorbuster-sale')?.shadowRoot?.activeElement?.getAttribute('data-action') === '${action}'`,
  );

async function tabTo(sale: SalePage, action: string): Promise<void> {
  for (let presses = 0; presses < 25; presses += 1) {
    if (await isFocused(sale, action)) return;
    await sale.page.keyboard.press('Tab');
  }
  throw new Error(`${action} is not reached by Tab`);
}

it.concurrent('the whole purchase by keyboard alone; the focus is never lost', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.lights();
    await tabTo(sale, 'buy');
    await sale.page.keyboard.press('Enter');
    await sale.reaches('held');
    const focused = 'document.activeElement?.localName';
    expect(await sale.page.evaluate(focused)).toBe('doorbuster-sale');
    await tabTo(sale, 'pay');
    await sale.page.keyboard.press('Enter');
    await sale.reaches('paid');
    expect(await sale.page.evaluate(focused)).toBe('doorbuster-sale');
    expect(await levels(server, saleId)).toMatchObject({ sold: 1 });
  }));

it.concurrent('a guest buys where the sale allows it, and is the same guest after a reload', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { guests: true, limitPerBuyer: 1 });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId));
    await sale.reaches('open');
    expect(visitor.asked.some(({ url }) => url.endsWith('/guests'))).toBe(false);
    await sale.buy();
    await sale.reaches('held');
    await sale.page.reload();
    await sale.reaches('held');
    await sale.press('pay');
    await sale.reaches('paid');
    expect(await purchases(server, saleId, visitor)).toEqual({ orders: 1, keys: 1 });
    expect(visitor.asked.filter(({ url }) => url.endsWith('/guests'))).toHaveLength(1);
  }));

it.concurrent('who is not signed in is told so, where guests are not allowed', () =>
  play(async (scene) => {
    const saleId = await openSale(scene.server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId));
    await sale.reaches('sign_in');
    expect(await sale.canBuy()).toBe(false);
    expect(visitor.orderRequests()).toEqual([]);
    // A token that the server does not accept is no token.
    const forged = await scene.visitor();
    const there = await forged.open(`${scene.saleUrl(saleId)}#token=${scene.server.token('ann', { exp: 1 })}`);
    if ((await there.reaches(['open', 'sign_in'])) === 'open') await there.buy();
    await there.reaches('sign_in');
  }));

it.concurrent('a token that the merchant route minted opens the door, and leaves the address at once', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const buyerId = newId('minted');
    const minted = await server.merchant('POST', '/v1/merchant/buyer-tokens', { buyers: [{ id: buyerId }] });
    const visitor = await scene.visitor();
    const sale = await visitor.open(`${scene.saleUrl(saleId)}#token=${expectOk(minted).tokens[0].token}`);
    await sale.reaches('open');
    expect(await sale.page.evaluate('location.href')).toBe(scene.saleUrl(saleId));
    expect(await sale.page.evaluate('history.length')).toBeLessThanOrEqual(2);
    await sale.buy();
    await sale.reaches('held');
    const own = expectOk(await server.shopper(buyerId, 'GET', `/v1/sales/${saleId}/orders`));
    expect(own.items).toHaveLength(1);
  }));

it.concurrent('an order that was cancelled on the page gives its unit back', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('held');
    await sale.press('cancel');
    // It asks whether this is meant, and takes no double click for an answer.
    expect(await sale.state()).toBe('held');
    await sale.page.waitForTimeout(700);
    await sale.press('cancel');
    await sale.reaches('cancelled');
    expect(await levels(server, saleId)).toMatchObject({ available: 10, held: 0 });
    expect((await ordersOf(server, saleId)).map(({ status }) => status)).toEqual(['cancelled']);
    // Who thinks better of it buys again, at once: Buy is lit, so a press is a new order.
    await sale.buy();
    await sale.reaches('held', 10_000);
    expect(await purchases(server, saleId, visitor)).toEqual({ orders: 2, keys: 2 });
  }));

it.concurrent('contact and delivery are kept with the order; what was typed stays while the seconds run', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('held');
    const field = (name: string) => sale.page.locator(`doorbuster-sale [name="${name}"]`);
    await field('contact').fill('ann@shop.example');
    await field('delivery').fill('1 Long Lane\nOld Town');
    const shown = await sale.text('deadline');
    await until('a second has run', 10_000, async () => (await sale.text('deadline')) !== shown);
    expect(await field('contact').inputValue()).toBe('ann@shop.example');
    await sale.press('save-details');
    await until('the details are with the order', 10_000, async () => {
      const [order] = await ordersOf(server, saleId);
      return JSON.stringify(order?.details ?? null).includes('Old Town');
    });
    expect((await ordersOf(server, saleId))[0]?.details).toEqual({
      contact: 'ann@shop.example',
      delivery: '1 Long Lane\nOld Town',
    });
    await sale.press('pay');
    await sale.reaches('paid');
    expect(await field('delivery').inputValue()).toContain('Old Town');
  }));

it.concurrent('of several items and several units the chosen ones are ordered', () =>
  play(async (scene) => {
    const { server } = scene;
    const items = [item(), item({ sku: 'tee-l', title: 'Tee L', priceMinor: 3000 })];
    const saleId = await openSale(server, { items, limitPerBuyer: 3 });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.lights();
    await sale.page.getByRole('radio', { name: /Tee L/ }).check();
    await sale.page.getByRole('combobox').selectOption('2');
    expect(await sale.label('buy')).toContain('60.00');
    await sale.buy();
    await sale.reaches('held');
    expect(await ordersOf(server, saleId)).toMatchObject([{ sku: 'tee-l', quantity: 2, status: 'held' }]);
  }));

it.concurrent('where the shop takes the money itself, Pay leads to its own address with the order', () =>
  play(async (scene) => {
    const { server } = scene;
    const payUrl = 'https://shop.example/pay?shop=1';
    const saleId = await openSale(server, { demoPayment: false, payUrl });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('held');
    const [order] = await ordersOf(server, saleId);
    const address = new URL((await sale.action('pay').getAttribute('href')) as string);
    expect(address.origin + address.pathname).toBe('https://shop.example/pay');
    expect(Object.fromEntries(address.searchParams)).toEqual({ shop: '1', saleId, orderId: order?.orderId });
    // Paid over there: the page learns of it by itself.
    await server.pay({ orderId: order?.orderId as string, amountMinor: 2500, currency: 'EUR' });
    await sale.reaches('paid');
  }));

it.concurrent('the limit is said in words, with the order that fills it', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.lights();
    // On another device, while this page shows Buy.
    const elsewhere = await orderElsewhere(server, saleId, 'ann');
    await server.pay(elsewhere);
    await sale.buy();
    const state = await sale.reaches(['limit_reached', 'paid']);
    if (state === 'limit_reached') expect(await sale.text('message')).not.toBe('');
    else expect(await sale.text('order-id')).toContain(elsewhere.orderId);
    expect(await ordersOf(server, saleId)).toHaveLength(1);
    expect(await sale.canBuy()).toBe(false);
  }));
