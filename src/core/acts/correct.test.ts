/** Corrections of a sale that is no draft any more (API.md, Merchant, Sales). */
import { describe, expect, it } from 'vitest';
import type { SaleCorrections } from '../act.ts';
import { claimOf, correctionOf, exampleItem, lifecycleOf, payOf, stockOf } from '../example.ts';
import { ExampleShop } from '../example-shop.ts';
import { STOCK_MAX } from '../item.ts';
import type { Verdict } from '../outcomes.ts';
import type { SaleSettings } from '../sale.ts';
import type { EpochMs } from '../scalars.ts';

const said = (verdict: Verdict): string => (verdict.outcome === 'refused' ? verdict.code : verdict.outcome);

const MINUTE_MS = 60_000;
const START_MS = new ExampleShop().now;
const minute = (at: number) => (START_MS + at * MINUTE_MS) as EpochMs;

describe('stock, by delta', () => {
  /** H046: 100 units, 30 held, 50 sold, 20 free. */
  function shop(): ExampleShop {
    const ours = ExampleShop.opened({ settings: { limitPerBuyer: null }, items: [exampleItem('tee', { stock: 100 })] });
    ours.batch([
      claimOf('held', { buyer: 'amy', sku: 'tee', quantity: 30 }),
      claimOf('sold', { buyer: 'bob', sku: 'tee', quantity: 50 }),
      payOf('sold', { paymentId: 'p', amountMinor: 125_000 }),
    ]);
    expect(ours.item()).toMatchObject({ total: 100, free: 20, held: 30, sold: 50 });
    return ours;
  }

  it.each([
    [20, 'sale', 120, 40],
    [-1, 'sale', 99, 19],
    [-20, 'sale', 80, 0],
    [-21, 'not_enough', 100, 20],
    [-40, 'not_enough', 100, 20],
    [-100, 'not_enough', 100, 20],
    [STOCK_MAX - 100, 'sale', STOCK_MAX, STOCK_MAX - 80],
    [STOCK_MAX - 99, 'invalid', 100, 20],
  ])('H046 100 with 30 held and 50 sold, %i: %s, total %i, free %i', (delta, expected, total, free) => {
    const ours = shop();
    const { version } = ours.sale;
    const verdict = ours.act(stockOf('tee', delta));
    expect(said(verdict)).toBe(expected);
    expect(ours.item()).toMatchObject({ total, free, held: 30, sold: 50 });
    if (expected === 'sale') expect(ours.sale.version).toBe(version + 1);
    else expect(ours.sale.version).toBe(version);
    if (expected === 'not_enough') expect(verdict).toMatchObject({ minimum: 80 });
  });

  it('in every phase but draft; with a row in the audit that says why', () => {
    const ours = new ExampleShop();
    expect(said(ours.act(stockOf('tee', 1)))).toBe('wrong_state');
    for (const kind of ['schedule', 'open', 'pause', 'end'] as const) {
      ours.act(lifecycleOf(kind));
      expect(said(ours.act(stockOf('tee', 1)))).toBe('sale');
      expect(ours.rows().audit.at(-1)).toMatchObject({
        action: 'item.stock',
        sku: 'tee',
        reason: 'recounted',
        change: { delta: 1 },
      });
    }
    expect(ours.item().total).toBe(14);
    expect(said(ours.act(stockOf('none', 1)))).toBe('not_found');
  });
});

