/** An order request: every refusal in its place, and what an order is when it is made (API.md, Codes of refusal, Shopper). */
import { describe, expect, it } from 'vitest';
import type { Claim } from '../act.ts';
import {
  cancelOf,
  claimOf,
  EXAMPLE_PURCHASE_KEY,
  exampleItem,
  expireOf,
  lifecycleOf,
  payOf,
  said,
  stockOf,
} from '../example.ts';
import { ExampleShop } from '../example-shop.ts';
import type { SaleSettings } from '../sale.ts';
import type { Sku } from '../scalars.ts';

const bob = (orderId: string, about: Partial<Parameters<typeof claimOf>[1]> = {}) =>
  claimOf(orderId, { buyer: 'bob', sku: 'tee', ...about });

describe('precedence: of two reasons to refuse, the earlier is told', () => {
  interface Reason {
    readonly code: string;
    /** Brings it about: in the sale, or in the claim. */
    readonly befall: (shop: ExampleShop) => void;
    readonly claim?: Partial<Claim>;
  }
  /** In API.md's order. Of the three phases only one can be at a time. */
  const REASONS: readonly Reason[] = [
    { code: 'not_found', befall: () => {}, claim: { sku: 'none' as Sku } },
    {
      code: 'idempotency_conflict',
      befall: (shop) => expect(said(shop.act(bob('first', { key: 'k' })))).toBe('held'),
      claim: { key: 'k', quantity: 5 },
    },
    { code: 'sale_paused', befall: (shop) => shop.act(lifecycleOf('pause')) },
    { code: 'wrong_purchase_key', befall: () => {}, claim: { purchaseKey: 'wrong' } },
    { code: 'limit_reached', befall: (shop) => shop.act(bob('earlier')), claim: { quantity: 4 } },
    {
      code: 'sold_out',
      befall: (shop) => shop.act(claimOf('all', { buyer: 'amy', sku: 'tee', quantity: shop.item().free })),
      claim: { quantity: 3 },
    },
  ];
  const pairs = REASONS.flatMap((earlier, at) => REASONS.slice(at).map((later) => ({ earlier, later })));

  it.each(pairs.map((pair) => [pair.earlier.code, pair.later.code, pair] as const))(
    '%s before %s',
    (_first, _second, { earlier, later }) => {
      const shop = ExampleShop.opened({ settings: { limitPerBuyer: 4 }, items: [exampleItem('tee', { stock: 4 })] });
      // The pause comes last: a sale that is paused would take no order to bring the other reason about.
      const last = (reason: Reason) => Number(reason.code === 'sale_paused');
      for (const reason of new Set([earlier, later].sort((a, b) => last(a) - last(b)))) reason.befall(shop);
      const before = shop.rows();
      expect(said(shop.act({ ...bob('asked'), ...later.claim, ...earlier.claim }))).toBe(earlier.code);
      expect(shop.rows()).toEqual(before);
    },
  );

  it('limit_reached before not_enough, not_enough when only the stock is short', () => {
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: 4 }, items: [exampleItem('tee', { stock: 2 })] });
    expect(said(shop.act(bob('o1', { quantity: 5 })))).toBe('limit_reached');
    expect(shop.act(bob('o2', { quantity: 3 }))).toMatchObject({ code: 'not_enough', available: 2 });
    expect(said(shop.act(bob('o3', { quantity: 2 })))).toBe('held');
  });

  it('a sku that is not there is not_found, whatever the phase', () => {
    const shop = new ExampleShop();
    shop.act(lifecycleOf('schedule'));
    expect(said(shop.act(bob('o1', { sku: 'none' })))).toBe('not_found');
  });
});

