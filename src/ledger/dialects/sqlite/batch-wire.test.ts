import { expect, it } from 'vitest';
import type { Act } from '../../../core/act.ts';
import type { BatchResult } from '../../../core/books.ts';
import { packActs, packResult, unpackActs, unpackResult } from './batch-wire.ts';

const claim = (over: Record<string, unknown> = {}): Act =>
  ({
    kind: 'claim',
    orderId: 'o-1',
    buyerId: 'Ärger 秒杀',
    buyerKey: 'ärger 秒杀',
    key: 'k"1',
    sku: 'a',
    quantity: 2,
    purchaseKey: '',
    ...over,
  }) as Act;
const pause = { kind: 'pause', by: 'merchant', purchaseKey: 'p' } as Act;

it('hands acts over as they were, in their order, claims among others', () => {
  const split = claim({ orderId: 'o-3', purchaseKey: 'a\nb' });
  const acts = [pause, claim(), split, claim({ orderId: 'o-2', purchaseKey: 'pk' }), pause];
  expect(unpackActs(structuredClone(packActs(acts)))).toEqual(acts);
  expect(unpackActs(structuredClone(packActs([])))).toEqual([]);
});

it('hands results back as they were', () => {
  const acts = [claim(), claim({ orderId: 'o-2' }), claim({ orderId: 'o-3' }), claim({ orderId: 'o-4' })];
  const order = {
    orderId: 'o-1',
    saleNo: 7,
    sku: 'a',
    quantity: 2,
    unitPriceMinor: 100,
    buyerId: 'Ärger 秒杀',
    buyerKey: 'ärger 秒杀',
    key: 'k"1',
    status: 'held',
    placedAtMs: 5,
    updatedAtMs: 5,
    expiresAtMs: 9,
    paidAtMs: null,
    closedAtMs: null,
    graceUsed: false,
    details: null,
    parkedReason: null,
  };
  const made = { outcome: 'order', order, changed: true, replayed: false, refundsDue: [] };
  const result = {
    verdicts: [
      made,
      { outcome: 'refused', code: 'sold_out', detail: 'Sold out.' },
      { ...made, order: { ...order, orderId: 'o-3' } },
      {
        ...made,
        order: { ...order, orderId: 'o-4', status: 'paid', unitPriceMinor: 0, expiresAtMs: null, paidAtMs: 5 },
      },
    ],
    atMs: 5,
    sale: null,
    items: [],
  } as unknown as BatchResult;
  expect(unpackResult(acts, structuredClone(packResult(7, acts, result)))).toEqual(result);
});
