/**
 * Buyers: limits over every spelling and item (I4), guests, tokens that the merchant asks for, own orders only,
 * details, demo payments, and receipts that anybody can verify.
 */
import { randomUUID } from 'node:crypto';
import { compactVerify, createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, item, levels, newId, saleIn, until } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
});
afterAll(async () => {
  await server.stop();
});

const twoItems = [item({ stock: 100 }), item({ sku: 'tee-l', stock: 100 })];

describe('the limit', () => {
  it('holds under concurrency, over all items of the sale', async () => {
    const sale = await server.openSale({ limitPerBuyer: 3, items: twoItems });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) => server.order(sale, 'ann', { sku: index % 2 === 0 ? 'tee-m' : 'tee-l' })),
    );
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(3);
    for (const reply of replies.filter((entry) => entry.status !== 201)) expectProblem(reply, 'limit_reached');
  });

  it('counts units, not orders', async () => {
    const sale = await server.openSale({ limitPerBuyer: 3 });
    expectProblem(await server.order(sale, 'ann', { quantity: 4 }), 'limit_reached');
    expectOk(await server.order(sale, 'ann', { quantity: 2 }), 201);
    expectProblem(await server.order(sale, 'ann', { quantity: 2 }), 'limit_reached');
    expectOk(await server.order(sale, 'ann', { quantity: 1 }), 201);
  });

  it.each([
    ['case', 'Ann', 'aNN'],
    ['surrounding space', 'ben', '  ben '],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['letters whose folding is longer', 'stra\u00dfe', 'STRASSE'],
  ])('takes ids that differ in %s for one buyer', async (_, first, second) => {
    const sale = await server.openSale();
    expectOk(await server.order(sale, first), 201);
    expectProblem(await server.order(sale, second), 'limit_reached');
  });

  it('counts held and paid; frees what was cancelled or expired', async () => {
    const sale = await server.openSale();
    const first = expectOk(await server.order(sale, 'ann'), 201);
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${first.orderId}/cancel`));
    const second = expectOk(await server.order(sale, 'ann'), 201);
    expectOk(await server.pay(second, { result: 'expired' }));
    const third = expectOk(await server.order(sale, 'ann'), 201);
    expectProblem(await server.order(sale, 'ann'), 'limit_reached');
    expectOk(await server.pay(third));
    expectProblem(await server.order(sale, 'ann'), 'limit_reached');
  });

  it('is per sale', async () => {
    for (const sale of [await server.openSale(), await server.openSale()])
      expectOk(await server.order(sale, 'ann'), 201);
  });
});

describe('ownership', () => {
  it('is of the exact id: other spellings find nothing', async () => {
    const sale = await server.openSale();
    const order = expectOk(await server.order(sale, 'ann'), 201);
    expectOk(await server.shopper('ann', 'GET', `/v1/orders/${order.orderId}`));
    for (const other of ['Ann', ' ann', 'ben']) {
      expectProblem(await server.shopper(other, 'GET', `/v1/orders/${order.orderId}`), 'not_found');
      expectProblem(await server.shopper(other, 'POST', `/v1/orders/${order.orderId}/cancel`), 'not_found');
      expect(expectOk(await server.shopper(other, 'GET', `/v1/sales/${sale.saleId}/orders`)).items).toEqual([]);
    }
    expect(await levels(server, sale.saleId)).toMatchObject({ held: 1 });
  });
});

describe('guests', () => {
  const guest = (saleId: string) => server.request('POST', `/v1/sales/${saleId}/guests`);

  it('get an own id and a token that buys in their sale', async () => {
    const sale = await server.openSale({ guests: true });
    const reply = await guest(sale.saleId);
    const first = expectOk(reply, 201);
    const second = expectOk(await guest(sale.saleId), 201);
    expect(reply.headers.get('cache-control')).toContain('no-store');
    expect(first.buyerId).toMatch(/^guest:.{8,}$/);
    expect(second.buyerId).not.toBe(first.buyerId);
    const order = expectOk(await server.order(sale, '', { token: first.token }), 201);
    expectProblem(await server.order(sale, '', { token: first.token }), 'limit_reached');
    expectOk(await server.order(sale, '', { token: second.token }), 201);
    const asGuest = (token: string) =>
      server.request('GET', `/v1/orders/${order.orderId}`, { headers: { authorization: `Bearer ${token}` } });
    expect(expectOk(await asGuest(first.token)).orderId).toBe(order.orderId);
    expectProblem(await asGuest(second.token), 'not_found');
    expect(expectOk(await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`)).buyerId).toBe(first.buyerId);
  });

  it('buy in no other sale', async () => {
    const home = await server.openSale({ guests: true });
    const { token } = expectOk(await guest(home.saleId), 201);
    for (const away of [await server.openSale({ guests: true }), await server.openSale()]) {
      expectProblem(await server.order(away, '', { token }), 'not_eligible');
    }
  });

  it('are refused where the sale has none, or is not there', async () => {
    expectProblem(await guest((await server.openSale()).saleId), 'not_eligible');
    expectProblem(await guest('nobody'), 'not_found');
    expectProblem(await guest(await saleIn(server, 'draft', { guests: true })), 'not_found');
  });
});

