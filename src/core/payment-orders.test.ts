/**
 * Payments in every order of arrival: all permutations of six or seven events about one order, against the order table
 * written down as a few lines. Whatever the order, the end is the table's, and no unit is lost or made (I1, I3).
 */
import { describe, expect, it } from 'vitest';
import type { Act } from './act.ts';
import { cancelOf, claimOf, exampleItem, expireOf, lifecycleOf, payOf } from './example.ts';
import { ExampleShop } from './example-shop.ts';
import type { DeductAt, LatePayment } from './sale.ts';

type EventName =
  | 'p+'
  | 'p+ again'
  | 'p-'
  | 'p expired'
  | 'q+'
  | 'wrong'
  | 'buyer cancels'
  | 'time'
  | 'end'
  | 'merchant cancels';

const HOLD_MS = 300_000;
const acts: Record<EventName, Act> = {
  'p+': payOf('o', { paymentId: 'p' }),
  'p+ again': payOf('o', { paymentId: 'p' }),
  'p-': payOf('o', { paymentId: 'p', result: 'failed' }),
  'p expired': payOf('o', { paymentId: 'p', result: 'expired', amountMinor: null, currency: null }),
  'q+': payOf('o', { paymentId: 'q' }),
  wrong: payOf('o', { paymentId: 'w', amountMinor: 2499 }),
  'buyer cancels': cancelOf('o', { buyer: 'bob' }),
  time: expireOf('o'),
  end: lifecycleOf('end'),
  'merchant cancels': cancelOf('o', { returnToStock: true }),
};

interface Expected {
  status: string;
  refundsDue: string[];
  seen: Set<string>;
  paidBy: string;
  ended: boolean;
}

/** API.md's order table for one order of one unit in a sale with units to spare. */
function follow(expected: Expected, event: EventName, late: LatePayment): void {
  const live = expected.status === 'held' || expected.status === 'placed';
  switch (event) {
    case 'p+':
    case 'p+ again':
    case 'q+': {
      const paymentId = event.charAt(0);
      if (expected.seen.has(paymentId)) return;
      expected.seen.add(paymentId);
      const retaken = expected.status === 'expired' && late === 'retake' && !expected.ended;
      if (live || retaken) {
        expected.status = 'paid';
        expected.paidBy = paymentId;
        return;
      }
      expected.refundsDue.push(paymentId);
      if (expected.status !== 'paid') expected.status = 'refund_due';
      return;
    }
    case 'p expired':
    case 'time':
      if (live) expected.status = 'expired';
      return;
    case 'buyer cancels':
      if (live) expected.status = 'cancelled';
      return;
    case 'merchant cancels':
      if (live) expected.status = 'cancelled';
      else if (expected.status === 'paid') {
        expected.status = 'refund_due';
        expected.refundsDue.push(expected.paidBy);
      }
      return;
    case 'end':
      expected.ended = true;
      return;
    case 'p-':
    case 'wrong':
      return;
  }
}

function* permutations<T>(of: readonly T[]): Generator<T[]> {
  if (of.length === 0) yield [];
  for (const [at, first] of of.entries()) for (const rest of permutations(of.toSpliced(at, 1))) yield [first, ...rest];
}

function play(events: readonly EventName[], deductAt: DeductAt, latePayment: LatePayment): string | null {
  const shop = ExampleShop.opened({ settings: { deductAt, latePayment }, items: [exampleItem('tee', { stock: 3 })] });
  shop.act(claimOf('o', { buyer: 'bob', sku: 'tee' }));
  shop.pass(HOLD_MS);
  const expected: Expected = {
    status: deductAt === 'order' ? 'held' : 'placed',
    refundsDue: [],
    seen: new Set(),
    paidBy: '',
    ended: false,
  };
  for (const event of events) {
    shop.act(acts[event]);
    follow(expected, event, latePayment);
  }
  const { status } = shop.order('o');
  const { free, held, sold, placed } = shop.item();
  const refunds = shop
    .rows()
    .payments.filter((each) => each.refund === 'due')
    .map((each) => each.paymentId);
  const got = { status, free, held, sold, placed, units: shop.units('bob'), refunds: refunds.sort().join() };
  const sells = expected.status === 'paid' ? 1 : 0;
  const holds = expected.status === 'held' ? 1 : 0;
  const places = expected.status === 'placed' ? 1 : 0;
  const want = {
    status: expected.status,
    free: 3 - sells - holds,
    held: holds,
    sold: sells,
    placed: places,
    units: sells + holds + places,
    refunds: expected.refundsDue.sort().join(),
  };
  return JSON.stringify(got) === JSON.stringify(want)
    ? null
    : `${events.join(', ')}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`;
}

describe('every permutation ends as the table says', () => {
  const SEVEN: readonly EventName[] = ['p+', 'p+ again', 'p-', 'p expired', 'q+', 'wrong', 'buyer cancels'];
  const SIX: readonly EventName[] = ['p+', 'q+', 'p-', 'time', 'end', 'merchant cancels'];
  it.each<[DeductAt, LatePayment, readonly EventName[], number]>([
    ['order', 'refund', SIX, 720],
    ['order', 'retake', SIX, 720],
    ['payment', 'refund', SIX, 720],
    ['payment', 'retake', SIX, 720],
    ['order', 'retake', SEVEN, 5040],
    ['payment', 'refund', SEVEN, 5040],
  ])('deductAt %s, late payments: %s, of %j', (deductAt, late, events, count) => {
    let played = 0;
    for (const permutation of permutations(events)) {
      const fault = play(permutation, deductAt, late);
      if (fault !== null) expect.fail(fault);
      played++;
    }
    expect(played).toBe(count);
  });
});
