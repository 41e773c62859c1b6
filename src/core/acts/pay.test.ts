/** Payment callbacks: figures, repeats, parked ones (API.md, Merchant, Payments). */
import { describe, expect, it } from 'vitest';
import type { Pay } from '../act.ts';
import { cancelOf, claimOf, exampleItem, payOf, resolveOf, said } from '../example.ts';
import { ExampleShop } from '../example-shop.ts';

/** Orders `o` and `other`, held, 25.00 EUR each. */
function shopWithTwo(): ExampleShop {
  const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 5 })] });
  shop.batch([claimOf('o', { buyer: 'bob', sku: 'tee' }), claimOf('other', { buyer: 'amy', sku: 'tee' })]);
  return shop;
}

const paymentOf = (shop: ExampleShop, paymentId: string) =>
  shop.rows().payments.find((each) => each.paymentId === paymentId);

describe('figures', () => {
  // H020: an order of 100.00 EUR.
  it.each<[number | null, string | null, string]>([
    [10000, 'EUR', 'paid'],
    [9999, 'EUR', 'payment_mismatch'],
    [10001, 'EUR', 'payment_mismatch'],
    [10000, 'USD', 'payment_mismatch'],
    [10000, 'eur', 'payment_mismatch'],
    [10000, null, 'payment_mismatch'],
    [null, 'EUR', 'payment_mismatch'],
    [0, 'EUR', 'payment_mismatch'],
  ])('H020 a success of %s %s for 100.00 EUR: %s', (amountMinor, currency, expected) => {
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: 4 }, items: [exampleItem('tee', { stock: 4 })] });
    shop.act(claimOf('o', { buyer: 'bob', sku: 'tee', quantity: 4 }));
    expect(said(shop.act(payOf('o', { paymentId: 'p', amountMinor, currency })))).toBe(expected);
    expect(paymentOf(shop, 'p')?.state).toBe(expected === 'paid' ? 'applied' : 'parked');
    expect(shop.order('o').status).toBe(expected === 'paid' ? 'paid' : 'held');
    expect(shop.item()).toMatchObject(expected === 'paid' ? { held: 0, sold: 4 } : { held: 4, sold: 0 });
  });

  it.each<[Pay['result'], number | null, string | null, string]>([
    ['failed', null, null, 'held'],
    ['failed', 2500, 'EUR', 'held'],
    ['failed', 2500, null, 'held'],
    ['failed', 2400, 'EUR', 'payment_mismatch'],
    ['failed', null, 'USD', 'payment_mismatch'],
    ['expired', null, null, 'expired'],
    ['expired', 2500, 'EUR', 'expired'],
    ['expired', 2400, null, 'payment_mismatch'],
  ])('%s with %s %s, both optional: %s', (result, amountMinor, currency, expected) => {
    const shop = shopWithTwo();
    expect(said(shop.act(payOf('o', { paymentId: 'p', result, amountMinor, currency })))).toBe(expected);
    expect(shop.order('o').status).toBe(expected === 'expired' ? 'expired' : 'held');
  });

  it('H050 the total is exact for 80.60, 19.99 and 0.07, times 1 to 10', () => {
    for (const [priceMinor, quantity] of [8060, 1999, 7].flatMap((price) =>
      [1, 3, 6, 7, 9, 10].map((n) => [price, n] as const),
    )) {
      const shop = ExampleShop.opened({
        settings: { limitPerBuyer: 10 },
        items: [exampleItem('tee', { stock: 10, priceMinor })],
      });
      shop.act(claimOf('o', { buyer: 'bob', sku: 'tee', quantity }));
      const wrong = [priceMinor * quantity - 1, priceMinor * quantity + 1].map((amountMinor, at) =>
        said(shop.act(payOf('o', { paymentId: `w${at}`, amountMinor }))),
      );
      expect(wrong).toEqual(['payment_mismatch', 'payment_mismatch']);
      expect(said(shop.act(payOf('o', { paymentId: 'p', amountMinor: priceMinor * quantity })))).toBe('paid');
    }
  });
});

