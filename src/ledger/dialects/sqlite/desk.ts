/**
 * What concerns no open sale's stock: drafts are made, edited and deleted, and payments whose order nobody knows
 * are kept for a person (or for the order, should it appear). Each call is one transaction in the writer.
 */
import type { Desk, NewSale } from '../../../core/books.ts';
import type { Item } from '../../../core/item.ts';
import { refuse, type SaleAnswer, type Verdict } from '../../../core/outcomes.ts';
import type { Payment } from '../../../core/payment.ts';
import type { Sale } from '../../../core/sale.ts';
import { type AuditEntry, type Change, changesNothing, type RememberedRequest } from '../../../core/state.ts';
import {
  parkUnknown as parkUnknownPayment,
  paymentAnswer,
  settleUnknown as settleUnknownPayment,
} from '../../unknown-payments.ts';
import type { Database } from './driver.ts';
import type { LedgerClock } from './ledger-clock.ts';
import { createLoader } from './load.ts';
import { ITEM_COLUMNS, itemOf, PAYMENT_COLUMNS, paymentOf, SALE_COLUMNS, saleOf } from './rows.ts';
import { createWriter } from './write.ts';

/** The same calls as `Desk`, but at once: the writer's thread has nothing to wait for. */
export type SyncDesk = { [K in keyof Desk]: (...args: Parameters<Desk[K]>) => Awaited<ReturnType<Desk[K]>> };

type NewRequest = Omit<RememberedRequest, 'thing' | 'thingId'> | null;

const NO_CHANGE: Change = {
  sale: null,
  items: [],
  newOrders: [],
  changedOrders: [],
  buyers: [],
  payments: [],
  requests: [],
  audit: [],
};

