/** Which act leads from which phase to which (API.md, Merchant, Sales), and the purchase key. */
import { describe, expect, it } from 'vitest';
import type { Lifecycle } from '../act.ts';
import { lifecycleOf, said } from '../example.ts';
import { ExampleShop } from '../example-shop.ts';
import type { Phase, SaleSettings } from '../sale.ts';
import type { EpochMs } from '../scalars.ts';

const MINUTE_MS = 60_000;
const KINDS: readonly Lifecycle['kind'][] = ['schedule', 'open', 'pause', 'resume', 'end'];
const PATHS: Readonly<Record<Phase, readonly Lifecycle['kind'][]>> = {
  draft: [],
  scheduled: ['schedule'],
  open: ['schedule', 'open'],
  paused: ['schedule', 'open', 'pause'],
  ended: ['schedule', 'open', 'end'],
};

function shopIn(phase: Phase, settings: Partial<SaleSettings> = {}): ExampleShop {
  const shop = new ExampleShop({ settings });
  for (const kind of PATHS[phase]) shop.act(lifecycleOf(kind));
  expect(shop.sale.phase).toBe(phase);
  return shop;
}

const no = 'wrong_state';
/** Columns: schedule, open, pause, resume, end. */
const TABLE: readonly (readonly [Phase, readonly string[]])[] = [
  ['draft', ['scheduled', 'open', no, no, no]],
  ['scheduled', ['scheduled unchanged', 'open', no, no, 'ended']],
  ['open', [no, 'open unchanged', 'paused', 'open unchanged', 'ended']],
  ['paused', [no, no, 'paused unchanged', 'open', 'ended']],
  ['ended', [no, no, no, no, 'ended unchanged']],
];
const cells = TABLE.flatMap(([phase, row]) =>
  row.map((to, at) => [phase, KINDS[at] as Lifecycle['kind'], to] as const),
);

it.each(cells)('%s, %s: %s', (phase, kind, expected) => {
  const shop = shopIn(phase);
  const before = shop.rows();
  expect(said(shop.act(lifecycleOf(kind)))).toBe(expected);
  const changed = expected !== no && !expected.endsWith('unchanged');
  if (!changed) expect(shop.rows()).toEqual(before);
  else expect(shop.sale.version).toBeGreaterThan(before.sale.version);
});

describe('past the end by time, whatever is stored', () => {
  const settings = (shop: ExampleShop) => ({ endsAtMs: (shop.now + MINUTE_MS) as EpochMs });
  it.each([
    ['draft', ['invalid', 'invalid', no, no, no]],
    ['scheduled', [no, no, no, no, 'ended']],
    ['open', [no, no, no, no, 'ended']],
    ['paused', [no, no, no, no, 'ended']],
  ] as const)('%s', (phase, row) => {
    for (const [at, expected] of row.entries()) {
      const shop = shopIn(phase, settings(new ExampleShop()));
      shop.pass(MINUTE_MS);
      expect(said(shop.act(lifecycleOf(KINDS[at] as Lifecycle['kind'])))).toBe(expected);
    }
  });

  it('1 ms earlier everything is as ever', () => {
    const shop = shopIn('paused', settings(new ExampleShop()));
    shop.pass(MINUTE_MS - 1);
    expect(said(shop.act(lifecycleOf('resume')))).toBe('open');
  });
});

describe('opening', () => {
  const inAMinute = (new ExampleShop().now + MINUTE_MS) as EpochMs;

  it('by schedule: at opensAt, not 1 ms before, once', () => {
    const shop = shopIn('scheduled', { opensAtMs: inAMinute });
    shop.pass(MINUTE_MS - 1);
    const bySchedule = (purchaseKey: string) => shop.act(lifecycleOf('open', { by: 'schedule', purchaseKey }));
    expect(said(bySchedule('early'))).toBe('scheduled unchanged');
    expect(shop.sale.purchaseKey).toBeNull();
    shop.pass(1);
    expect(said(bySchedule('first'))).toBe('open');
    expect(said(bySchedule('second'))).toBe('open unchanged');
    expect(shop.sale).toMatchObject({ purchaseKey: 'first', opensAtMs: inAMinute });
    expect(shop.rows().audit.filter((entry) => entry.action === 'sale.opened')).toHaveLength(1);
  });

  it('by hand: opensAt becomes now', () => {
    for (const phase of ['draft', 'scheduled'] as const) {
      const shop = shopIn(phase, { opensAtMs: inAMinute });
      expect(said(shop.act(lifecycleOf('open')))).toBe('open');
      expect(shop.sale.opensAtMs).toBe(shop.now);
    }
  });

  it('at once where opensAt has passed when it is scheduled; null waits for open', () => {
    const past = shopIn('draft', { opensAtMs: inAMinute });
    past.pass(MINUTE_MS);
    expect(said(past.act(lifecycleOf('schedule')))).toBe('open');
    expect(past.sale).toMatchObject({ purchaseKey: 'purchase-key', opensAtMs: inAMinute });
    const open = shopIn('scheduled', { opensAtMs: null });
    open.pass(1000 * MINUTE_MS);
    expect(said(open.act(lifecycleOf('open', { by: 'schedule' })))).toBe('scheduled unchanged');
  });

  it('H043 three servers, one opening', () => {
    const shop = shopIn('scheduled', { opensAtMs: inAMinute });
    shop.pass(MINUTE_MS);
    const keys = ['a', 'b', 'c'];
    const verdicts = shop.batch(keys.map((purchaseKey) => lifecycleOf('open', { by: 'schedule', purchaseKey })));
    expect(verdicts.map(said)).toEqual(['open', 'open unchanged', 'open unchanged']);
    expect(shop.sale.purchaseKey).toBe('a');
  });
});

it('the purchase key comes with the opening, and never changes', () => {
  const shop = new ExampleShop();
  const keyAfter = (kind: Lifecycle['kind'], purchaseKey: string) => {
    shop.act(lifecycleOf(kind, { purchaseKey }));
    return shop.sale.purchaseKey;
  };
  expect(keyAfter('schedule', 'k0')).toBeNull();
  expect(keyAfter('open', 'k1')).toBe('k1');
  expect(keyAfter('pause', 'k2')).toBe('k1');
  expect(keyAfter('resume', 'k3')).toBe('k1');
  expect(keyAfter('end', 'k4')).toBe('k1');
});

it('the schedule ends a sale at endsAt, not before', () => {
  const shop = shopIn('open', { endsAtMs: (new ExampleShop().now + MINUTE_MS) as EpochMs });
  shop.pass(MINUTE_MS - 1);
  expect(said(shop.act(lifecycleOf('end', { by: 'schedule' })))).toBe('open unchanged');
  shop.pass(1);
  expect(said(shop.act(lifecycleOf('end', { by: 'schedule' })))).toBe('ended');
});
