import { expect, it } from 'vitest';
import type { AuditEntry } from '../core/state.ts';
import { CHAIN_START, hashOf, packEntries, unpackEntries } from './audit-chain.ts';

const entries = [
  { actor: 'shopper', action: 'order.held', orderId: 'o1' },
  { actor: 'shopper', action: 'order.held', orderId: 'o2' },
  { actor: 'merchant', action: 'order.cancelled', orderId: 'o1', reason: 'fraud' },
  { actor: 'shopper', action: 'order.held', orderId: 'o3' },
  { actor: 'system', action: 'order.expired', orderId: 'o2' },
] as unknown as AuditEntry[];

it('stores runs of like entries once, and reads every entry back in its order', () => {
  const text = packEntries(entries);
  expect(unpackEntries(text)).toEqual(entries);
  expect(JSON.parse(text)).toHaveLength(4);
});

it('changes the hash with every part of a row', () => {
  const row = { previousHash: CHAIN_START, seq: 1, atMs: 2, entries: '[]' };
  const others = [{ previousHash: '1'.repeat(64) }, { seq: 2 }, { atMs: 3 }, { entries: '[1]' }];
  const hashes = [row, ...others.map((change) => ({ ...row, ...change }))].map(hashOf);
  expect(new Set(hashes).size).toBe(5);
});
