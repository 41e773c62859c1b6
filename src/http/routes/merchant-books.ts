/** What may change after the freeze, and what can be looked up about a sale: corrections, books, audit, reconciliation. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { SaleCorrections } from '../../core/act.ts';
import type { AuditRow } from '../../core/books.ts';
import type { Refusal } from '../../core/outcomes.ts';
import type { Sku } from '../../core/scalars.ts';
import { formatTime, parseTime } from '../../core/time.ts';
import { timeFault } from '../../purchase/sale/setting-checks.ts';
import type { Shop } from '../../purchase/shop.ts';
import { auditPage } from '../audit-page.ts';
import { keyed } from '../idempotency.ts';
import { answer, invalid, noSuchSale, type Outcome, saleOutcome } from '../outcome.ts';
import { ItemParams, listOf, pageQuery, SaleParams, strict } from '../schemas/common.ts';
import {
  AuditView,
  BooksView,
  CorrectSale,
  CorrectStock,
  Reconcile,
  ReconcileView,
  SaleView,
} from '../schemas/sale.ts';
import { addRoute } from './route.ts';

const SALE = '/v1/merchant/sales/:saleId';

export function addBooksRoutes(app: FastifyInstance, shop: Shop): void {
  addCorrectionRoutes(app, shop);

  addRoute(app, {
    method: 'GET',
    url: `${SALE}/books`,
    plane: 'merchant',
    summary: 'Where every unit is',
    params: SaleParams,
    answers: { 200: BooksView },
    handle: async ({ params }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const { items, orders, balanced } = await shop.reads.books(live.sale.saleNo);
      return answer(200, { items, orders, balanced });
    },
  });

  addRoute(app, {
    method: 'POST',
    url: `${SALE}/reconcile`,
    plane: 'merchant',
    summary: 'What differs between the ledger and the engine',
    params: SaleParams,
    body: Reconcile,
    isBodyOptional: true,
    answers: { 200: ReconcileView },
    // Embedded, the ledger is the engine: there is nothing in flight between them and nothing that a repair could lower.
    handle: async ({ params }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const { differences } = await shop.reads.books(live.sale.saleNo);
      return answer(200, { differences, inFlight: [], repairs: [] });
    },
  });

  addRoute(app, {
    method: 'GET',
    url: `${SALE}/audit`,
    plane: 'merchant',
    summary: 'Who changed what, as a chain of hashes',
    params: SaleParams,
    query: strict({ ...pageQuery, all: Type.Optional(Type.Enum(['true', 'false'])) }),
    answers: { 200: listOf(AuditView) },
    handle: async ({ params, query }): Promise<Outcome> => {
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const which = query.all === 'true' ? 'all' : 'acts';
      const { saleNo } = live.sale;
      return answer(
        200,
        await auditPage(`audit ${which} ${saleNo}`, query, (page) => shop.reads.audit(saleNo, which, page), wireRow),
      );
    },
  });
}

/** A row of the ledger is a batch; on the wire each of its entries stands alone, under the batch's number and hashes. */
const wireRow = (row: AuditRow) =>
  row.entries.map((entry) => ({
    seq: row.seq,
    at: formatTime(row.atMs),
    reason: null,
    ...entry,
    hash: row.hash,
    previousHash: row.previousHash,
  }));

function addCorrectionRoutes(app: FastifyInstance, shop: Shop): void {
  addRoute(app, {
    method: 'POST',
    url: `${SALE}/items/:sku/stock`,
    plane: 'merchant',
    summary: 'Add or take away units, by delta',
    params: ItemParams,
    body: CorrectStock,
    answers: { 200: SaleView },
    refusals: ['not_enough', 'wrong_state', 'idempotency_conflict'],
    handle: async ({ params, body, request }): Promise<Outcome> => {
      if (body.delta === 0) return invalid([{ path: '/delta', message: 'must not be 0' }]);
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const act = { kind: 'correct_stock', sku: params.sku as Sku, ...body } as const;
      const verdict = await live.submit({ ...act, ...keyed(request, 'merchant') });
      await shop.heard();
      return saleOutcome(verdict, live, shop);
    },
  });

  addRoute(app, {
    method: 'POST',
    url: `${SALE}/corrections`,
    plane: 'merchant',
    summary: 'Correct what may still change, with a reason',
    params: SaleParams,
    body: CorrectSale,
    answers: { 200: SaleView },
    refusals: ['wrong_state', 'sale_ended', 'idempotency_conflict'],
    handle: async ({ params, body, request }): Promise<Outcome> => {
      const set = correctionsOf(body.set, body.sku !== undefined);
      if ('outcome' in set) return set;
      const live = await shop.sales.fresh(params.saleId);
      if (live === null) return noSuchSale();
      const sku = (body.sku as Sku | undefined) ?? null;
      const act = { kind: 'correct_sale', sku, set, reason: body.reason } as const;
      const verdict = await live.submit({ ...act, ...keyed(request, 'merchant') });
      await shop.heard();
      return saleOutcome(verdict, live, shop);
    },
  });
}

interface WireCorrections {
  readonly title?: string;
  readonly description?: string;
  readonly opensAt?: string | null;
  readonly endsAt?: string | null;
  readonly segments?: number;
}

function correctionsOf(set: WireCorrections, isOfItem: boolean): SaleCorrections | Refusal {
  const { opensAt, endsAt, ...rest } = set;
  const times = { opensAt, endsAt };
  const errors = Object.entries(times).flatMap(([name, text]) => {
    const message = text === undefined ? null : timeFault(text);
    return message === null ? [] : [{ path: `/set/${name}`, message }];
  });
  if (errors.length > 0) return invalid(errors);
  const isText = Object.keys(set).every((name) => name === 'title' || name === 'description');
  if (isOfItem && !isText)
    return invalid([{ path: '/set', message: 'of an item, only title and description can be corrected' }]);
  return {
    ...rest,
    ...(opensAt === undefined ? {} : { opensAtMs: parseTime(opensAt ?? '') }),
    ...(endsAt === undefined ? {} : { endsAtMs: parseTime(endsAt ?? '') }),
  };
}
