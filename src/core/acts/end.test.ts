/** How orders end without being paid, what puts an end off, and records that cannot be right. */
import { describe, expect, it } from 'vitest';
import type { Act } from '../act.ts';
import { decide } from '../decide.ts';
import {
  cancelOf,
  claimOf,
  closePlacedOf,
  exampleItem,
  expireOf,
  lifecycleOf,
  paymentStartedOf,
  payOf,
  said,
  stockOf,
} from '../example.ts';
import { ExampleShop } from '../example-shop.ts';
import type { BuyerId } from '../scalars.ts';

const HOLD_MS = 300_000;

function shopWithOne(settings: ConstructorParameters<typeof ExampleShop>[0] = {}): ExampleShop {
  const shop = ExampleShop.opened({ ...settings, items: [exampleItem('tee', { stock: 10 })] });
  shop.act(claimOf('o', { buyer: 'Bob', sku: 'tee', quantity: settings.settings?.limitPerBuyer ?? 1 }));
  return shop;
}

describe('one hold, one end', () => {
  const ENDS: Readonly<Record<string, Act>> = {
    'the buyer cancels': cancelOf('o', { buyer: 'Bob' }),
    'the merchant cancels': cancelOf('o'),
    'time ends it': expireOf('o'),
    'the provider ends it': payOf('o', { paymentId: 'p', result: 'expired', amountMinor: null }),
  };
  const pairs = Object.keys(ENDS).flatMap((first) => Object.keys(ENDS).map((second) => [first, second] as const));

  it.each(pairs)('H009, H010 %s, and %s: its 4 units come back once', (first, second) => {
    const shop = shopWithOne({ settings: { limitPerBuyer: 4 } });
    shop.act(claimOf('other', { buyer: 'amy', sku: 'tee', quantity: 4 }));
    shop.pass(HOLD_MS);
    shop.batch([ENDS[first] as Act, ENDS[second] as Act]);
    shop.act(ENDS[second] as Act);
    expect(shop.item()).toMatchObject({ total: 10, free: 6, held: 4, sold: 0 });
    expect(shop.units('bob')).toBe(0);
    expect(shop.units('amy')).toBe(4);
  });
});

describe('cancel', () => {
  it.each<[string, Act, string]>([
    ['its buyer', cancelOf('o', { buyer: 'Bob' }), 'cancelled'],
    ['somebody else', cancelOf('o', { buyer: 'amy' }), 'not_found'],
    ['another spelling of the buyer: ownership is exact', cancelOf('o', { buyer: 'bob' }), 'not_found'],
    ['the merchant', cancelOf('o'), 'cancelled'],
    ['an order that is not there', cancelOf('none'), 'not_found'],
  ])('%s', (_who, act, expected) => {
    expect(said(shopWithOne().act(act))).toBe(expected);
  });

  it('again finds it cancelled', () => {
    const shop = shopWithOne();
    const cancel = cancelOf('o', { buyer: 'Bob' });
    expect([shop.act(cancel), shop.act(cancel), shop.act(cancelOf('o'))].map(said)).toEqual([
      'cancelled',
      'cancelled unchanged',
      'cancelled unchanged',
    ]);
  });

  it('a paid order, by its buyer: wrong_state; by the merchant: refund_due, once', () => {
    const shop = shopWithOne();
    shop.act(payOf('o', { paymentId: 'p' }));
    expect(said(shop.act(cancelOf('o', { buyer: 'Bob' })))).toBe('wrong_state');
    expect(said(shop.act(cancelOf('o', { returnToStock: true, reason: 'damaged' })))).toBe('refund_due');
    expect(shop.rows().payments).toMatchObject([{ refund: 'due', refundReason: 'damaged' }]);
    expect(said(shop.act(cancelOf('o', { returnToStock: true })))).toBe('wrong_state');
    expect(shop.item()).toMatchObject({ free: 10, held: 0, sold: 0 });
  });

  it('works while the sale is paused and after it has ended', () => {
    const shop = shopWithOne();
    shop.act(lifecycleOf('end'));
    expect(said(shop.act(cancelOf('o', { buyer: 'Bob' })))).toBe('cancelled');
  });
});

