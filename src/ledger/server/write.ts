/**
 * Writes the difference that `decide` made into a ledger on a database server, inside the batch's transaction: one
 * statement per table, however many rows. Transitions that are the same (512 holds that expire together) are one
 * update, which repeats the status that was decided on in its WHERE: a row that is not as it was loaded breaks the
 * batch instead of the books (I3).
 */
import { invariant } from '../../core/invariants.ts';
import type { Item } from '../../core/item.ts';
import type { Order } from '../../core/order.ts';
import type { Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import type { Change, State } from '../../core/state.ts';
import { hashOf, isAct, packEntries } from '../audit-chain.ts';
import type { ChainEnd } from './load.ts';
import { BUYERS, ORDER_CHANGES, ORDERS, orderColumn, PAYMENTS, REQUESTS, settingsOf } from './rows.ts';
import type { Dialect, Session, SqlScalar } from './session.ts';

/** Returns the number of the sale's last audit row. */
export async function writeChange(
  session: Session,
  dialect: Dialect,
  written: { readonly state: State; readonly end: ChainEnd; readonly change: Change; readonly now: EpochMs },
): Promise<number> {
  const { state, end, change, now } = written;
  const { saleNo, limitPerBuyer } = state.sale;
  if (change.sale !== null) await writeSale(session, state.sale, change.sale);
  for (const item of change.items) await writeItem(session, saleNo, item);
  await dialect.insertRows(session, ORDERS, change.newOrders);
  await writeOrders(session, dialect, state, change.changedOrders);
  const buyers = change.buyers.map((buyer) => ({ saleNo, ...buyer, unitLimit: limitPerBuyer }));
  await dialect.insertRows(session, BUYERS, buyers);
  await dialect.insertRows(session, PAYMENTS, change.payments);
  const requests = change.requests.map((request) => ({ ...request, atMs: now }));
  await dialect.insertRows(session, REQUESTS, requests);
  return change.audit.length > 0 ? writeAudit(session, { saleNo, end, change, now }) : end.seq;
}

async function writeSale(session: Session, before: Sale, sale: Sale): Promise<void> {
  const changed = await session.run(
    `UPDATE sales SET phase = ?, version = ?, purchase_key = ?, settings = ?, updated_at_ms = ?
     WHERE sale_no = ? AND version = ?`,
    [
      sale.phase,
      sale.version,
      sale.purchaseKey,
      JSON.stringify(settingsOf(sale)),
      sale.updatedAtMs,
      sale.saleNo,
      before.version,
    ],
  );
  invariant(changed === 1, 'I3', 'the sale is not as it was loaded', { saleId: sale.saleId });
}

async function writeItem(session: Session, saleNo: number, item: Item): Promise<void> {
  const { title, description, total, free, escrowed, held, sold, placed, sku } = item;
  await session.run(
    `UPDATE items SET title = ?, description = ?, total = ?, free = ?, escrowed = ?, held = ?, sold = ?, placed = ?
     WHERE sale_no = ? AND sku = ?`,
    [title, description, total, free, escrowed, held, sold, placed, saleNo, sku],
  );
}

interface Transition {
  readonly from: Order['status'];
  readonly set: Readonly<Record<string, SqlScalar>>;
  readonly orderIds: string[];
}

async function writeOrders(session: Session, dialect: Dialect, state: State, orders: readonly Order[]): Promise<void> {
  for (const { from, set, orderIds } of transitionsOf(state, orders)) {
    const columns = Object.keys(set);
    if (columns.length === 0) continue;
    const changed = await session.run(
      `UPDATE orders ${dialect.useIndex('order_id')} SET ${columns.map((column) => `${column} = ?`).join(', ')}
       WHERE ${dialect.isIn('order_id', 'text')} AND status = ?`,
      [...Object.values(set), orderIds, from],
    );
    invariant(changed === orderIds.length, 'I3', 'an order is not as it was loaded', { orderIds, from });
  }
}

function transitionsOf(state: State, orders: readonly Order[]): Transition[] {
  const transitions = new Map<string, Transition>();
  for (const order of orders) {
    const before = state.orders.get(order.orderId);
    const fields = ORDER_CHANGES.filter((field) => before === undefined || before[field] !== order[field]);
    const set = Object.fromEntries(fields.map((field) => [orderColumn(field), stored(order[field])]));
    const from = before?.status ?? order.status;
    const name = JSON.stringify([from, set]);
    const known = transitions.get(name);
    if (known === undefined) transitions.set(name, { from, set, orderIds: [order.orderId] });
    else known.orderIds.push(order.orderId);
  }
  return [...transitions.values()];
}

const stored = (value: Order[(typeof ORDER_CHANGES)[number]]): SqlScalar =>
  typeof value === 'boolean' ? (value ? 1 : 0) : value;

async function writeAudit(
  session: Session,
  written: { readonly saleNo: number; readonly end: ChainEnd; readonly change: Change; readonly now: EpochMs },
): Promise<number> {
  const { saleNo, end, change, now } = written;
  const row = { previousHash: end.hash, seq: end.seq + 1, atMs: now, entries: packEntries(change.audit) };
  await session.run(
    'INSERT INTO audit (sale_no, seq, at_ms, has_acts, entries, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [saleNo, row.seq, now, change.audit.some(isAct) ? 1 : 0, row.entries, row.previousHash, hashOf(row)],
  );
  await session.run('INSERT INTO outbox (sale_no, audit_seq, at_ms) VALUES (?, ?, ?)', [saleNo, row.seq, now]);
  return row.seq;
}
