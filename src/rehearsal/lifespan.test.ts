import { describe, expect, it } from 'vitest';
import { fullestMoment, lifespans } from './lifespan.ts';
import type { BookedOrder, OrderStatus } from './wire.ts';

const at = (seconds: number): string => new Date(Date.UTC(2030, 0, 1, 10, 0, 0) + seconds * 1000).toISOString();

const order = (status: OrderStatus, placed: number, more: Partial<BookedOrder> = {}): BookedOrder => ({
  orderId: `ord-${placed}`,
  buyerId: 'u1',
  sku: 'tee',
  quantity: 1,
  amountMinor: 1,
  currency: 'EUR',
  status,
  placedAt: at(placed),
  expiresAt: at(placed + 10),
  closedAt: null,
  refundsDue: [],
  ...more,
});

describe('the fullest moment', () => {
  it.each<[string, BookedOrder[], number]>([
    ['nothing', [], 0],
    ['two paid ones stay', [order('paid', 0), order('paid', 60)], 2],
    ['units count, not orders', [order('paid', 0, { quantity: 3 }), order('held', 1)], 4],
    ['an expired hold gives way at its end', [order('expired', 0, { closedAt: at(12) }), order('paid', 10)], 1],
    ['and not before', [order('expired', 0, { closedAt: at(12) }), order('paid', 9)], 2],
    ['a cancelled one gives way when it was closed', [order('cancelled', 0, { closedAt: at(3) }), order('paid', 3)], 1],
    ['a late payment revives nothing', [order('refund_due', 0), order('refunded', 20), order('paid', 40)], 1],
    ['a refused one never had a unit', [order('refused', 0), order('paid', 0)], 1],
  ])('%s', (_name, orders, most) => {
    expect(fullestMoment(lifespans(orders))).toBe(most);
  });

  it('read the other way, an ended order kept its unit until it was closed', () => {
    const orders = [order('expired', 0, { closedAt: at(12) }), order('paid', 11)];
    expect(fullestMoment(lifespans(orders))).toBe(1);
    expect(fullestMoment(lifespans(orders, 'longest'))).toBe(2);
  });
});
