/** The judge of the crash tests, judged: a clean world passes, and each doctored one is reported. */
import { describe, expect, test } from 'vitest';
import { audit, type Books, type Judged, type LedgerOrder } from './audit.ts';
import { type OrderAttempt, Tally } from './tally.ts';

const attempt = (n: number): OrderAttempt => ({
  key: `key-${n}`,
  buyerId: `buyer-${n}`,
  sku: 'tee-m',
  quantity: 1,
  fate: 'acknowledged',
  orderId: `order-${n}`,
});

const order = (n: number, status: string, changes: Partial<LedgerOrder> = {}): LedgerOrder => ({
  orderId: `order-${n}`,
  buyerId: `buyer-${n}`,
  sku: 'tee-m',
  quantity: 1,
  status,
  placedAt: '2026-01-01T00:00:00.000Z',
  refundsDue: [],
  ...changes,
});

const item = { sku: 'tee-m', total: 10, available: 8, held: 1, sold: 1, inFlight: 0 };

function world(
  change: { orders?: LedgerOrder[]; books?: Partial<Books>; tally?: (tally: Tally) => void } = {},
): Judged {
  const tally = new Tally();
  const first = attempt(1);
  const second = attempt(2);
  const third = attempt(3);
  tally.orders.push(first, second, third, { ...attempt(4), fate: 'refused' });
  tally.acts.push({ kind: 'pay', attempt: second, id: 'pay-2', fate: 'acknowledged' });
  tally.acts.push({ kind: 'cancel', attempt: third, id: 'cancel-3', fate: 'acknowledged' });
  change.tally?.(tally);
  return {
    tally,
    orders: change.orders ?? [order(1, 'held'), order(2, 'paid'), order(3, 'cancelled')],
    books: { items: [item], orders: { held: 1, paid: 1, cancelled: 1 }, balanced: true, ...change.books },
    stock: { 'tee-m': 10 },
    limitPerBuyer: 1,
  };
}

test('a clean world has no fault', () => {
  expect(audit(world())).toEqual([]);
});

describe('each doctored world is reported', () => {
  const rows: [string, Judged, RegExp][] = [
    [
      'an acknowledged order that does not exist',
      world({ tally: (tally) => tally.orders.push(attempt(9)) }),
      /acknowledged order order-9 .* is missing/,
    ],
    [
      'an order that nobody was told of',
      world({ tally: (tally) => tally.orders.shift() }),
      /order-1 of buyer-1 belongs to no key/,
    ],
    [
      'two keys, one order',
      world({ tally: (tally) => tally.orders.push({ ...attempt(1), key: 'other' }) }),
      /answers two keys/,
    ],
    [
      'a key that never got an answer',
      world({ tally: (tally) => tally.orders.push({ ...attempt(5), fate: 'unanswered' }) }),
      /key-5 is still without an answer/,
    ],
    [
      'an acknowledged payment that is gone',
      world({ orders: [order(1, 'held'), order(2, 'held'), order(3, 'cancelled')] }),
      /order-2 is held, must be paid/,
    ],
    [
      'an order that changed by itself',
      world({ orders: [order(1, 'expired'), order(2, 'paid'), order(3, 'cancelled')] }),
      /order-1 is expired, must be held/,
    ],
    [
      'an order of somebody else',
      world({ orders: [order(1, 'held', { buyerId: 'eve' }), order(2, 'paid'), order(3, 'cancelled')] }),
      /not what buyer-1 asked for/,
    ],
    [
      'a buyer above the limit',
      world({ orders: [order(1, 'held', { buyerId: 'buyer-2' }), order(2, 'paid'), order(3, 'cancelled')] }),
      /buyer-2 has 2 units/,
    ],
    ['books that do not add up', world({ books: { items: [{ ...item, available: 9 }] } }), /= 11, total 10/],
    [
      'books that add up to another stock',
      world({ books: { items: [{ ...item, total: 11, available: 9 }] } }),
      /total 11, the merchant put in 10/,
    ],
    ['books and orders that differ', world({ books: { orders: { held: 2, paid: 1, cancelled: 1 } } }), /2 orders held/],
    ['books that call themselves unbalanced', world({ books: { balanced: false } }), /do not balance/],
    [
      'a refund out of nothing',
      world({ orders: [order(1, 'held'), order(2, 'paid', { refundsDue: [{}] }), order(3, 'cancelled')] }),
      /owes a refund/,
    ],
  ];
  for (const [name, judged, report] of rows)
    test(name, () => {
      expect(audit(judged).join('\n')).toMatch(report);
    });
});
