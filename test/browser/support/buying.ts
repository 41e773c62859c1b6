/** What a test needs to know of a sale behind the page, asked of the merchant's side and not of the page. */
import type { Page } from 'playwright-core';
import { expectOk, inSeconds, saleIn } from '../../support/expecting.ts';
import type { TestServer } from '../../support/server.ts';
import type { Visitor } from './scene.ts';

/** An open sale with the demo's payment provider; `change` as in the body of a sale. */
export const openSale = (server: TestServer, change: Record<string, unknown> = {}): Promise<string> =>
  saleIn(server, 'open', { demoPayment: true, ...change });

export const scheduledSale = (server: TestServer, change: Record<string, unknown> = {}): Promise<string> =>
  saleIn(server, 'scheduled', { demoPayment: true, ...change });

/**
 * Moves the opening or the end of a sale to so many seconds from now, and hands the instant back. A page that is to be
 * seen before it is opened long before it: a slow machine then makes a test slow, and not wrong.
 */
export async function move(
  server: TestServer,
  saleId: string,
  what: 'opensAt' | 'endsAt',
  seconds: number,
): Promise<string> {
  const at = inSeconds(seconds);
  const correction = { set: { [what]: at }, reason: 'the test goes on' };
  expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/corrections`, correction));
  return at;
}

export interface OrderSeen {
  readonly orderId: string;
  readonly sku: string;
  readonly status: string;
  readonly quantity: number;
  readonly expiresAt: string | null;
  readonly details?: unknown;
}

/** All orders of a sale, whoever made them. */
export async function ordersOf(server: TestServer, saleId: string): Promise<readonly OrderSeen[]> {
  return expectOk(await server.merchant('GET', `/v1/merchant/sales/${saleId}/orders?limit=500`)).items;
}

/** An order that was not made on this page: another buyer's, or the same buyer's on another device. */
export async function orderElsewhere(
  server: TestServer,
  saleId: string,
  buyerId: string,
  quantity = 1,
): Promise<{ orderId: string; amountMinor: number; currency: string; expiresAt: string }> {
  const { purchaseKey } = expectOk(await server.request('GET', `/v1/sales/${saleId}/state`));
  return expectOk(await server.order({ saleId, purchaseKey }, buyerId, { quantity }), 201);
}

export interface Purchases {
  /** Orders that the sale has. */
  readonly orders: number;
  /** Different idempotency keys that the browser sent. */
  readonly keys: number;
}

/** What a double click or a second tab may never raise above one. */
export async function purchases(server: TestServer, saleId: string, visitor: Visitor): Promise<Purchases> {
  const asked = visitor.orderRequests().filter(({ url }) => url.includes(`/${saleId}/`));
  const keys = new Set(asked.map(({ headers }) => headers['idempotency-key']));
  return { orders: (await ordersOf(server, saleId)).length, keys: keys.size };
}

/** What a careless page would do: two orders at once, each with a key of its own. For the canaries. */
export async function buyTwiceCarelessly(page: Page, given: { saleId: string; token: string }): Promise<void> {
  await page.evaluate(`(async () => {
    const { saleId, token } = ${JSON.stringify(given)};
    const { purchaseKey } = await (await fetch('/v1/sales/' + saleId + '/state')).json();
    const order = async (key) => {
      const answer = await fetch('/v1/sales/' + saleId + '/orders?key=' + encodeURIComponent(purchaseKey), {
        method: 'POST',
        headers: {
          authorization: 'Bearer ' + token,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ sku: 'tee-m', quantity: 1 }),
      });
      // Busy: not taken.
      if (answer.status === 503) return order(key);
      if (answer.status !== 201) throw new Error(answer.status + ' ' + (await answer.text()));
    };
    await Promise.all([order(crypto.randomUUID()), order(crypto.randomUUID())]);
  })()`);
}

/** Two presses of a mouse button on one spot, whatever has come to stand there in between. */
export async function doubleClick(page: Page, selector: string, apartMs: number): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await new Promise((resolve) => setTimeout(resolve, apartMs));
  await page.mouse.click(x, y);
}