describe('phase and time', () => {
  const MINUTE_MS = 60_000;
  const opensAndEnds = (shop: ExampleShop): Partial<SaleSettings> => ({
    opensAtMs: (shop.now + MINUTE_MS) as SaleSettings['opensAtMs'],
    endsAtMs: (shop.now + 2 * MINUTE_MS) as SaleSettings['endsAtMs'],
  });
  const settings = opensAndEnds(new ExampleShop());

  it.each<[string, number, readonly Parameters<typeof lifecycleOf>[0][], string]>([
    ['a draft', 0, [], 'not_found'],
    ['scheduled, 1 ms before the opening', MINUTE_MS - 1, ['schedule'], 'not_open'],
    ['past opensAt, not opened yet', MINUTE_MS, ['schedule'], 'not_open'],
    ['opened early by hand', 0, ['schedule', 'open'], 'held'],
    ['1 ms before the end', 2 * MINUTE_MS - 1, ['schedule', 'open'], 'held'],
    ['at the end', 2 * MINUTE_MS, ['schedule', 'open'], 'sale_ended'],
    ['after the end', 3 * MINUTE_MS, ['schedule', 'open'], 'sale_ended'],
    ['paused', 0, ['schedule', 'open', 'pause'], 'sale_paused'],
    ['paused, past the end', 2 * MINUTE_MS, ['schedule', 'open', 'pause'], 'sale_ended'],
    ['resumed', 0, ['schedule', 'open', 'pause', 'resume'], 'held'],
    ['ended by hand', 0, ['schedule', 'open', 'end'], 'sale_ended'],
    ['ended before it opened', 0, ['schedule', 'end'], 'sale_ended'],
  ])('%s', (_what, passMs, kinds, expected) => {
    const shop = new ExampleShop({ settings });
    for (const kind of kinds) expect(shop.act(lifecycleOf(kind)).outcome).toBe('sale');
    shop.pass(passMs);
    expect(said(shop.act(bob('o1')))).toBe(expected);
  });

  // H041: a start alone, an end alone.
  it.each<[Partial<SaleSettings>, number, string]>([
    [{ opensAtMs: settings.opensAtMs ?? null }, MINUTE_MS - 1, 'not_open'],
    [{ opensAtMs: settings.opensAtMs ?? null }, MINUTE_MS, 'held'],
    [{ endsAtMs: settings.endsAtMs ?? null }, 2 * MINUTE_MS - 1, 'not_open'],
    [{ endsAtMs: settings.endsAtMs ?? null }, 2 * MINUTE_MS, 'sale_ended'],
  ])('H041 with only %j, %i ms later: %s', (some, passMs, expected) => {
    const shop = new ExampleShop({ settings: some });
    shop.act(lifecycleOf('schedule'));
    shop.pass(passMs);
    shop.act(lifecycleOf('open', { by: 'schedule' }));
    expect(said(shop.act(bob('o1')))).toBe(expected);
  });

  it('stays open when the clock goes back behind the opening', () => {
    const shop = new ExampleShop({ settings });
    shop.act(lifecycleOf('schedule'));
    shop.pass(MINUTE_MS);
    shop.act(lifecycleOf('open', { by: 'schedule' }));
    shop.pass(-10 * MINUTE_MS);
    expect(said(shop.act(bob('o1')))).toBe('held');
  });
});

it.each([
  ['', 'wrong_purchase_key'],
  ['purchase-ke', 'wrong_purchase_key'],
  ['PURCHASE-KEY', 'wrong_purchase_key'],
  [`${EXAMPLE_PURCHASE_KEY} `, 'wrong_purchase_key'],
  [EXAMPLE_PURCHASE_KEY, 'held'],
])('purchase key %j: %s', (purchaseKey, expected) => {
  expect(said(ExampleShop.opened().act(bob('o1', { purchaseKey })))).toBe(expected);
});

