/**
 * Writes the difference that `decide` made, inside the batch's transaction: sale, items, orders, buyers, payments,
 * requests, and the audit row with its place in the outbox. Transitions repeat the status that was decided on in
 * their WHERE, so a row that is not as it was loaded breaks the batch instead of the books (I3).
 */
import { invariant } from '../../../core/invariants.ts';
import type { Order } from '../../../core/order.ts';
import type { Sale } from '../../../core/sale.ts';
import type { EpochMs } from '../../../core/scalars.ts';
import type { Change, State } from '../../../core/state.ts';
import { CHAIN_START, hashOf, isAct, packEntries } from '../../audit-chain.ts';
import type { Database } from './driver.ts';
import { createRowsInsert } from './insert-rows.ts';
import { ORDERS, paymentValues, settingsOf } from './rows.ts';

export interface Writer {
  /** Returns the sequence number of the last new order, or null where there is none. */
  write(state: State, change: Change, now: EpochMs): number | null;
}

export function createWriter(db: Database): Writer {
  const updateSale = db.prepare(
    'UPDATE sales SET phase = ?, version = ?, purchase_key = ?, settings = ?, updated_at_ms = ? WHERE sale_no = ? AND version = ?',
  );
  const updateItem = db.prepare(
    `UPDATE items SET title = ?, description = ?, total = ?, free = ?, escrowed = ?, held = ?, sold = ?, placed = ?
     WHERE sale_no = ? AND sku = ?`,
  );
  const insertOrders = createRowsInsert(db, ORDERS);
  const updateOrder = db.prepare(
    `UPDATE orders SET status = ?, updated_at_ms = ?, expires_at_ms = ?, paid_at_ms = ?, closed_at_ms = ?, grace_used = ?,
     details = ?, parked_reason = ? WHERE order_id = ? AND status = ?`,
  );
  const putBuyers = createRowsInsert<readonly [saleNo: number, buyerKey: string, units: number, limit: number | null]>(
    db,
    {
      into: 'buyers (sale_no, buyer_key, units, unit_limit)',
      columns: 4,
      valuesOf: (row) => row,
      onConflict: 'ON CONFLICT (sale_no, buyer_key) DO UPDATE SET units = excluded.units',
    },
  );
  const putPayment = db.prepare(
    `INSERT INTO payments (payment_id, result, order_id, sale_no, amount_minor, currency, state, reason, received_at_ms,
       updated_at_ms, refund, refund_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (payment_id, result) DO UPDATE SET order_id = excluded.order_id, sale_no = excluded.sale_no,
       amount_minor = excluded.amount_minor, currency = excluded.currency, state = excluded.state,
       reason = excluded.reason, updated_at_ms = excluded.updated_at_ms, refund = excluded.refund,
       refund_reason = excluded.refund_reason`,
  );
  const insertRequest = db.prepare(
    'INSERT INTO requests (caller, route, key, fingerprint, thing, thing_id, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const lastAudit = db.prepare('SELECT seq, hash FROM audit WHERE sale_no = ? ORDER BY seq DESC LIMIT 1');
  const insertAudit = db.prepare(
    'INSERT INTO audit (sale_no, seq, at_ms, has_acts, entries, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insertOutbox = db.prepare('INSERT INTO outbox (sale_no, audit_seq, at_ms) VALUES (?, ?, ?)');
  const setClock = db.prepare('UPDATE clock SET at_ms = ? WHERE id = 1');

  const writeSale = (before: Sale, sale: Sale) => {
    const settings = JSON.stringify(settingsOf(sale));
    const { changes } = updateSale.run(
      sale.phase,
      sale.version,
      sale.purchaseKey,
      settings,
      sale.updatedAtMs,
      sale.saleNo,
      before.version,
    );
    invariant(Number(changes) === 1, 'I3', 'the sale is not as it was loaded', { saleId: sale.saleId });
  };

  const writeOrder = (state: State, order: Order) => {
    const before = state.orders.get(order.orderId)?.status ?? order.status;
    const { changes } = updateOrder.run(
      order.status,
      order.updatedAtMs,
      order.expiresAtMs,
      order.paidAtMs,
      order.closedAtMs,
      order.graceUsed ? 1 : 0,
      order.details,
      order.parkedReason,
      order.orderId,
      before,
    );
    invariant(Number(changes) === 1, 'I3', 'an order is not as it was loaded', { orderId: order.orderId });
  };

  const writeAudit = (sale: Sale, change: Change, now: EpochMs) => {
    const last = lastAudit.get(sale.saleNo) as { seq: number; hash: string } | undefined;
    const row = {
      previousHash: last?.hash ?? CHAIN_START,
      seq: (last?.seq ?? 0) + 1,
      atMs: now,
      entries: packEntries(change.audit),
    };
    insertAudit.run(
      sale.saleNo,
      row.seq,
      now,
      change.audit.some(isAct) ? 1 : 0,
      row.entries,
      row.previousHash,
      hashOf(row),
    );
    insertOutbox.run(sale.saleNo, row.seq, now);
  };

  return {
    write: (state, change, now) => {
      const { sale } = state;
      if (change.sale !== null) writeSale(sale, change.sale);
      for (const item of change.items)
        updateItem.run(
          item.title,
          item.description,
          item.total,
          item.free,
          item.escrowed,
          item.held,
          item.sold,
          item.placed,
          sale.saleNo,
          item.sku,
        );
      const lastSeq = insertOrders(change.newOrders);
      for (const order of change.changedOrders) writeOrder(state, order);
      putBuyers(change.buyers.map(({ buyerKey, units }) => [sale.saleNo, buyerKey, units, sale.limitPerBuyer]));
      for (const payment of change.payments) putPayment.run(...paymentValues(payment));
      for (const { caller, route, key, fingerprint, thing, thingId } of change.requests)
        insertRequest.run(caller, route, key, fingerprint, thing, thingId, now);
      if (change.audit.length > 0) writeAudit(sale, change, now);
      setClock.run(now);
      return lastSeq;
    },
  };
}
