/**
 * What a sale may be made of: every setting, its default, its bounds (each at the limit and one past), PATCH of a
 * draft, DELETE, and a saleId that is taken. Expected values are those of the contract ("Merchant", body of a sale).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, item, newId, saleBody, saleIn } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const create = (body: unknown, headers: Record<string, string> = {}) =>
  server.merchant('POST', '/v1/merchant/sales', body, headers);

const defaults = {
  phase: 'draft',
  opensAt: null,
  endsAt: null,
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
  shadow: false,
  room: null,
  gate: null,
};

const everything = {
  title: 'Autumn drop',
  opensAt: '2099-10-01T10:00:00.000Z',
  endsAt: '2099-10-01T12:00:00.000Z',
  timeZone: 'Europe/Berlin',
  currency: 'JPY',
  items: [
    {
      sku: 'tee-m',
      title: 'Tee M',
      description: 'soft',
      imageUrl: 'https://shop.example/m.png',
      priceMinor: 2500,
      stock: 3,
    },
    { sku: 'Tee.L_2', title: 'Tee L', description: '', imageUrl: null, priceMinor: 0, stock: 0 },
  ],
  limitPerBuyer: null,
  holdSeconds: 60,
  paymentGraceSeconds: 30,
  deductAt: 'payment',
  overAdmit: 1.5,
  latePayment: 'retake',
  guests: true,
  demoPayment: true,
  payUrl: 'https://shop.example/pay',
  origins: ['https://shop.example'],
  look: { name: 'Shop', logoUrl: 'https://shop.example/logo.png', color: '#aa3300' },
  submitEverySeconds: 5,
  showStock: true,
  segments: 8,
};

describe('making a sale', () => {
  it('fills every default and answers the body plus phase, version and updatedAt', async () => {
    const made = expectOk(await create({ title: 'Plain', currency: 'EUR', items: [item()] }), 201);
    expect(made).toMatchObject({ title: 'Plain', currency: 'EUR', ...defaults });
    expect(made.items).toEqual([item({ description: '', imageUrl: null })]);
    expect(made.saleId).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    expect(Number.isInteger(made.version)).toBe(true);
    expect(made.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(expectOk(await server.merchant('GET', `/v1/merchant/sales/${made.saleId}`))).toEqual(made);
  });

  it('keeps every setting as it was given', async () => {
    const saleId = newId('all');
    expect(expectOk(await create({ saleId, ...everything }), 201)).toMatchObject({ saleId, ...everything });
    expect(expectOk(await server.merchant('GET', `/v1/merchant/sales/${saleId}`))).toMatchObject(everything);
  });

  it('keeps text of any script as it came', async () => {
    const title = '秒杀 · Überraschung · مفاجأة · 👩‍👩‍👧‍👦 · "quotes" & <b>';
    const made = expectOk(await create(saleBody({ title })), 201);
    expect(expectOk(await server.merchant('GET', `/v1/merchant/sales/${made.saleId}`)).title).toBe(title);
  });

  it('refuses a saleId that is taken', async () => {
    const saleId = newId('taken');
    expectOk(await create(saleBody({ saleId })), 201);
    expectProblem(await create(saleBody({ saleId })), 'already_exists');
    expectProblem(await create(saleBody({ saleId, title: 'Other' })), 'already_exists');
  });

  it('makes one sale for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': newId('key') };
    const first = await create(saleBody(), headers);
    const again = await create(saleBody(), headers);
    expect(expectOk(again, 201).saleId).toBe(expectOk(first, 201).saleId);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectProblem(await create(saleBody({ title: 'Other' }), headers), 'idempotency_conflict');
  });
});

const items = (count: number) => Array.from({ length: count }, (_, index) => item({ sku: `sku-${index}` }));
const withItem = (change: Record<string, unknown>) => ({ items: [item(change)] });

describe('bounds', () => {
  const inside: [string, Record<string, unknown>][] = [
    ['1 item', { items: items(1) }],
    ['500 items', { items: items(500) }],
    ['stock 0', withItem({ stock: 0 })],
    ['stock 100,000,000', withItem({ stock: 100_000_000 })],
    ['price 0', withItem({ priceMinor: 0 })],
    ['price 10^12', withItem({ priceMinor: 1e12 })],
    ['holdSeconds 5', { holdSeconds: 5 }],
    ['holdSeconds 86,400', { holdSeconds: 86_400 }],
    ['sku of 64', withItem({ sku: 'a'.repeat(64) })],
    ['sku of 1', withItem({ sku: '7' })],
    ['sku with . _ -', withItem({ sku: 'A.b_c-D' })],
    ['segments 1', { segments: 1 }],
    ['limit null', { limitPerBuyer: null }],
    ['limit 1', { limitPerBuyer: 1 }],
    ['opensAt null, endsAt set', { endsAt: '2099-01-01T00:00:00.000Z' }],
    ['room null and gate null', { room: null, gate: null }],
  ];
  it.each(inside)('accepts %s', async (_, change) => {
    const made = expectOk(await create(saleBody({ saleId: newId('in'), ...change })), 201);
    expect(made).toMatchObject(change);
  });

  it('accepts a saleId of 1 and of 64 characters', async () => {
    for (const saleId of ['Q', `x${'-._9'.repeat(16)}`.slice(0, 64)]) {
      expect(expectOk(await create(saleBody({ saleId })), 201).saleId).toBe(saleId);
    }
  });

  const outside: [string, unknown][] = [
    ['0 items', saleBody({ items: [] })],
    ['501 items', saleBody({ items: items(501) })],
    ['the same sku twice', saleBody({ items: [item(), item()] })],
    ['stock -1', saleBody(withItem({ stock: -1 }))],
    ['stock 100,000,001', saleBody(withItem({ stock: 100_000_001 }))],
    ['stock 1.5', saleBody(withItem({ stock: 1.5 }))],
    ['stock "10"', saleBody(withItem({ stock: '10' }))],
    ['stock null', saleBody(withItem({ stock: null }))],
    ['price -1', saleBody(withItem({ priceMinor: -1 }))],
    ['price 10^12 + 1', saleBody(withItem({ priceMinor: 1e12 + 1 }))],
    ['price 0.5', saleBody(withItem({ priceMinor: 0.5 }))],
    ['holdSeconds 4', saleBody({ holdSeconds: 4 })],
    ['holdSeconds 86,401', saleBody({ holdSeconds: 86_401 })],
    ['holdSeconds 5.5', saleBody({ holdSeconds: 5.5 })],
    ['paymentGraceSeconds -1', saleBody({ paymentGraceSeconds: -1 })],
    ['limit -1', saleBody({ limitPerBuyer: -1 })],
    ['limit 1.5', saleBody({ limitPerBuyer: 1.5 })],
    ['deductAt "cart"', saleBody({ deductAt: 'cart' })],
    ['latePayment "keep"', saleBody({ latePayment: 'keep' })],
    ['overAdmit "1.1"', saleBody({ overAdmit: '1.1' })],
    ['segments 0', saleBody({ segments: 0 })],
    ['guests "yes"', saleBody({ guests: 'yes' })],
    ['origins "*"', saleBody({ origins: '*' })],
    ['currency that is none', saleBody({ currency: 'XQQ' })],
    ['currency of four letters', saleBody({ currency: 'EURO' })],
    ['a zone that is none', saleBody({ timeZone: 'Mars/Base' })],
    ['opensAt no time', saleBody({ opensAt: 'tomorrow' })],
    ['opensAt a number', saleBody({ opensAt: 1_900_000_000_000 })],
    ['the 30th of February', saleBody({ opensAt: '2099-02-30T00:00:00.000Z' })],
    ['endsAt before opensAt', saleBody({ opensAt: '2099-01-02T00:00:00.000Z', endsAt: '2099-01-01T00:00:00.000Z' })],
    ['endsAt at opensAt', saleBody({ opensAt: '2099-01-01T00:00:00.000Z', endsAt: '2099-01-01T00:00:00.000Z' })],
    ['sku of 65', saleBody(withItem({ sku: 'a'.repeat(65) }))],
    ['empty sku', saleBody(withItem({ sku: '' }))],
    ['sku beginning with -', saleBody(withItem({ sku: '-a' }))],
    ['sku with a slash', saleBody(withItem({ sku: 'a/b' }))],
    ['saleId of 65', saleBody({ saleId: 'a'.repeat(65) })],
    ['saleId beginning with .', saleBody({ saleId: '.a' })],
    ['saleId with a space', saleBody({ saleId: 'a b' })],
    ['no title', { currency: 'EUR', items: [item()] }],
    ['no currency', { title: 'T', items: [item()] }],
    ['no items', { title: 'T', currency: 'EUR' }],
    ['title a number', saleBody({ title: 7 })],
    ['an unknown field', saleBody({ colour: 'red' })],
    ['an unknown field in an item', saleBody(withItem({ colour: 'red' }))],
    ['a read-only field', saleBody({ phase: 'open' })],
    ['a room, which is not enforced yet', saleBody({ room: { mode: 'fifo', capacity: 200 } })],
    ['a gate rule, which is not enforced yet', saleBody({ gate: { eligibility: 'level > 3' } })],
    ['shadow, which is not enforced yet', saleBody({ shadow: true })],
    ['an array', [saleBody()]],
    ['null', null],
    ['a string', 'sale'],
  ];
  it.each(outside)('refuses %s', async (_, body) => {
    expectProblem(await create(body), 'invalid');
  });

  it('names the path of what is wrong', async () => {
    const problem = expectProblem(await create(saleBody(withItem({ stock: -1 }))), 'invalid');
    expect(JSON.stringify(problem.errors)).toMatch(/items.+0.+stock/);
  });
});

describe('PATCH of a draft', () => {
  it('merges: what is not named stays', async () => {
    const made = expectOk(await create(saleBody({ holdSeconds: 60, endsAt: '2099-01-01T00:00:00.000Z' })), 201);
    const patched = expectOk(await server.merchant('PATCH', `/v1/merchant/sales/${made.saleId}`, { title: 'New' }));
    expect(patched).toEqual({ ...made, title: 'New', version: patched.version, updatedAt: patched.updatedAt });
    expect(patched.version).toBeGreaterThan(made.version);
    expect(expectOk(await server.merchant('GET', `/v1/merchant/sales/${made.saleId}`))).toEqual(patched);
  });

  it('replaces items whole', async () => {
    const made = expectOk(await create(saleBody({ items: items(3) })), 201);
    const target = `/v1/merchant/sales/${made.saleId}`;
    const replaced = [item({ sku: 'only', description: 'x', imageUrl: null, stock: 4 })];
    expect(expectOk(await server.merchant('PATCH', target, { items: replaced })).items).toEqual(replaced);
    const books = await server.books(made.saleId);
    expect(books.items).toMatchObject([{ sku: 'only', total: 4, available: 4, held: 0, sold: 0 }]);
  });

  it('clears a nullable setting with null', async () => {
    const made = expectOk(await create(saleBody({ endsAt: '2099-01-01T00:00:00.000Z', limitPerBuyer: 2 })), 201);
    const change = { endsAt: null, limitPerBuyer: null };
    expect(expectOk(await server.merchant('PATCH', `/v1/merchant/sales/${made.saleId}`, change))).toMatchObject(change);
  });

  it.each([
    ['an end that stands before the opening already set', { endsAt: '2098-01-01T00:00:00.000Z' }],
    ['no items', { items: [] }],
    ['an unknown field', { colour: 'red' }],
    ['a value out of bounds', { holdSeconds: 4 }],
    ['a required setting taken away', { title: null }],
  ])('refuses %s and changes nothing', async (_, change) => {
    const made = expectOk(await create(saleBody({ opensAt: '2099-01-01T00:00:00.000Z' })), 201);
    const target = `/v1/merchant/sales/${made.saleId}`;
    expectProblem(await server.merchant('PATCH', target, change), 'invalid');
    expect(expectOk(await server.merchant('GET', target))).toEqual(made);
  });
});

describe('DELETE', () => {
  it('removes a draft', async () => {
    const made = expectOk(await create(saleBody()), 201);
    const target = `/v1/merchant/sales/${made.saleId}`;
    expect([200, 204]).toContain((await server.merchant('DELETE', target)).status);
    expectProblem(await server.merchant('GET', target), 'not_found');
    expectProblem(await server.merchant('DELETE', target), 'not_found');
  });

  it.each(['scheduled', 'open', 'paused', 'ended'] as const)('refuses a sale that is %s', async (phase) => {
    const saleId = await saleIn(server, phase);
    expectProblem(await server.merchant('DELETE', `/v1/merchant/sales/${saleId}`), 'wrong_state');
    expectOk(await server.merchant('GET', `/v1/merchant/sales/${saleId}`));
  });
});
