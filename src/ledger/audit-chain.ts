/**
 * The audit chain of a sale: one row per batch, each carrying the hash of the one before, so that a row that was
 * changed or taken out shows. hash = SHA-256 over previous hash, sequence number, time and entries, by lines.
 */
import { createHash } from 'node:crypto';
import type { OrderId } from '../core/scalars.ts';
import type { AuditEntry } from '../core/state.ts';

/** What the first row of a chain names as the one before it. */
export const CHAIN_START = '0'.repeat(64);

export const hashOf = (row: { previousHash: string; seq: number; atMs: number; entries: string }): string =>
  createHash('sha256').update(`${row.previousHash}\n${row.seq}\n${row.atMs}\n${row.entries}`).digest('hex');

/** Entries that somebody should be able to find among a million orders: the merchant's acts, the schedule, what was set aside. */
export const isAct = (entry: AuditEntry): boolean =>
  entry.actor === 'merchant' ||
  entry.action.startsWith('sale.') ||
  entry.action === 'order.set_aside' ||
  entry.action === 'payment.conflict';

/** As stored: a run of entries that differ only in their order is one entry with many orders. */
type Stored = AuditEntry | (Omit<AuditEntry, 'orderId'> & { readonly orderIds: readonly string[] });

const isPlain = (entry: AuditEntry): boolean => entry.orderId !== undefined && Object.keys(entry).length === 3;

/** The entries of a batch as text. Five hundred new orders would else say five hundred times who made them. */
export function packEntries(entries: readonly AuditEntry[]): string {
  const stored: Stored[] = [];
  let run: { actor: AuditEntry['actor']; action: string; orderIds: string[] } | null = null;
  for (const entry of entries) {
    if (!isPlain(entry)) {
      run = null;
      stored.push(entry);
    } else if (run !== null && run.actor === entry.actor && run.action === entry.action) {
      run.orderIds.push(entry.orderId as string);
    } else {
      run = { actor: entry.actor, action: entry.action, orderIds: [entry.orderId as string] };
      stored.push(run);
    }
  }
  return JSON.stringify(stored);
}

export function unpackEntries(text: string): AuditEntry[] {
  return (JSON.parse(text) as Stored[]).flatMap((entry): AuditEntry[] => {
    if (!('orderIds' in entry)) return [entry];
    const { orderIds, ...rest } = entry;
    return orderIds.map((orderId) => ({ ...rest, orderId: orderId as OrderId }));
  });
}
