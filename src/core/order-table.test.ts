/**
 * API.md's order table, whole: for an order in each status, what each thing that can befall it leads to, and where
 * its units then are. "Nothing else is legal" is every cell that says that the status stays.
 */
import { describe, expect, it } from 'vitest';
import type { Act } from './act.ts';
import {
  cancelOf,
  claimOf,
  closePlacedOf,
  exampleItem,
  expireOf,
  lifecycleOf,
  paymentStartedOf,
  payOf,
  refundedOf,
  stockOf,
} from './example.ts';
import { ExampleShop } from './example-shop.ts';
import type { OrderStatus } from './order.ts';
import type { DeductAt, LatePayment } from './sale.ts';

const STOCK = 5;
const UNITS = 2;
const AMOUNT_MINOR = 5000;
const HOLD_MS = 300_000;

type Start = Exclude<OrderStatus, 'accepted'>;

const paid = (paymentId: string) => payOf('o', { paymentId, amountMinor: AMOUNT_MINOR });

function shopWith(status: Start, late: LatePayment): ExampleShop {
  const deductAt: DeductAt = status === 'placed' || status === 'refused' ? 'payment' : 'order';
  const settings = { deductAt, latePayment: late, limitPerBuyer: 3, paymentGraceSeconds: 60 };
  const shop = ExampleShop.opened({ settings, items: [exampleItem('tee', { stock: STOCK })] });
  shop.act(claimOf('o', { buyer: 'bob', sku: 'tee', quantity: UNITS }));
  const steps: Record<Start, () => void> = {
    held: () => {},
    placed: () => {},
    paid: () => shop.act(paid('first')),
    cancelled: () => shop.act(cancelOf('o')),
    expired: () => lapse(shop),
    refused: () => {
      shop.batch([stockOf('tee', -STOCK), closePlacedOf('o'), stockOf('tee', STOCK)]);
    },
    refund_due: () => shop.batch([paid('first'), cancelOf('o', { returnToStock: true })]),
    refunded: () => shop.batch([paid('first'), cancelOf('o', { returnToStock: true }), refundedOf('o', 'first')]),
  };
  steps[status]();
  expect(shop.order('o').status).toBe(status);
  return shop;
}

function lapse(shop: ExampleShop): void {
  shop.pass(HOLD_MS + 60_000);
  shop.act(expireOf('o'));
}

/** What can befall an order, by column. */
const COLUMNS: readonly (readonly [string, (shop: ExampleShop) => void])[] = [
  ['succeeded', (shop) => shop.act(paid('new'))],
  ['failed', (shop) => shop.act(payOf('o', { paymentId: 'new', result: 'failed', amountMinor: null, currency: null }))],
  [
    'expired',
    (shop) => shop.act(payOf('o', { paymentId: 'new', result: 'expired', amountMinor: null, currency: null })),
  ],
  ['a cent too little', (shop) => shop.act(payOf('o', { paymentId: 'new', amountMinor: AMOUNT_MINOR - 1 }))],
  ['the buyer cancels', (shop) => shop.act(cancelOf('o', { buyer: 'bob' }))],
  ['the merchant cancels', (shop) => shop.act(cancelOf('o'))],
  ['time', lapse],
  ['a timer too early', (shop) => shop.act(expireOf('o'))],
  ['the last unit is paid', (shop) => shop.batch([stockOf('tee', -shop.item().free), closePlacedOf('o')])],
  ['closed while units are free', (shop) => shop.act(closePlacedOf('o'))],
  ['payment-started', (shop) => shop.act(paymentStartedOf('o'))],
  ['refunded', (shop) => shop.act(refundedOf('o', 'first'))],
];

