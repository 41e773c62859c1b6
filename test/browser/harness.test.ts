/** What judges the pages must see what is wrong: each watch and each proxy is shown a fault that it must notice. */
import { expect, it } from 'vitest';
import { startCachingProxy } from '../support/caching-proxy.ts';
import { FaultProxy, isOrderRequest } from '../support/fault-proxy.ts';
import { axeFaults } from './support/axe.ts';
import { openSale, ordersOf } from './support/buying.ts';
import { liveText, movingThings, sidewaysPx } from './support/in-page.ts';
import { startShopFront } from './support/shop-front.ts';
import { stage } from './support/stage.ts';

const play = stage();

it.concurrent('a request to another host is a fault of the visitor', () =>
  play(async (scene) => {
    const stranger = await startShopFront(new Map());
    scene.finally(() => stranger.close());
    const visitor = await scene.visitor();
    const page = await visitor.tab();
    await page.setContent(`<img src="${stranger.url}/pixel.gif" alt="">`);
    await page.waitForLoadState('load');
    expect(stranger.asked).toEqual(['/pixel.gif']);
  }, /another host was asked: .*pixel\.gif/));

it.concurrent('a token in an address, an uncaught error and a breach of the policy are faults too', async () => {
  await play(async (scene) => {
    const page = await (await scene.visitor()).tab();
    await page.goto(`${scene.server.url}/livez?token=${scene.server.token('ann')}`);
  }, /a token in an address/);
  await play(async (scene) => {
    const page = await (await scene.visitor()).tab();
    await Promise.all([
      page.context().waitForEvent('weberror'),
      page.setContent('<script>throw new Error("planted")</script>'),
    ]);
  }, /uncaught: planted/);
  await play(async (scene) => {
    const policy = '<meta http-equiv="content-security-policy" content="script-src \'none\'">';
    const front = await startShopFront(new Map([['/', ['text/html', `${policy}<script>var a</script>`]]]));
    scene.finally(() => front.close());
    const visitor = await scene.visitor({ allow: [front.url] });
    const page = await visitor.tab();
    await Promise.all([page.waitForEvent('console'), page.goto(front.url)]);
  }, /Content Security Policy/);
});

it.concurrent('axe sees a planted fault in light and in shadow', () =>
  play(async (scene) => {
    const page = await (await scene.visitor()).tab();
    const bad = '<p style="color:#999;background:#aaa">can you read this?</p><input><img src="data:,">';
    await page.setContent(`<html lang="en"><title>t</title><main>${bad}</main></html>`);
    expect((await axeFaults(page)).join('\n')).toMatch(/color-contrast[\s\S]*image-alt[\s\S]*label/);
    await page.setContent('<html lang="en"><title>t</title><main><div id="host"></div></main></html>');
    await page.evaluate(`document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '${bad}'`);
    expect((await axeFaults(page, 'colours')).join('\n')).toMatch(/color-contrast/);
    await page.setContent('<html lang="en"><title>t</title><main><p>well</p></main></html>');
    expect(await axeFaults(page)).toEqual([]);
  }));

it.concurrent('sideways scrolling, movement and announcements are measured, in the shadow root too', () =>
  play(async (scene) => {
    const page = await (await scene.visitor({ viewport: { width: 320, height: 600 } })).tab();
    await page.setContent('<doorbuster-sale></doorbuster-sale>');
    expect(await page.evaluate(sidewaysPx)).toBe(0);
    expect(await page.evaluate(movingThings).catch(() => 0)).toBe(0);
    await page.evaluate(`document.querySelector('doorbuster-sale').attachShadow({ mode: 'open' }).innerHTML =
      '<style>@keyframes turn { to { rotate: 1turn } } b { display: block; width: 400px; animation: turn 9s infinite }</style>' +
      '<b>wide</b><p aria-live="polite">said</p><p aria-live="off">not said</p>'`);
    expect(await page.evaluate(sidewaysPx)).toBeGreaterThan(0);
    expect(await page.evaluate(movingThings)).toBe(1);
    expect(await page.evaluate(liveText)).toBe('said');
  }));

it.concurrent('the fault proxy executes what it swallows, and does not execute what it cuts', () =>
  play(async (scene) => {
    const { server } = scene;
    const proxy = await FaultProxy.to(server.url);
    scene.finally(() => proxy.close());
    const saleId = await openSale(server);
    const { purchaseKey } = (await server.request('GET', `/v1/sales/${saleId}/state`)).body;
    const order = (key: string): Promise<number> =>
      fetch(`${proxy.url}/v1/sales/${saleId}/orders?key=${encodeURIComponent(purchaseKey)}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.token(key)}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ sku: 'tee-m', quantity: 1 }),
      }).then(
        ({ status }) => status,
        () => 0,
      );
    proxy.befall(isOrderRequest, { kind: 'cut' });
    expect(await order('a')).toBe(0);
    expect(await ordersOf(server, saleId)).toHaveLength(0);
    proxy.befall(isOrderRequest, { kind: 'swallow' });
    expect(await order('a')).toBe(0);
    expect(await ordersOf(server, saleId)).toHaveLength(1);
    expect(await order('a')).toBe(201);
    expect(await ordersOf(server, saleId)).toHaveLength(1);
    proxy.befall(isOrderRequest, { kind: 'rewrite', change: (answer) => ({ ...answer, status: 202 }) });
    expect(await order('a')).toBe(202);
    expect(proxy.passed.map(({ fault }) => fault)).toEqual(['cut', 'swallow', null, 'rewrite']);
    proxy.target = null;
    expect(await order('b')).toBe(0);
  }));

it.concurrent('the caching proxy hands A’s answer to B where nothing forbids it', () =>
  play(async (scene) => {
    const careless = await startShopFront(new Map([['/mine', ['text/plain', 'of A']]]));
    scene.finally(() => careless.close());
    const cache = await startCachingProxy(careless.url);
    scene.finally(() => cache.close());
    await (await fetch(`${cache.url}/mine`, { headers: { authorization: 'Bearer a' } })).text();
    expect(await (await fetch(`${cache.url}/mine`, { headers: { authorization: 'Bearer b' } })).text()).toBe('of A');
    expect(careless.asked).toEqual(['/mine']);
    expect(cache.hits()).toBe(1);
  }));
