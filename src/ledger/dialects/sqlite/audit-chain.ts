/**
 * The audit chain of a sale: one row per batch, each carrying the hash of the one before, so that a row that was
 * changed or taken out shows. hash = SHA-256 over previous hash, sequence number, time and entries, by lines.
 */
import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../../core/state.ts';

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