export function createDesk({ db, clock }: { db: Database; clock: LedgerClock }): SyncDesk {
  const loader = createLoader(db);
  const writer = createWriter(db);
  const saleById = db.prepare(`SELECT ${SALE_COLUMNS} FROM sales WHERE sale_id = ?`);
  const itemsOf = db.prepare(`SELECT ${ITEM_COLUMNS} FROM items WHERE sale_no = ? ORDER BY position`);
  const insertSale = db.prepare(
    `INSERT INTO sales (sale_id, phase, version, purchase_key, settings, created_at_ms, updated_at_ms)
     VALUES (?, 'draft', 1, NULL, ?, ?, ?)`,
  );
  const insertItem = db.prepare(
    `INSERT INTO items (sale_no, sku, position, title, description, image_url, price_minor, total, free, escrowed, held, sold, placed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)`,
  );
  const deleteItems = db.prepare('DELETE FROM items WHERE sale_no = ?');
  const deleteSale = db.prepare("DELETE FROM sales WHERE sale_no = ? AND phase = 'draft'");
  const forgetRequests = db.prepare("DELETE FROM requests WHERE thing = 'sale' AND thing_id = ?");
  const requestByKey = db.prepare(
    'SELECT fingerprint, thing, thing_id AS thingId FROM requests WHERE caller = ? AND route = ? AND key = ?',
  );
  const insertRequest = db.prepare(
    'INSERT INTO requests (caller, route, key, fingerprint, thing, thing_id, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const paymentsById = db.prepare(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE payment_id = ? ORDER BY payment_no`);
  const putPayment = db.prepare(
    `INSERT INTO payments (payment_id, result, order_id, sale_no, amount_minor, currency, state, reason, received_at_ms,
       updated_at_ms, refund, refund_reason) VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (payment_id, result) DO UPDATE SET order_id = excluded.order_id, amount_minor = excluded.amount_minor,
       currency = excluded.currency, state = excluded.state, reason = excluded.reason,
       updated_at_ms = excluded.updated_at_ms, refund = excluded.refund, refund_reason = excluded.refund_reason`,
  );

  const transaction = <T>(work: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if ((db as unknown as { isTransaction: boolean }).isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };

  const itemRows = (saleNo: number): Item[] => itemsOf.all(saleNo).map(itemOf);

  const putItems = (saleNo: number, items: readonly Item[]) => {
    deleteItems.run(saleNo);
    items.forEach((item, position) => {
      insertItem.run(
        saleNo,
        item.sku,
        position,
        item.title,
        item.description,
        item.imageUrl,
        item.priceMinor,
        item.total,
        item.total,
      );
    });
  };

  /** The thing that a repeated key made, a conflict, or null for a key that is new. */
  const rememberedThing = (request: NewRequest): { thingId: string } | Verdict | null => {
    if (request === null) return null;
    const row = requestByKey.get(request.caller, request.route, request.key) as RememberedRequest | undefined;
    if (row === undefined) return null;
    return row.fingerprint === request.fingerprint
      ? { thingId: row.thingId }
      : refuse('idempotency_conflict', 'This Idempotency-Key was used for another request.');
  };

  const remember = (request: NewRequest, thing: 'sale' | 'payment', thingId: string) => {
    if (request === null) return;
    insertRequest.run(request.caller, request.route, request.key, request.fingerprint, thing, thingId, clock.now());
  };

  const saleAnswer = (
    sale: Sale,
    how: { changed: boolean; replayed?: boolean },
  ): SaleAnswer & { items: readonly Item[] } => ({
    outcome: 'sale',
    sale,
    changed: how.changed,
    replayed: how.replayed ?? false,
    items: itemRows(sale.saleNo),
  });

  const findSale = (saleId: string): Sale | null => {
    const row = saleById.get(saleId);
    return row === undefined ? null : saleOf(row);
  };

  /** Audit rows of a draft go through the same writer as all others, so the chain has one owner. */
  const note = (sale: Sale, entry: AuditEntry, change: Partial<Change> = {}) => {
    const state = { ...loader.state(sale, []), sale };
    const full = { ...NO_CHANGE, ...change, audit: [entry] };
    if (!changesNothing(full)) writer.write(state, full, clock.now());
    clock.committed(clock.now());
  };

  const createSale = (sale: NewSale, request: NewRequest) => {
    const remembered = rememberedThing(request);
    if (remembered !== null && 'outcome' in remembered) return remembered;
    const known = remembered === null ? null : findSale(remembered.thingId);
    if (known !== null) return saleAnswer(known, { changed: false, replayed: true });
    if (findSale(sale.saleId) !== null) return refuse('already_exists', 'A sale with this saleId exists already.');
    const now = clock.now();
    const saleNo = Number(insertSale.run(sale.saleId, JSON.stringify(sale.settings), now, now).lastInsertRowid);
    putItems(saleNo, sale.items);
    remember(request, 'sale', sale.saleId);
    const made = findSale(sale.saleId) as Sale;
    note(made, { actor: 'merchant', action: 'sale.created', change: { saleId: sale.saleId } });
    return saleAnswer(made, { changed: true });
  };

  const editDraft: SyncDesk['editDraft'] = (saleNo, { settings, items, fromVersion }) => {
    const sale = loader.sale(saleNo);
    if (sale === null) return refuse('not_found', 'There is no such sale.');
    if (sale.phase !== 'draft')
      return refuse('sale_frozen', 'A sale that is no draft any more is changed by corrections only.');
    if (sale.version !== fromVersion) return { outcome: 'outdated' };
    if (items !== null) putItems(saleNo, items);
    const edited = { ...sale, ...settings, version: sale.version + 1, updatedAtMs: clock.now() };
    note(sale, { actor: 'merchant', action: 'sale.edited' }, { sale: edited });
    return saleAnswer(edited, { changed: true });
  };

  const deleteDraft = (saleNo: number) => {
    const sale = loader.sale(saleNo);
    if (sale === null) return refuse('not_found', 'There is no such sale.');
    if (sale.phase !== 'draft') return refuse('wrong_state', 'Only a draft can be deleted.');
    deleteItems.run(saleNo);
    forgetRequests.run(sale.saleId);
    deleteSale.run(saleNo);
    return { outcome: 'deleted' as const };
  };

  const put = (payment: Payment) => {
    const {
      paymentId,
      result,
      orderId,
      amountMinor,
      currency,
      state,
      reason,
      receivedAtMs,
      updatedAtMs,
      refund,
      refundReason,
    } = payment;
    putPayment.run(
      paymentId,
      result,
      orderId,
      amountMinor,
      currency,
      state,
      reason,
      receivedAtMs,
      updatedAtMs,
      refund,
      refundReason,
    );
  };

  const paymentRows = (paymentId: string): Payment[] => paymentsById.all(paymentId).map(paymentOf);

  /** The id belongs to a payment of a known order: refused, and noted in that sale's chain. */
  const conflict = (payment: Payment, saleNo: number): Verdict => {
    const sale = loader.sale(saleNo);
    const { orderId, paymentId, result, amountMinor, currency } = payment;
    const change = { result, amountMinor, currency };
    if (sale !== null) note(sale, { actor: 'payment', action: 'payment.conflict', orderId, paymentId, change });
    return refuse('payment_mismatch', 'This payment was reported before with another order or amount.');
  };

  const parkUnknown = (payment: Payment): Verdict => {
    const known = paymentRows(payment.paymentId).find((each) => each.result === payment.result);
    if (known !== undefined && known.saleNo !== null) return conflict(payment, known.saleNo);
    const verdict = parkUnknownPayment(known, payment, clock.now());
    if (verdict.outcome === 'payment' && verdict.changed) put(verdict.payment);
    return verdict;
  };

  const settleUnknown: SyncDesk['settleUnknown'] = (paymentId, how, request) => {
    const remembered = rememberedThing(request);
    if (remembered !== null && 'outcome' in remembered) return remembered;
    const rows = paymentRows(paymentId).filter((each) => each.saleNo === null);
    const replay = remembered === null ? undefined : rows[0];
    if (replay !== undefined) return paymentAnswer(replay, { changed: false, replayed: true });
    if (rows.length === 0) return refuse('not_found', 'There is no such payment.');
    const done = settleUnknownPayment(rows, how, clock.now());
    if (done.outcome === 'payment' && done.changed) {
      put(done.payment);
      remember(request, 'payment', paymentId);
    }
    return done;
  };

  return {
    createSale: (sale, request) => transaction(() => createSale(sale, request)),
    editDraft: (saleNo, edit) => transaction(() => editDraft(saleNo, edit)),
    deleteDraft: (saleNo) => transaction(() => deleteDraft(saleNo)),
    parkUnknown: (payment) => transaction(() => parkUnknown(payment)),
    settleUnknown: (paymentId, how, request) => transaction(() => settleUnknown(paymentId, how, request)),
  };
}