describe('tokens asked for by the merchant', () => {
  const mint = (body: unknown) => server.merchant('POST', '/v1/merchant/buyer-tokens', body);

  it('are the buyers own, in order', async () => {
    const sale = await server.openSale();
    const buyers = ['u1', '秒杀买家', 'x'.repeat(128)].map((id) => ({ id, attributes: { level: 3, phone: '+49' } }));
    const { tokens } = expectOk(await mint({ buyers, expiresInSeconds: 60 }));
    expect(tokens.map((entry: { buyerId: string }) => entry.buyerId)).toEqual(buyers.map((buyer) => buyer.id));
    for (const { buyerId, token } of tokens) {
      const order = expectOk(await server.order(sale, '', { token }), 201);
      expect(expectOk(await server.merchant('GET', `/v1/merchant/orders/${order.orderId}`)).buyerId).toBe(buyerId);
    }
  });

  it('expire', async () => {
    const sale = await server.openSale();
    const { tokens } = expectOk(await mint({ buyers: [{ id: 'u1' }], expiresInSeconds: 1 }));
    const target = `/v1/sales/${sale.saleId}/orders`;
    await until('the token expires', 10_000, async () => {
      const reply = await server.request('GET', target, { headers: { authorization: `Bearer ${tokens[0].token}` } });
      return reply.status === 401 && expectProblem(reply, 'unauthenticated');
    });
  });

  it('cannot become another buyer by their attributes', async () => {
    const reply = await mint({
      buyers: [{ id: 'u1', attributes: { sub: 'u2', exp: 9_999_999_999 } }],
      expiresInSeconds: 60,
    });
    if (reply.status !== 200) {
      expectProblem(reply, 'invalid');
      return;
    }
    const claims = JSON.parse(Buffer.from(reply.body.tokens[0].token.split('.')[1], 'base64url').toString());
    expect(claims.sub).toBe('u1');
    expect(claims.exp).toBeLessThan(Date.now() / 1000 + 120);
  });

  it('up to 1,000 a call', async () => {
    const many = (count: number) => ({
      buyers: Array.from({ length: count }, (_, index) => ({ id: `u${index}` })),
      expiresInSeconds: 60,
    });
    expect(expectOk(await mint(many(1000))).tokens).toHaveLength(1000);
    expectProblem(await mint(many(1001)), 'invalid');
  });

  it.each([
    ['an empty id', { buyers: [{ id: '' }] }],
    ['an id of 129 characters', { buyers: [{ id: 'x'.repeat(129) }] }],
    ['a control character', { buyers: [{ id: 'a\nb' }] }],
    ['NUL', { buyers: [{ id: 'a\u0000b' }] }],
    ['an id that is a number', { buyers: [{ id: 1 }] }],
    ['no buyers', { expiresInSeconds: 60 }],
    ['a life below 0', { buyers: [{ id: 'u1' }], expiresInSeconds: -1 }],
    ['an unknown field', { buyers: [{ id: 'u1', admin: true }] }],
  ])('refuse %s', async (_, body) => {
    expectProblem(await mint(body), 'invalid');
  });
});

