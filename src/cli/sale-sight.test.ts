import { expect, test } from 'vitest';
import { liveSight, type Sight, sightLine, sightTable, spanText } from './sale-sight.ts';
import { lookOf, noPaint } from './terminal/look.ts';
import { widthOf } from './terminal/text-width.ts';

const look = { ...lookOf({}, {}), paint: noPaint };
const nowMs = Date.UTC(2026, 9, 1, 8);

const sight = (change: Partial<Sight['sale']> = {}): Sight => ({
  sale: {
    saleId: 'drop',
    title: 'Autumn drop',
    phase: 'scheduled',
    version: 3,
    timeZone: 'Europe/Berlin',
    opensAt: '2026-10-01T08:02:05.000Z',
    endsAt: null,
    currency: 'EUR',
    limitPerBuyer: 1,
    holdSeconds: 300,
    guests: false,
    items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 100 }],
    ...change,
  },
  books: {
    items: [{ sku: 'tee-m', total: 100, available: 50, held: 30, sold: 20, inFlight: 0 }],
    orders: { held: 30, paid: 20 },
    balanced: true,
  },
});

test('once: facts and items, aligned, times on the clocks of the sale', () => {
  expect(sightTable(sight(), look)).toEqual([
    'drop is scheduled (version 3): Autumn drop',
    '  opens   2026-10-01 10:02 UTC+02:00, Europe/Berlin',
    '  ends    when told to',
    '  limit   1 per buyer',
    '  to pay  300 s',
    '  guests  no',
    '  orders  30 held, 20 paid',
    '',
    '  item   total  free  held  sold      price  title',
    '  tee-m    100    50    30    20  25.00 EUR  Tee M',
  ]);
});

test('live: countdown, bar, orders', () => {
  expect(liveSight(sight(), { width: 80, nowMs, look, note: null })).toEqual([
    'drop is scheduled (version 3): Autumn drop, opens in 2:05',
    '',
    '  tee-m  ████████▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░  20 sold, 30 held, 50 free',
    '',
    '  orders: 30 held, 20 paid',
    '  Ctrl-C ends the view, not the sale.',
  ]);
  const open = liveSight(sight({ phase: 'open', endsAt: '2026-10-01T09:00:00.000Z' }), {
    width: 80,
    nowMs,
    look,
    note: 'x',
  });
  expect(open[0]).toMatch(/is open .*, ends in 1:00:00$/);
  expect(open.at(-1)).toBe('  x');
  for (const line of liveSight(sight(), { width: 40, nowMs, look, note: null }))
    expect(widthOf(line)).toBeLessThanOrEqual(40);
});

test('books that do not balance are told everywhere', () => {
  const broken = { ...sight(), books: { ...sight().books, balanced: false } };
  expect(sightTable(broken, look).join()).toContain('DO NOT BALANCE');
  expect(liveSight(broken, { width: 80, nowMs, look, note: null }).join()).toContain('DO NOT BALANCE');
});

test('a line for a pipe', () => {
  expect(sightLine(sight())).toBe('drop is scheduled; tee-m 20 sold, 30 held, 50 free; orders: 30 held, 20 paid');
});

test.each([
  [-5, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [60_000, '1:00'],
  [125_000, '2:05'],
  [3_600_000, '1:00:00'],
  [86_400_000 * 2 + 3_600_000 * 3, '2 d 03:00:00'],
])('%i ms are %s', (ms, text) => expect(spanText(ms)).toBe(text));
