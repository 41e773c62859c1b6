/**
 * The sale on the shop's own page, which is another origin: the component of `examples/embed`, CORS by the sale's
 * origins, and events for the shop's code.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { axeFaults } from './support/axe.ts';
import { openSale, ordersOf } from './support/buying.ts';
import { watchPage } from './support/in-page.ts';
import { SalePage, shownText } from './support/sale-page.ts';
import type { Scene, Visitor } from './support/scene.ts';
import { type ShopFront, startShopFront } from './support/shop-front.ts';
import { stage } from './support/stage.ts';

const play = stage();

/** The example as it stands in the repository, with this server and this sale in the place of its own. */
const read = (name: string): string => readFileSync(new URL(`../../examples/embed/${name}`, import.meta.url), 'utf8');
const example = read('index.html');
const EXAMPLE_SERVER = 'http://127.0.0.1:8080';
const EXAMPLE_SALE = 'sale="autumn-drop"';

interface Shop {
  readonly front: ShopFront;
  show(saleId: string): void;
}

async function shopOf(scene: Scene): Promise<Shop> {
  const files = new Map<string, readonly [string, string]>();
  const front = await startShopFront(files);
  scene.finally(() => front.close());
  return {
    front,
    show: (saleId) => {
      expect(example).toContain(EXAMPLE_SERVER);
      expect(example).toContain(EXAMPLE_SALE);
      files.set('/shop.js', ['text/javascript', read('shop.js')]);
      const html = example.replaceAll(EXAMPLE_SERVER, scene.server.url).replace(EXAMPLE_SALE, `sale="${saleId}"`);
      files.set('/', ['text/html; charset=utf-8', html]);
    },
  };
}

/** Opens the shop's page as its signed-in customer: the shop's code hands the token to the element. */
async function signedIn(visitor: Visitor, url: string, token: string): Promise<SalePage> {
  const page = await visitor.tab();
  await page.addInitScript(`window.buyerToken = '${token}'`);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  return new SalePage(page);
}

it.concurrent('embedded on another origin that the sale names: bought, paid, and told to the shop’s code', () =>
  play(async (scene) => {
    const { server } = scene;
    const shop = await shopOf(scene);
    const saleId = await openSale(server, { origins: [shop.front.url] });
    shop.show(saleId);
    const visitor = await scene.visitor({ allow: [shop.front.url] });
    const token = server.token('ann');
    const sale = await signedIn(visitor, shop.front.url, token);
    await sale.buy();
    await sale.reaches('held');
    await sale.press('pay');
    await sale.reaches('paid');
    const [order] = await ordersOf(server, saleId);
    const events = await sale.events();
    const named = (name: string) => events.filter((event) => event.name === name).map(({ detail }) => detail);
    expect(named('state').map(({ state }) => state)).toEqual(
      expect.arrayContaining(['open', 'sending', 'held', 'paid']),
    );
    expect(JSON.stringify(named('order'))).toContain(order?.orderId);
    expect(JSON.stringify(named('paid'))).toContain(order?.orderId);
    expect(JSON.stringify(events)).not.toContain(token);
    // What the shop's own code made of the events.
    expect(await shownText(sale.page.locator('#log'))).toContain(`${order?.orderId} is paid`);
    expect(await axeFaults(sale.page)).toEqual([]);
  }));

it.concurrent('the shop’s code is told of a refusal', () =>
  play(async (scene) => {
    const { server } = scene;
    const shop = await shopOf(scene);
    const saleId = await openSale(server, { origins: [shop.front.url] });
    shop.show(saleId);
    const visitor = await scene.visitor({ allow: [shop.front.url] });
    await visitor.context.route('**/v1/sales/*/orders?*', (route) =>
      route.fulfill({
        status: 403,
        headers: { 'access-control-allow-origin': shop.front.url, 'content-type': 'application/problem+json' },
        body: JSON.stringify({
          type: 'about:blank',
          title: 'Not eligible',
          status: 403,
          requestId: 'planted',
          code: 'not_eligible',
          retryable: false,
          effect: 'none',
        }),
      }),
    );
    const sale = await signedIn(visitor, shop.front.url, server.token('ann'));
    await sale.buy();
    await sale.reaches('not_eligible');
    const refused = (await sale.events()).filter(({ name }) => name === 'refused');
    expect(JSON.stringify(refused)).toContain('not_eligible');
  }));

it.concurrent('on an origin that the sale does not name nothing can be read or bought', () =>
  play(async (scene) => {
    const { server } = scene;
    const shop = await shopOf(scene);
    const saleId = await openSale(server, { origins: ['https://shop.example'] });
    shop.show(saleId);
    const visitor = await scene.visitor({ allow: [shop.front.url] });
    const blocked = visitor.context.waitForEvent('requestfailed', { timeout: 15_000 });
    const sale = await signedIn(visitor, shop.front.url, server.token('ann'));
    expect((await blocked).url()).toContain('/v1/');
    expect(await sale.canBuy()).toBe(false);
    expect(visitor.orderRequests()).toEqual([]);
    expect(await sale.allText()).not.toContain('Test sale');
  }));

it.concurrent('a page with a strict policy of its own can embed it: its server in script-src and connect-src is enough', () =>
  play(async (scene) => {
    const { server } = scene;
    const files = new Map<string, readonly [string, string]>();
    const front = await startShopFront(files);
    scene.finally(() => front.close());
    const saleId = await openSale(server, { origins: [front.url] });
    const script = /<script[^>]*src="([^"]+)"[^>]*>/.exec(example.replaceAll(EXAMPLE_SERVER, server.url));
    const policy = `default-src 'none'; script-src ${server.url}; connect-src ${server.url}; img-src ${server.url}`;
    files.set('/', [
      'text/html; charset=utf-8',
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
       <meta http-equiv="content-security-policy" content="${policy}">
       ${script?.[0]}</script><main><doorbuster-sale sale="${saleId}"></doorbuster-sale></main>`,
    ]);
    const visitor = await scene.visitor({ allow: [front.url] });
    await visitor.context.addInitScript(watchPage);
    const page = await visitor.tab();
    await page.goto(`${front.url}/#token=${server.token('ann')}`);
    const sale = new SalePage(page);
    await sale.buy();
    await sale.reaches('held');
  }));