describe('details', () => {
  const put = (buyer: string, orderId: string, body: unknown) =>
    server.shopper(buyer, 'PUT', `/v1/orders/${orderId}/details`, body);
  const details = { contact: { name: 'Ann Ö', email: 'ann@shop.example' }, delivery: { street: '春熙路 1', floor: 3 } };

  it('can be given at any time after the order, replaced, and read by the merchant alone', async () => {
    const sale = await server.openSale();
    const { orderId } = expectOk(await server.order(sale, 'ann'), 201);
    const given = expectOk(await put('ann', orderId, details));
    expect(given).toMatchObject({ orderId, status: 'held' });
    expect(given).not.toHaveProperty('details');
    const seen = async () => expectOk(await server.merchant('GET', `/v1/merchant/orders/${orderId}`)).details;
    expect(await seen()).toMatchObject(details);
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${orderId}/cancel`));
    expectOk(await put('ann', orderId, { contact: 'call me' }));
    expect(await seen()).toMatchObject({ contact: 'call me' });
    expectOk(await server.merchant('POST', `/v1/merchant/sales/${sale.saleId}/end`));
    expectOk(await put('ann', orderId, details));
    expect(await seen()).toMatchObject(details);
  });

  it('are of the own order, and nothing else than contact and delivery', async () => {
    const sale = await server.openSale();
    const { orderId } = expectOk(await server.order(sale, 'ann'), 201);
    expectProblem(await put('ben', orderId, details), 'not_found');
    expectProblem(await put('ann', 'no-such-order', details), 'not_found');
    for (const body of [{ status: 'paid' }, { contact: 1 }, { contact: ['a'] }, [], 'x', null]) {
      expectProblem(await put('ann', orderId, body), 'invalid');
    }
    expectProblem(await put('ann', orderId, { contact: 'x'.repeat(17_000) }), 'too_large');
  });
});

describe('demo payments', () => {
  const demo = (buyer: string, orderId: string, result: unknown) =>
    server.shopper(buyer, 'POST', `/v1/orders/${orderId}/demo-payment`, { result });

  it('pay or fail where the sale allows them', async () => {
    const sale = await server.openSale({ demoPayment: true });
    const { orderId } = expectOk(await server.order(sale, 'ann'), 201);
    expect(expectOk(await demo('ann', orderId, 'failed')).status).toBe('held');
    expectProblem(await demo('ann', orderId, 'expired'), 'invalid');
    expectProblem(await demo('ben', orderId, 'succeeded'), 'not_found');
    expect(expectOk(await demo('ann', orderId, 'succeeded')).status).toBe('paid');
    expect(await levels(server, sale.saleId)).toMatchObject({ sold: 1, held: 0 });
  });

  it('pay nothing where it does not', async () => {
    const sale = await server.openSale();
    const { orderId } = expectOk(await server.order(sale, 'ann'), 201);
    const reply = await demo('ann', orderId, 'succeeded');
    expectProblem(reply, 'not_found', 'not_eligible', 'wrong_state', 'forbidden');
    expect(await levels(server, sale.saleId)).toMatchObject({ sold: 0, held: 1 });
  });
});

describe('receipts', () => {
  const read = async (buyer: string, orderId: string) =>
    expectOk(await server.shopper(buyer, 'GET', `/v1/orders/${orderId}`));

  it('are signed by a published key, over the order as it stands', async () => {
    const published = expectOk(await server.request('GET', '/.well-known/jwks.json'));
    for (const key of published.keys) expect(key).not.toHaveProperty('d');
    const keys = createLocalJWKSet(published);
    const sale = await server.openSale({ limitPerBuyer: null });
    const order = expectOk(await server.order(sale, 'ann', { quantity: 2 }), 201);
    const verified = async () => {
      const { receipt } = await read('ann', order.orderId);
      const { payload, protectedHeader } = await compactVerify(receipt, keys, { algorithms: ['EdDSA'] });
      expect(protectedHeader.alg).toBe('EdDSA');
      return { receipt, claims: JSON.parse(new TextDecoder().decode(payload)) };
    };
    const held = await verified();
    expect(held.claims).toMatchObject({ orderId: order.orderId, sku: 'tee-m', quantity: 2, status: 'held' });
    expectOk(await server.pay(order));
    const paid = await verified();
    expect(paid.claims).toMatchObject({ orderId: order.orderId, status: 'paid' });

    const [header, payload, signature] = held.receipt.split('.');
    const forged = Buffer.from(JSON.stringify({ ...held.claims, status: 'paid' })).toString('base64url');
    await expect(compactVerify(`${header}.${forged}.${signature}`, keys)).rejects.toThrow();
    await expect(compactVerify(`${header}.${payload}.${paid.receipt.split('.')[2]}`, keys)).rejects.toThrow();
  });

  it('come with GET of the order only', async () => {
    const sale = await server.openSale();
    const key = randomUUID();
    const made = expectOk(await server.order(sale, 'ann', { key }), 201);
    expect(made).not.toHaveProperty('receipt');
    expect(await read('ann', made.orderId)).toHaveProperty('receipt');
    const { receipt: _, ...plain } = await read('ann', made.orderId);
    expect(plain).toEqual(made);
  });
});

it('an order that is not there is not found, whatever its id looks like', async () => {
  for (const orderId of [
    'nothing',
    newId('order'),
    'x'.repeat(64),
    '%00',
    '%F0%9F%98%80',
    '..%2f..%2fetc',
    '0',
    '-1',
  ]) {
    expectProblem(await server.shopper('ann', 'GET', `/v1/orders/${orderId}`), 'not_found', 'invalid');
    expectProblem(await server.merchant('GET', `/v1/merchant/orders/${orderId}`), 'not_found', 'invalid');
  }
});