describe('what is made', () => {
  it('an order that is held, with its figures', () => {
    const shop = ExampleShop.opened({
      settings: { limitPerBuyer: 3, holdSeconds: 60 },
      items: [exampleItem('tee', { stock: 4, priceMinor: 1999 })],
    });
    const verdict = shop.act(claimOf('o1', { buyer: ' Bob', sku: 'tee', quantity: 3, key: 'k' }));
    expect(verdict).toEqual({
      outcome: 'order',
      order: shop.order('o1'),
      changed: true,
      replayed: false,
      refundsDue: [],
    });
    expect(shop.order('o1')).toMatchObject({
      orderId: 'o1',
      sku: 'tee',
      quantity: 3,
      unitPriceMinor: 1999,
      buyerId: ' Bob',
      buyerKey: 'bob',
      key: 'k',
      status: 'held',
      placedAtMs: shop.now,
      updatedAtMs: shop.now,
      expiresAtMs: shop.now + 60_000,
      paidAtMs: null,
      closedAtMs: null,
    });
    expect(shop.item()).toMatchObject({ total: 4, free: 1, held: 3, sold: 0, placed: 0 });
    expect(shop.units('bob')).toBe(3);
  });

  it('with deductAt payment an order that is placed: it takes no unit', () => {
    const shop = ExampleShop.opened({ settings: { deductAt: 'payment', holdSeconds: 60 } });
    expect(said(shop.act(bob('o1')))).toBe('placed');
    expect(shop.order('o1')).toMatchObject({ status: 'placed', expiresAtMs: shop.now + 60_000, paidAtMs: null });
    expect(shop.item()).toMatchObject({ total: 10, free: 10, held: 0, sold: 0, placed: 1 });
    expect(shop.units('bob')).toBe(1);
  });

  it.each(['order', 'payment'] as const)('where the amount is 0, an order that is paid (deductAt %s)', (deductAt) => {
    const items = [exampleItem('tee', { stock: 2, priceMinor: 0 })];
    const shop = ExampleShop.opened({ settings: { deductAt, limitPerBuyer: 2 }, items });
    expect(said(shop.act(bob('o1', { quantity: 2 })))).toBe('paid');
    expect(shop.order('o1')).toMatchObject({ expiresAtMs: null, paidAtMs: shop.now });
    expect(shop.item()).toMatchObject({ free: 0, held: 0, sold: 2, placed: 0 });
    expect(shop.units('bob')).toBe(2);
    expect(shop.rows().payments).toMatchObject([
      { orderId: 'o1', result: 'succeeded', amountMinor: 0, refund: 'none' },
    ]);
    expect(shop.act(claimOf('o2', { buyer: 'amy', sku: 'tee' }))).toMatchObject({
      code: 'sold_out',
      availability: 'sold_out',
    });
  });
});

describe('the same key again', () => {
  const shop = () =>
    ExampleShop.opened({
      settings: { limitPerBuyer: 2 },
      items: [exampleItem('tee', { stock: 2 }), exampleItem('cap', { stock: 2 })],
    });

  it.each<[string, Partial<Claim>, string]>([
    ['the same body', {}, 'held again'],
    ['another quantity (H026)', { quantity: 2 }, 'idempotency_conflict'],
    ['another item (H026)', { sku: 'cap' as Sku }, 'idempotency_conflict'],
    ['a wrong purchase key, which is no part of the body', { purchaseKey: 'wrong' }, 'held again'],
  ])('%s', (_what, change, expected) => {
    const ours = shop();
    ours.act(bob('o1', { key: 'k' }));
    const before = ours.rows();
    expect(said(ours.act({ ...bob('o2', { key: 'k' }), ...change }))).toBe(expected);
    expect(ours.rows()).toEqual(before);
  });

  it('is answered with the order as it now stands, also after the sale has ended', () => {
    const ours = shop();
    const again = () => said(ours.act(bob('other', { key: 'k' })));
    ours.act(bob('o1', { key: 'k' }));
    ours.act(lifecycleOf('pause'));
    expect(again()).toBe('held again');
    ours.act(lifecycleOf('end'));
    expect(again()).toBe('held again');
    ours.act(payOf('o1', { paymentId: 'p1' }));
    expect(again()).toBe('paid again');
    ours.act(cancelOf('o1'));
    expect(again()).toBe('refund_due again');
  });

  it('never makes a second order of one that has ended', () => {
    const ours = shop();
    ours.act(bob('o1', { key: 'k' }));
    ours.pass(300_000);
    ours.act(expireOf('o1'));
    expect(said(ours.act(bob('o2', { key: 'k' })))).toBe('expired again');
    expect(said(ours.act(bob('o2', { key: 'another' })))).toBe('held');
  });

  it('in one batch makes one order', () => {
    const ours = shop();
    const verdicts = ours.batch(['o1', 'o2', 'o3'].map((orderId) => bob(orderId, { key: 'k' })));
    expect(verdicts.map(said)).toEqual(['held', 'held again', 'held again']);
    expect(verdicts.map((each) => each.outcome === 'order' && each.order.orderId)).toEqual(['o1', 'o1', 'o1']);
    expect(ours.item()).toMatchObject({ free: 1, held: 1 });
  });

  it('is another key for another spelling of the buyer id, though limits take both for one buyer', () => {
    const ours = shop();
    expect(said(ours.act(bob('o1', { key: 'k' })))).toBe('held');
    expect(said(ours.act(claimOf('o2', { buyer: 'BOB', sku: 'tee', key: 'k' })))).toBe('held');
    expect(said(ours.act(claimOf('o3', { buyer: 'Bob ', sku: 'tee', key: 'k' })))).toBe('limit_reached');
  });

  it('after a refusal gets a fresh try', () => {
    const ours = shop();
    ours.act(lifecycleOf('pause'));
    expect(said(ours.act(bob('o1', { key: 'k' })))).toBe('sale_paused');
    ours.act(lifecycleOf('resume'));
    expect(said(ours.act(bob('o1', { key: 'k', quantity: 2 })))).toBe('held');
  });
});