describe('settings', () => {
  type Case = readonly [
    string,
    Partial<SaleSettings>,
    'scheduled' | 'open' | 'paused' | 'ended' | 'draft',
    SaleCorrections,
    string,
  ];
  const CASES: readonly Case[] = [
    ['a draft is edited, not corrected', {}, 'draft', { title: 'New' }, 'wrong_state'],
    ['title', {}, 'scheduled', { title: 'New' }, 'sale'],
    ['title, while it sells', {}, 'open', { title: 'New' }, 'sale'],
    ['title, after the end', {}, 'ended', { title: 'New' }, 'sale'],
    ['opensAt, before the opening', { opensAtMs: minute(5) }, 'scheduled', { opensAtMs: minute(7) }, 'sale'],
    ['opensAt taken away', { opensAtMs: minute(5) }, 'scheduled', { opensAtMs: null }, 'sale'],
    ['opensAt, once it has opened', {}, 'open', { opensAtMs: minute(7) }, 'wrong_state'],
    ['opensAt, while paused', {}, 'paused', { opensAtMs: minute(7) }, 'wrong_state'],
    ['opensAt, after the end', {}, 'ended', { opensAtMs: minute(7) }, 'wrong_state'],
    ['opensAt at endsAt', { endsAtMs: minute(7) }, 'scheduled', { opensAtMs: minute(7) }, 'invalid'],
    ['opensAt behind endsAt', { endsAtMs: minute(7) }, 'scheduled', { opensAtMs: minute(8) }, 'invalid'],
    ['both, in order', { endsAtMs: minute(7) }, 'scheduled', { opensAtMs: minute(8), endsAtMs: minute(9) }, 'sale'],
    ['endsAt later', { endsAtMs: minute(7) }, 'open', { endsAtMs: minute(9) }, 'sale'],
    ['endsAt sooner', { endsAtMs: minute(7) }, 'open', { endsAtMs: minute(1) }, 'sale'],
    ['endsAt where there was none', {}, 'paused', { endsAtMs: minute(9) }, 'sale'],
    ['endsAt taken away', { endsAtMs: minute(7) }, 'open', { endsAtMs: null }, 'sale'],
    ['endsAt now', { endsAtMs: minute(7) }, 'open', { endsAtMs: minute(0) }, 'invalid'],
    ['endsAt in the past', { endsAtMs: minute(7) }, 'open', { endsAtMs: minute(-1) }, 'invalid'],
    ['endsAt, after `end`', {}, 'ended', { endsAtMs: minute(9) }, 'sale_ended'],
    ['endsAt before opensAt', { opensAtMs: minute(5) }, 'scheduled', { endsAtMs: minute(4) }, 'invalid'],
    ['segments, more', { segments: 2 }, 'open', { segments: 4 }, 'sale'],
    ['segments, fewer', { segments: 2 }, 'open', { segments: 1 }, 'invalid'],
  ];
  const PATHS = {
    draft: [],
    scheduled: ['schedule'],
    open: ['open'],
    paused: ['open', 'pause'],
    ended: ['open', 'end'],
  } as const;

  it.each(CASES)('%s', (_what, settings, phase, set, expected) => {
    const shop = new ExampleShop({ settings });
    for (const kind of PATHS[phase]) shop.act(lifecycleOf(kind));
    const before = shop.rows();
    expect(said(shop.act(correctionOf(set)))).toBe(expected);
    if (expected === 'sale') {
      expect(shop.sale).toEqual({ ...before.sale, ...set, version: before.sale.version + 1, updatedAtMs: shop.now });
      expect(shop.rows().audit.at(-1)).toMatchObject({ action: 'sale.corrected', reason: 'a slip' });
    } else expect(shop.rows()).toEqual(before);
  });

  it('not after the end by time, and not the opening once it has been reached', () => {
    const shop = new ExampleShop({ settings: { opensAtMs: minute(1), endsAtMs: minute(2) } });
    shop.act(lifecycleOf('schedule'));
    shop.pass(MINUTE_MS);
    expect(said(shop.act(correctionOf({ opensAtMs: minute(5) })))).toBe('wrong_state');
    shop.act(lifecycleOf('open', { by: 'schedule' }));
    shop.pass(MINUTE_MS);
    expect(said(shop.act(correctionOf({ endsAtMs: minute(5) })))).toBe('sale_ended');
  });

  it('texts of one item', () => {
    const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 1 }), exampleItem('cap', { stock: 1 })] });
    const { title } = shop.sale;
    shop.act(correctionOf({ title: 'Cap', description: 'One size' }, 'cap'));
    expect(shop.item('cap')).toMatchObject({ title: 'Cap', description: 'One size', free: 1 });
    expect(shop.item('tee').title).toBe('tee');
    expect(shop.sale.title).toBe(title);
    expect(said(shop.act(correctionOf({ title: 'x' }, 'none')))).toBe('not_found');
  });

  it('H045 a new title leaves the stock alone', () => {
    const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 100 })] });
    shop.batch(Array.from({ length: 60 }, (_, at) => claimOf(`o${at}`, { buyer: `b${at}`, sku: 'tee' })));
    shop.act(correctionOf({ title: 'New' }));
    expect(shop.item()).toMatchObject({ total: 100, free: 40, held: 60 });
  });

  it('an end moved forward counts for the next order in the same batch', () => {
    const shop = ExampleShop.opened({ settings: { endsAtMs: minute(9) } });
    shop.act(correctionOf({ endsAtMs: minute(1) }));
    shop.pass(MINUTE_MS);
    expect(said(shop.act(claimOf('o', { buyer: 'bob', sku: 'tee' })))).toBe('sale_ended');
  });
});
