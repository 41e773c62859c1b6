/**
 * How to bring the page into each state that a shopper can see: for the tests that look at all of them (accessibility,
 * widths, languages), and for the script that takes the pictures. Each makes a sale of its own.
 */
import { expectOk, inSeconds, item, newId } from '../../support/expecting.ts';
import { FaultProxy, isOrderRequest } from '../../support/fault-proxy.ts';
import { openSale, orderElsewhere, scheduledSale } from './buying.ts';
import type { PageState, SalePage } from './sale-page.ts';
import type { Scene, VisitorOptions } from './scene.ts';

export interface Sight {
  readonly state: PageState;
  /** `settings` are laid over the sale's body; what a sight needs for itself stays. */
  show(scene: Scene, options: VisitorOptions, settings: Record<string, unknown>): Promise<SalePage>;
}

type Settings = Record<string, unknown>;

interface Set {
  readonly scene: Scene;
  readonly options: VisitorOptions;
  readonly settings: Settings;
}

const sight = (state: PageState, show: (set: Set) => Promise<SalePage>): Sight => ({
  state,
  show: async (scene, options, settings) => {
    const page = await show({ scene, options, settings });
    await page.reaches(state, 30_000);
    return page;
  },
});

/** The sale's items with another stock. */
const withStock = (settings: Settings, stock: number): Settings => ({
  ...settings,
  items: ((settings.items as Settings[] | undefined) ?? [item()]).map((each) => ({ ...each, stock })),
});

async function visit({ scene, options }: Set, saleId: string, buyerId?: string): Promise<SalePage> {
  const visitor = await scene.visitor(options);
  return visitor.open(scene.saleUrl(saleId, buyerId));
}

/** The page behind a proxy that does something to the next order request. */
async function visitProxied(set: Set, saleId: string, befall: (proxy: FaultProxy) => void): Promise<SalePage> {
  const proxy = await FaultProxy.to(set.scene.server.url);
  set.scene.finally(() => proxy.close());
  befall(proxy);
  const visitor = await set.scene.visitor({ ...set.options, allow: [...(set.options.allow ?? []), proxy.url] });
  const page = await visitor.open(set.scene.saleUrl(saleId, newId('buyer'), proxy.url));
  await page.buy();
  return page;
}

/** The page of a buyer whose order has gone some way. */
async function withOrder(
  set: Set,
  change: Settings,
  go: (order: Awaited<ReturnType<typeof orderElsewhere>>) => Promise<unknown>,
): Promise<SalePage> {
  const { server } = set.scene;
  const saleId = await openSale(server, { ...set.settings, ...change });
  const buyerId = newId('buyer');
  const order = await orderElsewhere(server, saleId, buyerId);
  await go(order);
  return visit(set, saleId, buyerId);
}

const nothing = async (): Promise<void> => {};

export const sights = {
  scheduled: sight('scheduled', async (set) => {
    const opensAt = inSeconds(2 * 86_400 + 4 * 3_600 + 5 * 60);
    return visit(set, await scheduledSale(set.scene.server, { ...set.settings, opensAt }), 'ann');
  }),
  unscheduled: sight('scheduled', async (set) =>
    visit(set, await scheduledSale(set.scene.server, { ...set.settings, opensAt: null }), 'ann'),
  ),
  open: sight('open', async (set) => visit(set, await openSale(set.scene.server, set.settings), 'ann')),
  sign_in: sight('sign_in', async (set) => visit(set, await openSale(set.scene.server, set.settings))),
  sending: sight('sending', async (set) =>
    visitProxied(set, await openSale(set.scene.server, set.settings), (proxy) =>
      proxy.befall(isOrderRequest, { kind: 'hang' }, Number.POSITIVE_INFINITY),
    ),
  ),
  try_later: sight('try_later', async (set) =>
    visitProxied(set, await openSale(set.scene.server, set.settings), (proxy) =>
      proxy.befall(isOrderRequest, {
        kind: 'answer',
        status: 503,
        headers: { 'content-type': 'application/problem+json', 'retry-after': '60' },
        body: JSON.stringify({
          type: 'about:blank',
          title: 'Busy',
          status: 503,
          requestId: 'from-the-proxy',
          code: 'busy',
          retryable: true,
          effect: 'none',
          retryAfterMs: 60_000,
        }),
      }),
    ),
  ),
  accepted: sight('accepted', async (set) =>
    visitProxied(set, await openSale(set.scene.server, set.settings), (proxy) => {
      const asAccepted = (status: number) => ({
        kind: 'rewrite' as const,
        change: (answer: import('../../support/forward.ts').Answered) => {
          const order = JSON.parse(answer.body.toString());
          return {
            status,
            headers: { ...answer.headers, location: `/v1/orders/${order.orderId}` },
            body: Buffer.from(JSON.stringify({ ...order, status: 'accepted', expiresAt: null })),
          };
        },
      });
      proxy.befall(isOrderRequest, asAccepted(202));
      proxy.befall(
        ({ method, path }) => method === 'GET' && path.startsWith('/v1/orders/'),
        asAccepted(200),
        Number.POSITIVE_INFINITY,
      );
    }),
  ),
  held: sight('held', (set) => withOrder(set, {}, nothing)),
  placed: sight('placed', (set) => withOrder(set, { deductAt: 'payment' }, nothing)),
  paid: sight('paid', (set) => withOrder(set, {}, (order) => set.scene.server.pay(order))),
  expired: sight('expired', async (set) => {
    const saleId = await openSale(set.scene.server, { ...set.settings, holdSeconds: 5 });
    const page = await visit(set, saleId, newId('buyer'));
    await page.buy();
    return page;
  }),
  refund_due: sight('refund_due', (set) =>
    withOrder(set, {}, async (order) => {
      await set.scene.server.pay(order);
      const body = { returnToStock: false, reason: 'damaged' };
      expectOk(await set.scene.server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, body));
    }),
  ),
  all_held: sight('all_held', async (set) => {
    const saleId = await openSale(set.scene.server, withStock(set.settings, 1));
    await holdEverything(set, saleId);
    return visit(set, saleId, 'ann');
  }),
  sold_out: sight('sold_out', async (set) =>
    visit(set, await openSale(set.scene.server, withStock(set.settings, 0)), 'ann'),
  ),
  paused: sight('paused', async (set) => {
    const saleId = await openSale(set.scene.server, set.settings);
    expectOk(await set.scene.server.merchant('POST', `/v1/merchant/sales/${saleId}/pause`));
    return visit(set, saleId, 'ann');
  }),
  ended: sight('ended', async (set) => {
    const saleId = await openSale(set.scene.server, set.settings);
    expectOk(await set.scene.server.merchant('POST', `/v1/merchant/sales/${saleId}/end`));
    return visit(set, saleId, 'ann');
  }),
  not_found: sight('not_found', (set) => visit(set, newId('nothing'), 'ann')),
} as const satisfies Record<string, Sight>;

export type SightName = keyof typeof sights;

async function holdEverything({ scene: { server }, settings }: Set, saleId: string): Promise<void> {
  const { purchaseKey } = expectOk(await server.request('GET', `/v1/sales/${saleId}/state`));
  const items = (settings.items as { sku: string }[] | undefined) ?? [{ sku: 'tee-m' }];
  for (const { sku } of items) expectOk(await server.order({ saleId, purchaseKey }, newId('other'), { sku }), 201);
}
