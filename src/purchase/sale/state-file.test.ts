/** The state file: the same bytes until something changed, and the purchase key only while open. */
import { expect, it } from 'vitest';
import type { Phase, Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { settingsOf } from './sale-settings.ts';
import { type ShownSale, stateFileOf } from './state-file.ts';

function shown(phase: Phase, change: Partial<Sale> = {}): ShownSale {
  const item = { sku: 'a', title: 'A', priceMinor: 1, stock: 3 };
  const made = settingsOf({ title: 'T', currency: 'EUR', items: [item] });
  if ('outcome' in made) throw new Error(made.detail);
  const sale = { ...made.settings, saleId: 's', phase, version: 1, purchaseKey: 'secret-key', ...change } as Sale;
  return { sale, items: made.items, revision: 1 };
}

const at = (ms: number) => ms as EpochMs;
const read = (live: ShownSale, now = 0) => JSON.parse(stateFileOf(live, at(now))?.body.toString() ?? 'null');

it('is nobody’s while the sale is a draft', () => {
  expect(stateFileOf(shown('draft'), at(0))).toBeNull();
});

it.each(['scheduled', 'paused', 'ended'] as const)('has no purchase key while %s', (phase) => {
  expect(stateFileOf(shown(phase), at(0))?.body.toString()).not.toContain('secret-key');
});

it('has the key while open, until the very instant of the end', () => {
  const live = shown('open', { endsAtMs: at(1000) });
  expect(read(live, 999)).toMatchObject({ phase: 'open', purchaseKey: 'secret-key' });
  expect(read(live, 1000)).toMatchObject({ phase: 'ended' });
  expect(read(live, 1000)).not.toHaveProperty('purchaseKey');
});

it('is kept while nothing changes, and new with a new tag when something did', () => {
  const live: { -readonly [K in keyof ShownSale]: ShownSale[K] } = { ...shown('open') };
  const first = stateFileOf(live, at(0));
  expect(stateFileOf(live, at(5000))).toBe(first);
  live.sale = { ...live.sale, title: 'New' };
  live.revision = 2;
  const second = stateFileOf(live, at(5000));
  expect(second?.etag).not.toBe(first?.etag);
  expect(second?.body.toString()).toContain('"New"');
});

it('shows numbers only where the sale says so', () => {
  expect(read(shown('open')).items[0]).not.toHaveProperty('available');
  expect(read(shown('open', { showStock: true })).items[0]).toMatchObject({ available: 3 });
});