type Row = readonly [Start, LatePayment, readonly OrderStatus[]];
/** One row per status; columns as above. */
const TABLE: readonly Row[] = [
  [
    'held',
    'refund',
    ['paid', 'held', 'expired', 'held', 'cancelled', 'cancelled', 'expired', 'held', 'held', 'held', 'held', 'held'],
  ],
  [
    'placed',
    'refund',
    [
      'paid',
      'placed',
      'expired',
      'placed',
      'cancelled',
      'cancelled',
      'expired',
      'placed',
      'refused',
      'placed',
      'placed',
      'placed',
    ],
  ],
  [
    'paid',
    'refund',
    ['paid', 'paid', 'paid', 'paid', 'paid', 'refund_due', 'paid', 'paid', 'paid', 'paid', 'paid', 'paid'],
  ],
  ['cancelled', 'refund', ['refund_due', ...Array<OrderStatus>(11).fill('cancelled')]],
  ['cancelled', 'retake', ['refund_due', ...Array<OrderStatus>(11).fill('cancelled')]],
  ['expired', 'refund', ['refund_due', ...Array<OrderStatus>(11).fill('expired')]],
  ['expired', 'retake', ['paid', ...Array<OrderStatus>(11).fill('expired')]],
  ['refused', 'retake', ['refund_due', ...Array<OrderStatus>(11).fill('refused')]],
  ['refund_due', 'retake', [...Array<OrderStatus>(11).fill('refund_due'), 'refunded']],
  ['refunded', 'retake', ['refund_due', ...Array<OrderStatus>(11).fill('refunded')]],
];

/** Where the order's two units are, by its status. A refund leaves them where they went: here, back to free. */
function unitsOf(status: OrderStatus): { held: number; sold: number; placed: number; counted: number } {
  const none = { held: 0, sold: 0, placed: 0, counted: 0 };
  if (status === 'held') return { ...none, held: UNITS, counted: UNITS };
  if (status === 'placed') return { ...none, placed: UNITS, counted: UNITS };
  if (status === 'paid') return { ...none, sold: UNITS, counted: UNITS };
  return none;
}

const cells = TABLE.flatMap(([from, late, row]) =>
  row.map((to, at) => ({ from, late, to, column: COLUMNS[at]![0], befall: COLUMNS[at]![1] })),
);

describe('from each status, by each thing that can befall an order', () => {
  it('has a cell for every pair', () => {
    for (const [, , row] of TABLE) expect(row).toHaveLength(COLUMNS.length);
  });

  it.each(cells.map((cell) => [cell.from, cell.late, cell.column, cell.to, cell] as const))(
    '%s (late: %s), %s: %s',
    (_from, _late, _column, to, cell) => {
      const shop = shopWith(cell.from, cell.late);
      cell.befall(shop);
      expect(shop.order('o').status).toBe(to);
      // The merchant's cancel without returnToStock is the one end after which a unit stays sold.
      const kept = cell.from === 'paid' && to === 'refund_due' ? UNITS : 0;
      const { held, sold, placed, counted } = unitsOf(to);
      const item = shop.item();
      expect(item).toMatchObject({ held, sold: sold + kept, placed, free: item.total - held - sold - kept });
      expect(shop.units('bob')).toBe(counted);
    },
  );
});