describe('the limit counts the units of accepted, placed, held and paid orders', () => {
  const AFTER: readonly [string, (shop: ExampleShop) => void, string][] = [
    ['held', () => {}, 'limit_reached'],
    ['paid', (shop) => shop.act(payOf('o1', { paymentId: 'p', amountMinor: 7500 })), 'limit_reached'],
    ['cancelled', (shop) => shop.act(cancelOf('o1')), 'held'],
    [
      'refund_due',
      (shop) => [payOf('o1', { paymentId: 'p', amountMinor: 7500 }), cancelOf('o1')].map((act) => shop.act(act)),
      'held',
    ],
  ];
  it.each(AFTER)('limit 3, an order of 3 that is %s, one more', (status, befall, expected) => {
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: 3 } });
    shop.act(bob('o1', { quantity: 3 }));
    befall(shop);
    expect(shop.order('o1').status).toBe(status);
    expect(said(shop.act(bob('o2')))).toBe(expected);
  });

  it('H033 after the hold has expired one more is taken', () => {
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: 3 } });
    shop.act(bob('o1', { quantity: 3 }));
    expect(said(shop.act(bob('o2')))).toBe('limit_reached');
    shop.pass(300_000);
    shop.act(expireOf('o1'));
    expect(said(shop.act(bob('o2')))).toBe('held');
  });

  it('over all items of the sale', () => {
    const items = [exampleItem('tee', { stock: 5 }), exampleItem('cap', { stock: 5 })];
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: 2 }, items });
    expect(said(shop.act(bob('o1')))).toBe('held');
    expect(said(shop.act(bob('o2', { sku: 'cap' })))).toBe('held');
    expect(said(shop.act(bob('o3', { sku: 'cap' })))).toBe('limit_reached');
  });

  it('null is no limit', () => {
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: null } });
    for (const orderId of ['o1', 'o2']) expect(said(shop.act(bob(orderId, { quantity: 5 })))).toBe('held');
  });

  it('H034 a thousand refusals change nothing', () => {
    const shop = ExampleShop.opened();
    const verdicts = shop.batch(Array.from({ length: 1000 }, (_, at) => bob(`o${at}`)));
    expect(verdicts.map(said)).toEqual(['held', ...Array(999).fill('limit_reached')]);
    expect(shop.item()).toMatchObject({ free: 9, held: 1 });
    expect(shop.units('bob')).toBe(1);
  });
});