describe('time', () => {
  it.each([
    [HOLD_MS - 1, 'held unchanged'],
    [HOLD_MS, 'expired'],
    [HOLD_MS + 1, 'expired'],
  ])('after %i ms of a hold of 300 s: %s', (ms, expected) => {
    const shop = shopWithOne();
    shop.pass(ms);
    expect(said(shop.act(expireOf('o')))).toBe(expected);
    expect(shop.order('o').closedAtMs).toBe(expected === 'expired' ? shop.now : null);
  });

  it('H014 refused claims of its buyer do not move the end of a hold', () => {
    const shop = shopWithOne();
    const { expiresAtMs } = shop.order('o');
    for (const second of [1, 2, 3]) {
      shop.pass(1000);
      expect(said(shop.act(claimOf(`o${second}`, { buyer: 'Bob', sku: 'tee' })))).toBe('limit_reached');
      expect(said(shop.act(claimOf(`o${second}`, { buyer: 'Bob', sku: 'tee', key: 'key-o' })))).toBe('held again');
    }
    expect(shop.order('o').expiresAtMs).toBe(expiresAtMs);
  });

  it('H012 three rounds of holds that nobody pays: the total is the total', () => {
    const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 100 })] });
    for (const round of [1, 2, 3]) {
      const ids = Array.from({ length: 100 }, (_, at) => `r${round}-${at}`);
      const verdicts = shop.batch(ids.map((id) => claimOf(id, { buyer: id, sku: 'tee' })));
      expect(verdicts.every((verdict) => said(verdict) === 'held')).toBe(true);
      shop.pass(HOLD_MS);
      shop.batch(ids.map((id) => expireOf(id)));
      expect(shop.item()).toMatchObject({ total: 100, free: 100, held: 0, sold: 0 });
    }
  });
});

describe('what a sweep found due', () => {
  it.each<[string, number, number, string]>([
    ['its end, reached', HOLD_MS, HOLD_MS, 'expired'],
    [
      'its end, while the clock of the books stands still: the sweep goes by the monotonic one too',
      0,
      HOLD_MS,
      'expired',
    ],
    ['another end', HOLD_MS, HOLD_MS - 1, 'held unchanged'],
    ['a later one', HOLD_MS, HOLD_MS + 1, 'held unchanged'],
  ])('%s', (_what, passMs, dueMs, expected) => {
    const shop = shopWithOne();
    const dueAtMs = shop.now + dueMs;
    shop.pass(passMs);
    expect(said(shop.act(expireOf('o', dueAtMs)))).toBe(expected);
  });

  it('does not end a hold that was lengthened since', () => {
    const shop = shopWithOne({ settings: { paymentGraceSeconds: 60 } });
    const found = shop.order('o').expiresAtMs as number;
    shop.act(paymentStartedOf('o'));
    shop.pass(HOLD_MS);
    expect(said(shop.act(expireOf('o', found)))).toBe('held unchanged');
    expect(said(shop.act(expireOf('o', found + 60_000)))).toBe('expired');
  });
});

describe('payment-started', () => {
  const grace = { settings: { paymentGraceSeconds: 120 } };

  it('lengthens the hold once', () => {
    const shop = shopWithOne(grace);
    const before = shop.order('o').expiresAtMs as number;
    expect(said(shop.act(paymentStartedOf('o')))).toBe('held');
    expect(shop.order('o').expiresAtMs).toBe(before + 120_000);
    expect(said(shop.act(paymentStartedOf('o')))).toBe('held unchanged');
    expect(shop.order('o').expiresAtMs).toBe(before + 120_000);
    shop.pass(HOLD_MS);
    expect(said(shop.act(expireOf('o')))).toBe('held unchanged');
    shop.pass(120_000);
    expect(said(shop.act(expireOf('o')))).toBe('expired');
  });

  it.each<[string, (shop: ExampleShop) => void, string]>([
    ['while the sale is paused', (shop) => shop.act(lifecycleOf('pause')), 'held'],
    ['H042 after the sale has ended', (shop) => shop.act(lifecycleOf('end')), 'sale_ended'],
    ['when the hold has run out, swept or not', (shop) => shop.pass(HOLD_MS), 'wrong_state'],
    ['when it has expired', (shop) => [shop.pass(HOLD_MS), shop.act(expireOf('o'))], 'wrong_state'],
    ['when it is paid', (shop) => shop.act(payOf('o', { paymentId: 'p' })), 'wrong_state'],
    ['when it is cancelled', (shop) => shop.act(cancelOf('o')), 'wrong_state'],
  ])('%s', (_when, befall, expected) => {
    const shop = shopWithOne(grace);
    befall(shop);
    expect(said(shop.act(paymentStartedOf('o')))).toBe(expected);
  });

  it('is not for an order that is only placed', () => {
    expect(
      said(shopWithOne({ settings: { deductAt: 'payment', paymentGraceSeconds: 60 } }).act(paymentStartedOf('o'))),
    ).toBe('wrong_state');
  });
});