describe('the table by its rows', () => {
  const due = (shop: ExampleShop) =>
    shop
      .rows()
      .payments.filter((each) => each.refund === 'due')
      .map(({ paymentId, amountMinor }) => [paymentId, amountMinor]);

  it('placed, paid when not all its units are free: refund_due', () => {
    const shop = shopWith('placed', 'retake');
    shop.act(stockOf('tee', -(STOCK - 1)));
    shop.act(paid('p'));
    expect(shop.order('o').status).toBe('refund_due');
    expect(due(shop)).toEqual([['p', AMOUNT_MINOR]]);
    expect(shop.item()).toMatchObject({ total: 1, free: 1, held: 0, sold: 0, placed: 0 });
    expect(shop.units('bob')).toBe(0);
  });

  it.each(['held', 'placed'] as const)('%s, paid while the sale is paused or has ended: paid', (status) => {
    for (const kind of ['pause', 'end'] as const) {
      const shop = shopWith(status, 'refund');
      shop.act(lifecycleOf(kind));
      shop.act(paid('p'));
      expect(shop.order('o').status).toBe('paid');
    }
  });

  describe('expired, paid late, retake', () => {
    it.each<[string, (shop: ExampleShop) => void, OrderStatus]>([
      ['units are free', () => {}, 'paid'],
      ['exactly its units are free', (shop) => shop.act(stockOf('tee', -(STOCK - UNITS))), 'paid'],
      ['one unit too few is free', (shop) => shop.act(stockOf('tee', -(STOCK - UNITS + 1))), 'refund_due'],
      ['the limit leaves room', (shop) => shop.act(claimOf('more', { buyer: 'bob', sku: 'tee', quantity: 1 })), 'paid'],
      [
        'the limit is used up by another order',
        (shop) => shop.act(claimOf('more', { buyer: 'BOB', sku: 'tee', quantity: 2 })),
        'refund_due',
      ],
      ['the sale has ended by `end`', (shop) => shop.act(lifecycleOf('end')), 'refund_due'],
      ['the sale is paused: no retake either', (shop) => shop.act(lifecycleOf('pause')), 'refund_due'],
    ])('%s: %s', (_what, befall, expected) => {
      const shop = shopWith('expired', 'retake');
      befall(shop);
      const before = shop.item();
      shop.act(paid('p'));
      expect(shop.order('o').status).toBe(expected);
      const taken = expected === 'paid' ? UNITS : 0;
      expect(shop.item()).toMatchObject({ free: before.free - taken, sold: taken });
      expect(due(shop)).toEqual(expected === 'paid' ? [] : [['p', AMOUNT_MINOR]]);
    });

    it.each([
      [-1, 'paid'],
      [0, 'refund_due'],
    ])('%i ms from the end of the sale: %s', (ms, expected) => {
      const shop = shopWith('expired', 'retake');
      const ended = ExampleShop.opened({
        settings: {
          latePayment: 'retake',
          limitPerBuyer: UNITS,
          endsAtMs: shop.now,
        },
      });
      ended.act(claimOf('o', { buyer: 'bob', sku: 'tee', quantity: UNITS }));
      ended.pass(HOLD_MS);
      ended.act(expireOf('o'));
      ended.pass(shop.now - ended.now + ms);
      ended.act(paid('p'));
      expect(ended.order('o').status).toBe(expected);
    });
  });

  it('each further success adds one entry to refundsDue; the last one cleared makes it refunded', () => {
    const shop = shopWith('cancelled', 'refund');
    shop.batch([paid('a'), paid('b')]);
    expect(due(shop)).toEqual([
      ['a', AMOUNT_MINOR],
      ['b', AMOUNT_MINOR],
    ]);
    shop.act(refundedOf('o', 'a'));
    expect(shop.order('o').status).toBe('refund_due');
    shop.act(refundedOf('o', 'b'));
    expect(shop.order('o').status).toBe('refunded');
    shop.act(paid('c'));
    expect(shop.order('o').status).toBe('refund_due');
    expect(due(shop)).toEqual([['c', AMOUNT_MINOR]]);
  });

  it('a paid order stays paid beside its second payment, also when that went back', () => {
    const shop = shopWith('paid', 'refund');
    shop.act(paid('second'));
    expect(due(shop)).toEqual([['second', AMOUNT_MINOR]]);
    shop.act(refundedOf('o', 'second'));
    expect(shop.order('o').status).toBe('paid');
    expect(due(shop)).toEqual([]);
  });

  it('every entry has amount, currency and reason', () => {
    const shop = shopWith('paid', 'refund');
    const acts: Act[] = [paid('second'), cancelOf('o')];
    shop.batch(acts);
    const entries = shop.rows().payments.filter((each) => each.refund === 'due');
    expect(entries.map((each) => each.paymentId).sort()).toEqual(['first', 'second']);
    for (const entry of entries) {
      expect(entry).toMatchObject({ amountMinor: AMOUNT_MINOR, currency: 'EUR' });
      expect(entry.refundReason).toMatch(/./);
    }
  });

  it.each([
    [false, 3, 2],
    [true, 5, 0],
  ])(
    'a paid order that the merchant cancels with returnToStock %s leaves %i free and %i sold',
    (returnToStock, free, sold) => {
      const shop = shopWith('paid', 'refund');
      shop.act(cancelOf('o', { returnToStock }));
      expect(shop.item()).toMatchObject({ free, sold, held: 0 });
      expect(shop.order('o').status).toBe('refund_due');
    },
  );
});