describe('stock', () => {
  it('sold_out says whether some may come back', () => {
    const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 2 })] });
    shop.batch([bob('o1'), claimOf('o2', { buyer: 'amy', sku: 'tee' })]);
    const cyd = (orderId: string) => shop.act(claimOf(orderId, { buyer: 'cyd', sku: 'tee' }));
    shop.act(payOf('o1', { paymentId: 'p1' }));
    expect(cyd('o3')).toMatchObject({ code: 'sold_out', availability: 'all_held' });
    shop.act(payOf('o2', { paymentId: 'p2' }));
    expect(cyd('o4')).toMatchObject({ code: 'sold_out', availability: 'sold_out' });
    shop.act(stockOf('tee', 1));
    expect(said(cyd('o5'))).toBe('held');
  });

  it('H002 of two who ask for 3 of 5 one succeeds, the other hears of 2, and those can still be bought', () => {
    const shop = ExampleShop.opened({ settings: { limitPerBuyer: 5 }, items: [exampleItem('tee', { stock: 5 })] });
    const verdicts = shop.batch([bob('o1', { quantity: 3 }), claimOf('o2', { buyer: 'amy', sku: 'tee', quantity: 3 })]);
    expect(verdicts).toMatchObject([{ outcome: 'order' }, { code: 'not_enough', available: 2 }]);
    expect(said(shop.act(claimOf('o3', { buyer: 'amy', sku: 'tee', quantity: 2 })))).toBe('held');
  });

  it('H005 refusals leave no debt: what three holds give back, three others get', () => {
    const shop = ExampleShop.opened();
    const verdicts = shop.batch(
      Array.from({ length: 1000 }, (_, at) => claimOf(`o${at}`, { buyer: `b${at}`, sku: 'tee' })),
    );
    expect(verdicts.filter((verdict) => verdict.outcome === 'order')).toHaveLength(10);
    shop.pass(300_000);
    shop.batch(['o0', 'o1', 'o2'].map((id) => expireOf(id)));
    const late = shop.batch(Array.from({ length: 9 }, (_, at) => claimOf(`l${at}`, { buyer: `l${at}`, sku: 'tee' })));
    expect(late.map(said)).toEqual([...Array(3).fill('held'), ...Array(6).fill('sold_out')]);
  });

  it('with deductAt payment at most floor(stock × overAdmit) are placed or paid; past it sold_out with all_held', () => {
    const settings = { deductAt: 'payment', overAdmit: 1.5, limitPerBuyer: null } as const;
    const shop = ExampleShop.opened({ settings, items: [exampleItem('tee', { stock: 3 })] });
    const verdicts = shop.batch(['o1', 'o2', 'o3', 'o4', 'o5'].map((orderId) => bob(orderId)));
    // floor(3 × 1.5) = 4
    expect(verdicts.map(said)).toEqual(['placed', 'placed', 'placed', 'placed', 'sold_out']);
    expect(verdicts[4]).toMatchObject({ availability: 'all_held' });
    shop.act(payOf('o1', { paymentId: 'p1' }));
    expect(said(shop.act(bob('o6')))).toBe('sold_out');
    shop.act(cancelOf('o2'));
    expect(shop.act(bob('o7', { quantity: 2 }))).toMatchObject({ code: 'not_enough', available: 1 });
    expect(said(shop.act(bob('o8')))).toBe('placed');
  });

  it('with deductAt payment nobody is let in when the last unit is paid: sold_out', () => {
    const settings = { deductAt: 'payment', overAdmit: 3 } as const;
    const shop = ExampleShop.opened({ settings, items: [exampleItem('tee', { stock: 1 })] });
    shop.act(bob('o1'));
    shop.act(payOf('o1', { paymentId: 'p1' }));
    expect(shop.act(claimOf('o2', { buyer: 'amy', sku: 'tee' }))).toMatchObject({
      code: 'sold_out',
      availability: 'sold_out',
    });
  });
});