describe('the last unit is paid', () => {
  it('what is still placed ends as refused, and only then', () => {
    const settings = { deductAt: 'payment', overAdmit: 3 } as const;
    const shop = ExampleShop.opened({ settings, items: [exampleItem('tee', { stock: 1 })] });
    shop.batch(['a', 'b', 'c'].map((id) => claimOf(id, { buyer: id, sku: 'tee' })));
    expect(said(shop.act(closePlacedOf('b')))).toBe('placed unchanged');
    shop.act(payOf('a', { paymentId: 'p' }));
    expect(shop.batch(['a', 'b', 'c', 'b'].map(closePlacedOf)).map(said)).toEqual([
      'paid unchanged',
      'refused',
      'refused',
      'refused unchanged',
    ]);
    expect(shop.item()).toMatchObject({ total: 1, free: 0, sold: 1, placed: 0 });
    expect(said(shop.act(payOf('b', { paymentId: 'late' })))).toBe('refund_due');
  });
});

describe('H016 a record that cannot be right is set aside, and holds up nobody', () => {
  it.each([
    ['a quantity of 0', { quantity: 0 }],
    ['a quantity that is no number', { quantity: Number.NaN }],
    ['more units than the item has held', { quantity: 50 }],
    ['a sku that is not there', { sku: 'gone' }],
    ['a buyer who has fewer units', { buyerKey: 'stranger' }],
  ])('%s', (_what, damage) => {
    const shop = ExampleShop.opened({
      items: [exampleItem('tee', { stock: 10 })],
      rules: (state, acts, now) => {
        const order = [...state.orders.values()].find((each) => each.orderId === 'bad');
        const isSweep = acts.every((act) => act.kind === 'expire');
        if (order === undefined || !isSweep) return decide(state, acts, now);
        const orders = new Map(state.orders).set(order.orderId, { ...order, ...(damage as Partial<typeof order>) });
        return decide({ ...state, orders }, acts, now);
      },
    });
    const ids = ['o1', 'bad', 'o2'];
    shop.batch(ids.map((id) => claimOf(id, { buyer: id, sku: 'tee' })));
    shop.pass(HOLD_MS);
    expect(shop.batch(ids.map((id) => expireOf(id))).map(said)).toEqual(['expired', 'set aside', 'expired']);
    expect(shop.order('bad')).toMatchObject({ status: 'held', parkedReason: expect.stringMatching(/./) });
    expect(shop.item()).toMatchObject({ free: 9, held: 1 });
    // It is reported once and left alone from then on.
    expect(said(shop.act(expireOf('bad')))).toBe('held unchanged');
  });
});

describe('details', () => {
  it('belong to the exact buyer, touch neither stock nor status, at any time', () => {
    const shop = shopWithOne();
    const details = (buyer: string, text: string) =>
      shop.act({ kind: 'set_details', orderId: shop.order('o').orderId, buyerId: buyer as BuyerId, details: text });
    expect(said(details('bob', '{}'))).toBe('not_found');
    expect(said(details('Bob', '{"contact":"🎟️ שלום"}'))).toBe('held');
    expect(said(details('Bob', '{"contact":"🎟️ שלום"}'))).toBe('held unchanged');
    shop.batch([cancelOf('o'), lifecycleOf('end')]);
    expect(said(details('Bob', '{}'))).toBe('cancelled');
    expect(shop.order('o').details).toBe('{}');
    expect(shop.item()).toMatchObject({ free: 10, held: 0 });
  });
});

it('H046 stock taken down to what is held and sold never makes an end fail', () => {
  const shop = shopWithOne({ settings: { limitPerBuyer: 4 } });
  expect(said(shop.act(stockOf('tee', -7)))).toBe('not_enough');
  shop.act(stockOf('tee', -6));
  expect(shop.item()).toMatchObject({ total: 4, free: 0, held: 4 });
  expect(said(shop.act(cancelOf('o')))).toBe('cancelled');
  expect(shop.item()).toMatchObject({ total: 4, free: 4, held: 0 });
});