describe('known by id and result', () => {
  it.each<[string, readonly Partial<Parameters<typeof payOf>[1]>[], readonly string[]]>([
    ['the same success again changes nothing', [{}, {}, {}], ['paid', 'paid again', 'paid again']],
    ['failed, then succeeded, is applied', [{ result: 'failed' }, {}], ['held', 'paid']],
    ['after succeeded nothing lowers it', [{}, { result: 'failed' }, { result: 'expired' }], ['paid', 'paid', 'paid']],
    ['failed keeps the hold, expired ends it', [{ result: 'failed' }, { result: 'expired' }], ['held', 'expired']],
    ['failed twice', [{ result: 'failed' }, { result: 'failed' }], ['held', 'held again']],
    ['expired twice', [{ result: 'expired' }, { result: 'expired' }], ['expired', 'expired again']],
    ['expired, then succeeded: money that must go back', [{ result: 'expired' }, {}], ['expired', 'refund_due']],
    [
      'wrong, then right: applied, and it closes the parked one',
      [{ amountMinor: 1 }, {}],
      ['payment_mismatch', 'paid'],
    ],
    ['wrong twice', [{ amountMinor: 1 }, { amountMinor: 1 }], ['payment_mismatch', 'payment_mismatch']],
    ['right, then another amount: recorded only', [{}, { amountMinor: 1 }], ['paid', 'payment_mismatch']],
  ])('%s', (_what, events, expected) => {
    const shop = shopWithTwo();
    expect(events.map((event) => said(shop.act(payOf('o', { paymentId: 'p', ...event }))))).toEqual(expected);
    expect(shop.rows().payments.filter((each) => each.state === 'parked')).toHaveLength(
      expected.at(-1) === 'payment_mismatch' && expected[0] !== 'paid' ? 1 : 0,
    );
    expect(shop.item().sold).toBe(expected.includes('paid') ? 1 : 0);
  });

  it('one that was parked and put away is applied when it comes again with the right figures', () => {
    const shop = shopWithTwo();
    shop.act(payOf('o', { paymentId: 'p', amountMinor: 1 }));
    shop.act(resolveOf('o', 'p', 'ignored'));
    expect(said(shop.act(payOf('o', { paymentId: 'p', amountMinor: 2 })))).toBe('payment_mismatch');
    expect(said(shop.act(payOf('o', { paymentId: 'p' })))).toBe('paid');
    expect(paymentOf(shop, 'p')).toMatchObject({ state: 'applied', amountMinor: 2500 });
  });

  it('a payment that was applied cannot pay another order', () => {
    const shop = shopWithTwo();
    shop.act(payOf('o', { paymentId: 'p' }));
    const before = shop.rows();
    expect(said(shop.act(payOf('other', { paymentId: 'p' })))).toBe('payment_mismatch');
    const { audit, ...rows } = shop.rows();
    expect({ ...rows, audit: before.audit }).toEqual(before);
    expect(audit.length).toBe(before.audit.length + 1);
    expect(audit.at(-1)).toMatchObject({ action: 'payment.conflict', orderId: 'other', paymentId: 'p' });
  });

  it('one that is parked does not use its id up, for its order or for another', () => {
    const shop = shopWithTwo();
    shop.act(payOf('o', { paymentId: 'p', amountMinor: 1 }));
    expect(said(shop.act(payOf('other', { paymentId: 'p' })))).toBe('paid');
    expect(shop.order('o').status).toBe('held');
    expect(shop.rows().payments).toMatchObject([
      { paymentId: 'p', orderId: 'other', state: 'applied', amountMinor: 2500 },
    ]);
  });

  it('one that a person decided on stays as decided', () => {
    const shop = shopWithTwo();
    shop.act(payOf('o', { paymentId: 'p', amountMinor: 1 }));
    shop.act(resolveOf('o', 'p', 'ignored'));
    expect(said(shop.act(payOf('o', { paymentId: 'p', amountMinor: 1 })))).toBe('held again');
    expect(paymentOf(shop, 'p')?.state).toBe('resolved');
  });

  it('twice in one batch, one transition', () => {
    const shop = shopWithTwo();
    const verdicts = shop.batch([payOf('o', { paymentId: 'p' }), payOf('o', { paymentId: 'p' })]);
    expect(verdicts.map(said)).toEqual(['paid', 'paid again']);
    expect(shop.item()).toMatchObject({ free: 3, held: 1, sold: 1 });
  });

  it('two different ones in one batch: one pays, the other must go back', () => {
    const shop = shopWithTwo();
    shop.batch([payOf('o', { paymentId: 'p' }), payOf('o', { paymentId: 'q' })]);
    expect(shop.order('o').status).toBe('paid');
    expect(paymentOf(shop, 'p')).toMatchObject({ refund: 'none' });
    expect(paymentOf(shop, 'q')).toMatchObject({ refund: 'due', refundReason: 'second_payment' });
  });
});

it('a payment of an order that nobody knows is not found, and takes nothing', () => {
  const shop = shopWithTwo();
  const before = shop.rows();
  expect(said(shop.act(payOf('nobody', { paymentId: 'p' })))).toBe('not_found');
  expect(shop.rows()).toEqual(before);
});

it('H017 late after expiry, while somebody else has the unit: refund due, the other is untouched', () => {
  const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 1 })] });
  shop.act(claimOf('a', { buyer: 'amy', sku: 'tee' }));
  shop.pass(300_000);
  shop.batch([{ kind: 'expire', orderId: shop.order('a').orderId }, claimOf('b', { buyer: 'bob', sku: 'tee' })]);
  shop.act(payOf('b', { paymentId: 'pb' }));
  const verdict = shop.act(payOf('a', { paymentId: 'pa' }));
  expect(verdict).toMatchObject({
    order: { orderId: 'a', status: 'refund_due' },
    refundsDue: [{ paymentId: 'pa', amountMinor: 2500, currency: 'EUR', refundReason: 'paid_after_expiry' }],
  });
  expect(shop.order('b').status).toBe('paid');
  expect(shop.item()).toMatchObject({ free: 0, held: 0, sold: 1 });
});

it('a cancel and a payment that race: whichever comes first decides, and the unit has one end', () => {
  const cancelFirst = shopWithTwo();
  expect(cancelFirst.batch([cancelOf('o', { buyer: 'bob' }), payOf('o', { paymentId: 'p' })]).map(said)).toEqual([
    'cancelled',
    'refund_due',
  ]);
  expect(cancelFirst.item()).toMatchObject({ free: 4, held: 1, sold: 0 });
  const payFirst = shopWithTwo();
  expect(payFirst.batch([payOf('o', { paymentId: 'p' }), cancelOf('o', { buyer: 'bob' })]).map(said)).toEqual([
    'paid',
    'wrong_state',
  ]);
  expect(payFirst.item()).toMatchObject({ free: 3, held: 1, sold: 1 });
});
