/**
 * What concerns no open sale's stock, on a database server: drafts are made, edited and deleted, and payments whose
 * order nobody knows are kept. Each call is one transaction; two servers that make the same thing meet at a unique
 * key, and the one that comes second looks again and finds what the first made.
 */
import type { Desk, NewSale } from '../../core/books.ts';
import type { Item } from '../../core/item.ts';
import { refuse, type SaleAnswer, type Verdict } from '../../core/outcomes.ts';
import type { Payment } from '../../core/payment.ts';
import type { Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import type { AuditEntry, Change, RememberedRequest } from '../../core/state.ts';
import { OperatingError } from '../../kit/errors.ts';
import { CHAIN_START } from '../audit-chain.ts';
import { parkUnknown, paymentAnswer, settleUnknown } from '../unknown-payments.ts';
import { type ChainEnd, type LockedSale, lockSale } from './load.ts';
import {
  ITEM_COLUMNS,
  itemOf,
  PAYMENT_COLUMNS,
  PAYMENTS,
  paymentOf,
  REQUEST_COLUMNS,
  REQUESTS,
  SALE_COLUMNS,
  saleOf,
} from './rows.ts';
import type { Dialect, Insert, Session } from './session.ts';
import { type Done, inTransaction, type TransactionParts, unavailable } from './transaction.ts';
import { writeChange } from './write.ts';

type NewRequest = Omit<RememberedRequest, 'thing' | 'thingId'> | null;
type Position = Item & { readonly saleNo: number; readonly position: number };

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

const NEW_CHAIN: ChainEnd = { seq: 0, hash: CHAIN_START, atMs: 0 };

const ITEMS: Insert<Position> = {
  table: 'items',
  columns: [
    { name: 'sale_no', type: 'number', of: (item) => item.saleNo },
    { name: 'sku', type: 'text', of: (item) => item.sku },
    { name: 'position', type: 'number', of: (item) => item.position },
    { name: 'title', type: 'text', of: (item) => item.title },
    { name: 'description', type: 'text', of: (item) => item.description },
    { name: 'image_url', type: 'text', of: (item) => item.imageUrl },
    { name: 'price_minor', type: 'number', of: (item) => item.priceMinor },
    { name: 'total', type: 'number', of: (item) => item.total },
    { name: 'free', type: 'number', of: (item) => item.total },
    { name: 'escrowed', type: 'number', of: () => 0 },
    { name: 'held', type: 'number', of: () => 0 },
    { name: 'sold', type: 'number', of: () => 0 },
    { name: 'placed', type: 'number', of: () => 0 },
  ],
};

/** A rival's insert is found at the second look; a third would mean that something is wrong. */
const LOOKS = 3;

export function createDesk(parts: TransactionParts & { readonly dialect: Dialect }): Desk {
  const { dialect } = parts;
  const call = async <T>(work: (session: Session, now: EpochMs) => Promise<Done<T>>): Promise<T> => {
    for (let look = 1; ; look++) {
      try {
        return await inTransaction(parts, async (session) => {
          const [clock] = await session.rows<{ nowMs: number }>(`SELECT ${dialect.nowMs} AS "nowMs"`);
          return work(session, Number(clock?.nowMs) as EpochMs);
        });
      } catch (error) {
        if (error instanceof OperatingError) throw error;
        if (dialect.faultOf(error) === 'constraint' && look < LOOKS) continue;
        throw unavailable(`The database refused: ${(error as Error).message}`, 'none', error);
      }
    }
  };

  const itemsOf = async (session: Session, saleNo: number): Promise<Item[]> =>
    (await session.rows(`SELECT ${ITEM_COLUMNS} FROM items WHERE sale_no = ? ORDER BY position`, [saleNo])).map(itemOf);

  const putItems = async (session: Session, saleNo: number, items: readonly Item[]) => {
    await session.run('DELETE FROM items WHERE sale_no = ?', [saleNo]);
    await dialect.insertRows(
      session,
      ITEMS,
      items.map((item, position) => ({ ...item, saleNo, position })),
    );
  };

  const findSale = async (session: Session, saleId: string): Promise<Sale | null> => {
    const [row] = await session.rows(`SELECT ${SALE_COLUMNS} FROM sales WHERE sale_id = ?`, [saleId]);
    return row === undefined ? null : saleOf(row);
  };

  /** The thing that a repeated key made, a conflict, or null for a key that is new. */
  const rememberedThing = async (
    session: Session,
    request: NewRequest,
  ): Promise<{ readonly thingId: string } | Verdict | null> => {
    if (request === null) return null;
    const [row] = await session.rows<RememberedRequest>(
      `SELECT ${REQUEST_COLUMNS} FROM requests WHERE caller = ? AND route = ? AND request_key = ?`,
      [request.caller, request.route, request.key],
    );
    if (row === undefined) return null;
    return row.fingerprint === request.fingerprint
      ? { thingId: row.thingId }
      : refuse('idempotency_conflict', 'This Idempotency-Key was used for another request.');
  };

  const remember = async (
    session: Session,
    request: NewRequest,
    made: { thing: 'sale' | 'payment'; thingId: string; now: number },
  ) => {
    if (request === null) return;
    await dialect.insertRows(session, REQUESTS, [
      { ...request, thing: made.thing, thingId: made.thingId, atMs: made.now },
    ]);
  };

  const saleAnswer = async (
    session: Session,
    sale: Sale,
    how: { changed: boolean; replayed?: boolean },
  ): Promise<Done<SaleAnswer & { items: readonly Item[] }>> => ({
    value: {
      outcome: 'sale',
      sale,
      changed: how.changed,
      replayed: how.replayed ?? false,
      items: await itemsOf(session, sale.saleNo),
    },
    commit: how.changed,
  });

  /** The audit rows of a draft go through the same writer as all others, so the chain has one owner. */
  const note = (
    session: Session,
    { sale, end, now }: LockedSale,
    entry: AuditEntry,
    change: Partial<Change> = {},
  ): Promise<number> => {
    const none = new Map<never, never>();
    const state = { sale, items: none, buyers: none, orders: none, orderKeys: none, payments: none, requests: none };
    return writeChange(session, dialect, { state, end, now, change: { ...NO_CHANGE, ...change, audit: [entry] } });
  };

  const insertSale = async (session: Session, { saleId, settings }: NewSale, now: EpochMs): Promise<Sale> => {
    await session.run(
      `INSERT INTO sales (sale_id, phase, version, purchase_key, settings, created_at_ms, updated_at_ms)
       VALUES (?, 'draft', 1, NULL, ?, ?, ?)`,
      [saleId, JSON.stringify(settings), now, now],
    );
    return (await findSale(session, saleId)) as Sale;
  };

  const refused = (refusal: Verdict): Done<Verdict> => ({ value: refusal, commit: false });

  return {
    createSale: (sale, request) =>
      call<Verdict & { items?: readonly Item[] }>(async (session, now) => {
        const remembered = await rememberedThing(session, request);
        if (remembered !== null && 'outcome' in remembered) return refused(remembered);
        const known = remembered === null ? null : await findSale(session, remembered.thingId);
        if (known !== null) return saleAnswer(session, known, { changed: false, replayed: true });
        if ((await findSale(session, sale.saleId)) !== null)
          return refused(refuse('already_exists', 'A sale with this saleId exists already.'));
        const made = await insertSale(session, sale, now);
        await putItems(session, made.saleNo, sale.items);
        await remember(session, request, { thing: 'sale', thingId: sale.saleId, now });
        const entry: AuditEntry = { actor: 'merchant', action: 'sale.created', change: { saleId: sale.saleId } };
        await note(session, { sale: made, end: NEW_CHAIN, now }, entry);
        return saleAnswer(session, made, { changed: true });
      }),

    editDraft: (saleNo, { settings, items, fromVersion }) =>
      call<Verdict | { readonly outcome: 'outdated' }>(async (session) => {
        const locked = await lockSale(session, dialect, saleNo);
        if (locked === null) return refused(refuse('not_found', 'There is no such sale.'));
        const { sale, now } = locked;
        if (sale.phase !== 'draft')
          return refused(refuse('sale_frozen', 'A sale that is no draft any more is changed by corrections only.'));
        if (sale.version !== fromVersion) return { value: { outcome: 'outdated' }, commit: false };
        if (items !== null) await putItems(session, saleNo, items);
        const edited = { ...sale, ...settings, version: sale.version + 1, updatedAtMs: now };
        await note(session, locked, { actor: 'merchant', action: 'sale.edited' }, { sale: edited });
        return saleAnswer(session, edited, { changed: true });
      }),

    deleteDraft: (saleNo) =>
      call<Verdict | { readonly outcome: 'deleted' }>(async (session) => {
        const locked = await lockSale(session, dialect, saleNo);
        if (locked === null) return refused(refuse('not_found', 'There is no such sale.'));
        const { sale } = locked;
        if (sale.phase !== 'draft') return refused(refuse('wrong_state', 'Only a draft can be deleted.'));
        await session.run('DELETE FROM items WHERE sale_no = ?', [saleNo]);
        await session.run("DELETE FROM requests WHERE thing = 'sale' AND thing_id = ?", [sale.saleId]);
        await session.run('DELETE FROM sales WHERE sale_no = ?', [saleNo]);
        return { value: { outcome: 'deleted' }, commit: true };
      }),

    parkUnknown: (payment) =>
      call<Verdict>(async (session, now) => {
        const rows = await paymentRows(session, payment.paymentId);
        const known = rows.find(({ result }) => result === payment.result);
        if (known !== undefined && known.saleNo !== null) return conflict(session, payment, known.saleNo);
        return put(session, parkUnknown(known, payment, now), known === undefined);
      }),

    settleUnknown: (paymentId, how, request) =>
      call<Verdict>(async (session, now) => {
        const remembered = await rememberedThing(session, request);
        if (remembered !== null && 'outcome' in remembered) return refused(remembered);
        const rows = (await paymentRows(session, paymentId)).filter(({ saleNo }) => saleNo === null);
        const [first] = rows;
        if (first === undefined) return refused(refuse('not_found', 'There is no such payment.'));
        if (remembered !== null) return refused(paymentAnswer(first, { changed: false, replayed: true }));
        const verdict = settleUnknown(rows, how, now);
        if (verdict.outcome === 'payment' && verdict.changed)
          await remember(session, request, { thing: 'payment', thingId: paymentId, now });
        return put(session, verdict, false);
      }),
  };

  async function paymentRows(session: Session, paymentId: string): Promise<Payment[]> {
    const sql = `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE payment_id = ? ORDER BY payment_no FOR UPDATE`;
    return (await session.rows(sql, [paymentId])).map(paymentOf);
  }

  /** The id belongs to a payment of a known order: refused, and noted in that sale's chain. */
  async function conflict(session: Session, payment: Payment, saleNo: number): Promise<Done<Verdict>> {
    const locked = await lockSale(session, dialect, saleNo);
    const { orderId, paymentId, result, amountMinor, currency } = payment;
    const change = { result, amountMinor, currency };
    const entry: AuditEntry = { actor: 'payment', action: 'payment.conflict', orderId, paymentId, change };
    if (locked !== null) await note(session, locked, entry);
    return {
      value: refuse('payment_mismatch', 'This payment was reported before with another order or amount.'),
      commit: locked !== null,
    };
  }

  /** `isNew`: nobody has it yet; should a batch have applied it meanwhile, that must not be overwritten. */
  async function put(session: Session, verdict: Verdict, isNew: boolean): Promise<Done<Verdict>> {
    if (verdict.outcome !== 'payment' || !verdict.changed) return { value: verdict, commit: false };
    const { onConflict, ...plain } = PAYMENTS;
    await dialect.insertRows(session, isNew ? plain : PAYMENTS, [verdict.payment]);
    return { value: verdict, commit: true };
  }
}
