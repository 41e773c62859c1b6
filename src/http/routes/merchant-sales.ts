/** The merchant's sales: make, list, read, edit and delete drafts, and the acts that lead a sale through its phases. */
import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from '../../core/act.ts';
import { type Refusal, refuse } from '../../core/outcomes.ts';
import type { SaleId } from '../../core/scalars.ts';
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import { newPurchaseKey, newSaleId } from '../../purchase/sale/new-names.ts';
import type { SaleBody } from '../../purchase/sale/sale-body.ts';
import { saleBody, saleForMerchant } from '../../purchase/sale/sale-representation.ts';
import { settingsOf } from '../../purchase/sale/sale-settings.ts';
import type { Shop } from '../../purchase/shop.ts';
import { keyed, requestKeyOf } from '../idempotency.ts';
import { answer, noSuchSale, type Outcome, saleOutcome } from '../outcome.ts';
import { pageBody, pageRequest } from '../pages.ts';
import { listOf, PageQuery, SaleParams } from '../schemas/common.ts';
import { CreateSale, PatchSale, SaleView } from '../schemas/sale.ts';
import { addRoute } from './route.ts';
import { Turns } from './turns.ts';

const SALES = '/v1/merchant/sales';
const SALE = `${SALES}/:saleId`;

export function addSaleRoutes(app: FastifyInstance, shop: Shop): void {
  addRoute(app, {
    method: 'POST',
    url: SALES,
    plane: 'merchant',
    summary: 'Make a draft',
    body: CreateSale,
    answers: { 201: SaleView },
    refusals: ['already_exists', 'idempotency_conflict'],
    handle: async ({ body, request }): Promise<Outcome> => {
      const { saleId = newSaleId(), ...rest } = body;
      const made = settingsOf(rest);
      if ('outcome' in made) return made;
      const verdict = await shop.desk.createSale(
        { saleId: saleId as SaleId, ...made },
        requestKeyOf(request, 'merchant'),
      );
      if (verdict.outcome === 'refused') return verdict;
      if (verdict.outcome !== 'sale') throw new Error(`making a sale ended as ${verdict.outcome}`);
      const live = shop.sales.admit({ sale: verdict.sale, items: verdict.items ?? made.items });
      // A replay shows the sale as it now stands, which this process may know better than the answer.
      return saleOutcome(verdict.replayed ? { ...verdict, sale: live.sale } : verdict, live, shop, 201);
    },
  });

  addRoute(app, {
    method: 'GET',
    url: SALES,
    plane: 'merchant',
    summary: 'All sales, drafts too',
    query: PageQuery,
    answers: { 200: listOf(SaleView) },
    handle: async ({ query }) => {
      const page = await shop.reads.sales(pageRequest('sales', query));
      return answer(
        200,
        pageBody('sales', page, (view) => saleForMerchant(view, shop.now())),
      );
    },
  });

  addRoute(app, {
    method: 'GET',
    url: SALE,
    plane: 'merchant',
    summary: 'One sale',
    params: SaleParams,
    answers: { 200: SaleView },
    handle: async ({ params }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      return live === null ? noSuchSale() : answer(200, saleForMerchant(live, shop.now()));
    },
  });

  addDraftRoutes(app, shop);
  for (const kind of ['schedule', 'open', 'pause', 'resume', 'end'] as const) addLifecycleRoute(app, shop, kind);
}

function addDraftRoutes(app: FastifyInstance, shop: Shop): void {
  /** Two edits of one draft are merged one after the other, each into what the other left. */
  const turns = new Turns<number>();

  addRoute(app, {
    method: 'PATCH',
    url: SALE,
    plane: 'merchant',
    summary: 'Edit a draft: what is named is replaced, the rest stays',
    params: SaleParams,
    body: PatchSale,
    answers: { 200: SaleView },
    refusals: ['sale_frozen'],
    handle: async ({ params, body }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      return turns.take(live.sale.saleNo, () => editDraft(shop, live, body));
    },
  });

  addRoute(app, {
    method: 'DELETE',
    url: SALE,
    plane: 'merchant',
    summary: 'Delete a draft',
    params: SaleParams,
    answers: { 204: 'Deleted' },
    refusals: ['wrong_state'],
    handle: async ({ params }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const verdict = await turns.take(live.sale.saleNo, () => shop.desk.deleteDraft(live.sale.saleNo));
      if (verdict.outcome !== 'deleted') return saleOutcome(verdict, live, shop);
      shop.sales.forget(live);
      return answer(204, undefined);
    },
  });
}

/** How often an edit is made again from what another server made of the draft in the meantime. */
const EDITS_MAX = 5;

async function editDraft(shop: Shop, live: LiveSale, body: Partial<SaleBody>): Promise<Outcome> {
  for (let edit = 1; edit <= EDITS_MAX; edit++) {
    const { sale } = live;
    const made = settingsOf({ ...saleBody(sale, live.items), ...body });
    if ('outcome' in made && sale.phase === 'draft') return made;
    const { settings, items } = 'outcome' in made ? { settings: sale, items: live.items } : made;
    const newItems = body.items === undefined ? null : items;
    const verdict = await shop.desk.editDraft(sale.saleNo, { settings, items: newItems, fromVersion: sale.version });
    if (verdict.outcome !== 'outdated') {
      if (verdict.outcome === 'sale') live.replace({ sale: verdict.sale, items: newItems ?? live.items });
      return saleOutcome(verdict, live, shop);
    }
    await shop.sales.fresh(sale.saleId);
  }
  return refuse('unavailable', 'Others are editing this draft. Try again.');
}

const SUMMARIES: Readonly<Record<Lifecycle['kind'], string>> = {
  schedule: 'Freeze a draft; it opens by itself',
  open: 'Open now',
  pause: 'Make no order any more until resumed; payments go on',
  resume: 'Go on after a pause',
  end: 'End for good',
};

const OPENING: ReadonlySet<Lifecycle['kind']> = new Set(['schedule', 'open', 'resume']);

const clockIsWrong = (skewMs: number): Refusal =>
  refuse(
    'unavailable',
    `The clock of this server is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs < 0 ? 'behind' : 'ahead of'} the database's: set it, then open the sale.`,
  );

function addLifecycleRoute(app: FastifyInstance, shop: Shop, kind: Lifecycle['kind']): void {
  addRoute(app, {
    method: 'POST',
    url: `${SALE}/${kind}`,
    plane: 'merchant',
    summary: SUMMARIES[kind],
    params: SaleParams,
    answers: { 200: SaleView },
    refusals: ['wrong_state', 'sale_ended', 'idempotency_conflict'],
    handle: async ({ params, request }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      if (OPENING.has(kind) && shop.clockSkew() !== null) return clockIsWrong(shop.clockSkew() ?? 0);
      const purchaseKey = newPurchaseKey();
      const verdict = await live.submit({ kind, by: 'merchant', purchaseKey, ...keyed(request, 'merchant') });
      await shop.heard();
      return saleOutcome(verdict, live, shop);
    },
  });
}
