/** Settings of a sale: defaults, what a schema cannot check, and that body and settings are each other's inverse. */
import { describe, expect, it } from 'vitest';
import type { Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import type { SaleBody } from './sale-body.ts';
import { saleBody } from './sale-representation.ts';
import { type Settings, settingsOf } from './sale-settings.ts';

const item = { sku: 'tee-m', title: 'Tee', priceMinor: 2500, stock: 100 };
const body: SaleBody = { title: 'Drop', currency: 'EUR', items: [item] };
const full: Required<SaleBody> = {
  title: 'Drop',
  description: 'd',
  opensAt: '2026-10-01T10:00:00.000Z',
  endsAt: '2026-10-01T12:00:00.000Z',
  timeZone: 'Europe/Berlin',
  currency: 'JPY',
  items: [{ ...item, description: 'x', imageUrl: 'https://shop.example/i.png' }],
  limitPerBuyer: null,
  holdSeconds: 60,
  paymentGraceSeconds: 30,
  deductAt: 'payment',
  overAdmit: 1.5,
  latePayment: 'retake',
  guests: true,
  demoPayment: true,
  payUrl: 'https://shop.example/pay',
  origins: ['https://shop.example', 'http://localhost:3000'],
  look: { name: 'Shop', logoUrl: null, color: '#a30' },
  submitEverySeconds: 5,
  showStock: true,
  segments: 8,
  shadow: false,
  room: null,
  gate: null,
};

const right = (from: SaleBody): Settings => {
  const made = settingsOf(from);
  if ('outcome' in made) throw new Error(JSON.stringify(made.errors));
  return made;
};

it('fills in the defaults of the contract', () => {
  const { settings, items } = right(body);
  expect(settings).toMatchObject({
    timeZone: 'UTC',
    limitPerBuyer: 1,
    holdSeconds: 300,
    paymentGraceSeconds: 0,
    deductAt: 'order',
    overAdmit: 1.1,
    latePayment: 'refund',
    guests: false,
    demoPayment: false,
    payUrl: null,
    origins: [],
    look: null,
    submitEverySeconds: 2,
    showStock: false,
    segments: 1,
    opensAtMs: null,
    endsAtMs: null,
  });
  expect(items[0]).toMatchObject({ total: 100, free: 100, held: 0, sold: 0, description: '', imageUrl: null });
});

it('and the body are each other’s inverse', () => {
  const { settings, items } = right(full);
  const sale = { ...settings, saleNo: 1, saleId: 's', phase: 'draft', version: 1, createdAtMs: 0 as EpochMs } as Sale;
  expect(saleBody(sale, items)).toEqual(full);
  expect(right(saleBody(sale, items))).toEqual({ settings, items });
});

describe('is refused', () => {
  it.each([
    ['/timeZone', { timeZone: 'Mars/Base' }],
    ['/timeZone', { timeZone: '+01:00' }],
    ['/currency', { currency: 'XQQ' }],
    ['/currency', { currency: 'eur' }],
    ['/opensAt', { opensAt: 'tomorrow' }],
    ['/opensAt', { opensAt: '2026-02-30T00:00:00Z' }],
    ['/opensAt', { opensAt: '2026-10-01' }],
    ['/endsAt', { opensAt: '2026-10-01T10:00:00Z', endsAt: '2026-10-01T12:00:00+02:00' }],
    ['/overAdmit', { overAdmit: 1.1234567 }],
    ['/payUrl', { payUrl: 'javascript:alert(1)' }],
    ['/payUrl', { payUrl: 'https://user:word@shop.example/' }],
    ['/origins/0', { origins: ['*'] }],
    ['/origins/0', { origins: ['https://shop.example/'] }],
    ['/origins/1', { origins: ['https://shop.example', 'https://shop.example:443'] }],
    ['/origins/0', { origins: ['null'] }],
    ['/look/color', { look: { color: 'red' } }],
    ['/look/logoUrl', { look: { logoUrl: 'data:image/png;base64,' } }],
    ['/items/1/sku', { items: [item, item] }],
    ['/items/0/imageUrl', { items: [{ ...item, imageUrl: 'ftp://x/y' }] }],
    ['/shadow', { shadow: true }],
    ['/room', { room: {} }],
    ['/room', { room: { mode: 'fifo' } }],
    ['/gate', { gate: { eligibility: 'level > 3' } }],
    ['/gate', { gate: { rateLimits: { perBuyer: { requests: 1, perSeconds: 1 }, perAddress: null } } }],
    ['/gate', { gate: { blockList: ['eve'] } }],
    ['/gate', { gate: { allowList: [] } }],
    ['/gate', { gate: { cutOff: 5 } }],
    ['/gate', { gate: { unheardOf: null } }],
  ])('%s: %j', (path, change) => {
    const made = settingsOf({ ...body, ...change });
    expect('outcome' in made ? made.errors?.map((error) => error.path) : 'taken').toContain(path);
  });

  it('with all faults at once', () => {
    const made = settingsOf({ ...body, currency: 'XQQ', timeZone: 'Mars/Base', shadow: true });
    expect('outcome' in made && made.errors).toHaveLength(3);
  });
});

describe('is taken', () => {
  it.each([
    [{ gate: {} }],
    [
      {
        gate: {
          rateLimits: { perBuyer: null, perAddress: null },
          sameAnswerSeconds: 0,
          blockList: [],
          allowList: null,
        },
      },
    ],
    [{ room: null, gate: null, shadow: false }],
    [{ overAdmit: 1.123456 }],
    [{ endsAt: '2026-10-01T10:00:00Z' }],
    [{ opensAt: '2026-10-01T12:00:00+02:00', endsAt: '2026-10-01T10:00:00.001Z' }],
    [{ look: {} }],
  ])('%j', (change) => {
    right({ ...body, ...change });
  });
});
