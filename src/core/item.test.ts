import { describe, expect, it } from 'vitest';
import { availabilityOf, orderableUnits } from './availability.ts';
import { EXAMPLE_SETTINGS, exampleItem } from './example.ts';
import { InvariantError } from './invariants.ts';
import { addStock, countPlaced, moveUnits, placeableMax, STOCK_MAX } from './item.ts';

// API.md: floor(stock × overAdmit), never less than the stock.
it.each([
  [100, 1.1, 110],
  [10, 1.1, 11],
  [9, 1.1, 9],
  [3, 1.5, 4],
  [1, 1.1, 1],
  [1, 3, 3],
  [0, 1.1, 0],
  [100, 1, 100],
  [100, 0.5, 100],
  // Where a product of floats falls just below the whole number: 1.1 × 30 = 33.000000000000004, 1.15 × 100 = 114.99999999999999.
  [30, 1.1, 33],
  [100, 1.15, 115],
  [100, 2.3, 230],
  [1000, 1.001, 1001],
  [STOCK_MAX, 1.1, 110_000_000],
  [STOCK_MAX, 1.000001, 100_000_100],
])('of %i units, over-admitted by %d, %i may be placed', (total, overAdmit, expected) => {
  expect(placeableMax(total, overAdmit)).toBe(expected);
});

const item = { ...exampleItem('tee', { stock: 10 }), free: 4, held: 3, sold: 3 };

describe('a unit is always in one place', () => {
  it('moves', () => {
    expect(moveUnits(item, 3, { from: 'held', to: 'free' })).toEqual({ ...item, free: 7, held: 0 });
    expect(moveUnits(item, 4, { from: 'free', to: 'sold' })).toEqual({ ...item, free: 0, sold: 7 });
    expect(addStock(item, 5)).toEqual({ ...item, total: 15, free: 9 });
    expect(addStock(item, -4)).toEqual({ ...item, total: 6, free: 0 });
    expect(countPlaced(item, 2)).toEqual({ ...item, placed: 2 });
  });

  it('and never moves from where it is not (I1)', () => {
    expect(() => moveUnits(item, 5, { from: 'free', to: 'held' })).toThrow(InvariantError);
    expect(() => moveUnits(item, 4, { from: 'held', to: 'sold' })).toThrow(InvariantError);
    expect(() => moveUnits(item, -4, { from: 'free', to: 'held' })).toThrow(InvariantError);
    expect(() => moveUnits(item, 0.5, { from: 'free', to: 'held' })).toThrow(InvariantError);
    expect(() => addStock(item, -5)).toThrow(InvariantError);
    expect(() => countPlaced(item, -1)).toThrow(InvariantError);
  });
});

describe('availability', () => {
  const order = { ...EXAMPLE_SETTINGS, deductAt: 'order' } as const;
  const payment = { ...EXAMPLE_SETTINGS, deductAt: 'payment', overAdmit: 1.5 } as const;
  const levels = (free: number, held: number, sold: number, placed = 0) => ({
    ...exampleItem('tee', { stock: free + held + sold }),
    free,
    held,
    sold,
    placed,
  });

  it.each([
    ['order', levels(1, 0, 0), 1, 'available'],
    ['order', levels(0, 1, 9), 0, 'all_held'],
    ['order', levels(0, 0, 10), 0, 'sold_out'],
    ['order', levels(0, 0, 0), 0, 'sold_out'],
    ['payment', levels(10, 0, 0, 0), 10, 'available'],
    ['payment', levels(10, 0, 0, 14), 1, 'available'],
    ['payment', levels(10, 0, 0, 15), 0, 'all_held'],
    ['payment', levels(4, 0, 6, 9), 0, 'all_held'],
    ['payment', levels(4, 0, 6, 8), 1, 'available'],
    ['payment', levels(0, 0, 10, 5), 0, 'sold_out'],
  ] as const)('deductAt %s, %o: %i can be ordered, %s', (deductAt, each, units, expected) => {
    const sale = deductAt === 'order' ? order : payment;
    expect(orderableUnits(sale, each)).toBe(units);
    expect(availabilityOf(sale, each)).toBe(expected);
  });
});
