/**
 * The guards in the schema itself, tried by plain SQL past all our code (I1, I3, I4): each refuses, and the same
 * statement without its fault goes through. And ids byte for byte: what differs by one byte is two, what is one comes
 * back as it was sent.
 */
import { expect, it } from 'vitest';
import type { TestDatabase } from '../support/database.ts';
import type { TestServer } from '../support/server.ts';
import { onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, startOn, stopAll } from './support/shop.ts';

endServersAtTheEnd();

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A row of `orders`, whole but for what is told. */
const order = (change: Record<string, string>): string => {
  const row = {
    order_id: text('guard-1'),
    sale_no: '1',
    sku: text('tee-m'),
    quantity: '1',
    unit_price_minor: '2500',
    buyer_id: text('guard'),
    buyer_key: text('guard'),
    idempotency_key: text('key-1'),
    status: text('held'),
    placed_at_ms: '1',
    updated_at_ms: '1',
    ...change,
  };
  return `INSERT INTO orders (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
};

const payment = (change: Record<string, string>): string => {
  const row = {
    payment_id: text('pay-1'),
    result: text('succeeded'),
    order_id: text('guard-1'),
    state: text('applied'),
    received_at_ms: '1',
    updated_at_ms: '1',
    refund: text('none'),
    ...change,
  };
  return `INSERT INTO payments (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
};

const buyer = (key: string, units: number, limit: number | string): string =>
  `INSERT INTO buyers (sale_no, buyer_key, units, unit_limit) VALUES (1, ${text(key)}, ${units}, ${limit})`;

/** Each fault, and beside it the same thing done right, as the control that it is the fault which is refused. */
const GUARDS: readonly { what: string; bad: string; good: string }[] = [
  {
    what: 'free below zero',
    bad: "UPDATE items SET free = -1, held = 11 WHERE sku = 'tee-m'",
    good: "UPDATE items SET free = 0, held = 10 WHERE sku = 'tee-m'",
  },
  {
    what: 'a sum that is broken',
    bad: "UPDATE items SET held = held + 1 WHERE sku = 'tee-m'",
    good: "UPDATE items SET held = held - 1, free = free + 1 WHERE sku = 'tee-m'",
  },
  { what: 'units over the limit', bad: buyer('over', 3, 2), good: buyer('within', 2, 2) },
  { what: 'units below zero', bad: buyer('below', -1, 2), good: buyer('none', 0, 'NULL') },
  {
    what: 'a second order of one id',
    bad: order({ idempotency_key: text('key-2') }),
    good: order({ order_id: text('guard-2'), idempotency_key: text('key-2') }),
  },
  {
    what: 'a second order of one key',
    bad: order({ order_id: text('guard-3') }),
    good: order({ order_id: text('guard-3'), sale_no: '2' }),
  },
  {
    what: 'an order of no units',
    bad: order({ order_id: text('guard-4'), idempotency_key: text('key-4'), quantity: '0' }),
    good: order({ order_id: text('guard-4'), idempotency_key: text('key-4') }),
  },
  {
    what: 'an order in a status that there is not',
    bad: "UPDATE orders SET status = 'lost' WHERE order_id = 'guard-1'",
    good: "UPDATE orders SET status = 'paid' WHERE order_id = 'guard-1'",
  },
  {
    what: 'one result of a payment twice',
    bad: payment({}),
    good: payment({ result: text('failed') }),
  },
  {
    what: 'a refund without its amount',
    bad: payment({ payment_id: text('pay-2'), refund: text('due') }),
    good: payment({
      payment_id: text('pay-2'),
      refund: text('due'),
      amount_minor: '1',
      currency: text('EUR'),
      refund_reason: text('late'),
    }),
  },
  {
    what: 'an open sale without its purchase key',
    bad: "UPDATE sales SET purchase_key = NULL WHERE phase = 'open'",
    good: "UPDATE sales SET purchase_key = 'another' WHERE phase = 'open'",
  },
  {
    what: 'a second row of one number in the audit chain',
    bad: "INSERT INTO audit (sale_no, seq, at_ms, has_acts, entries, previous_hash, hash) VALUES (1, 1, 1, 0, '[]', 'a', 'b')",
    good: "INSERT INTO audit (sale_no, seq, at_ms, has_acts, entries, previous_hash, hash) VALUES (9, 1, 1, 0, '[]', 'a', 'b')",
  },
];

const REFUSED = /violates|Duplicate entry|CONSTRAINT .* failed/;

/** Each of these is a buyer of its own, though a careless collation would take some for one. */
const OWNERS = [
  'anna',
  'Anna',
  'ANNA',
  'anna ',
  'ánna',
  'a\u0301nna',
  'ａｎｎａ',
  'anna\u00a0',
  'ss',
  'ß',
  'i',
  'ı',
  'İ',
];
const STRANGE = ['buyer 🎟️👩‍👧', '\u202eevil\u202c', 'שלום\u200f-12', '\u0661\u0662', "o'brien\\n", '%_?$1'];

onEachDatabase((kind, database) => {
  let db: TestDatabase;
  let server: TestServer;

  it('plain SQL is refused where it would break the books, and only there', async () => {
    db = await database();
    const url = db.create();
    server = await startOn(url);
    await server.openSale();
    db.ask(`${order({})}; ${payment({})};`, url);
    for (const { what, bad, good } of GUARDS) {
      expect(() => db.ask(bad, url), what).toThrow(REFUSED);
      expect(() => db.ask(good, url), `the control of: ${what}`).not.toThrow();
    }
    await stopAll([server]);
  });

  it('H052 ids are bytes: who differs by a blank, a case, an accent or a width owns his own order', async () => {
    db = await database();
    const url = db.create();
    server = await startOn(url);
    const sale = await server.openSale({
      limitPerBuyer: 100,
      items: [{ sku: 'tee-m', title: 'Tee 🎟️ \u202eM', priceMinor: 1, stock: 500 }],
    });
    const own = new Map<string, string>();
    for (const buyerId of [...OWNERS, ...STRANGE]) {
      const made = await server.order(sale, buyerId, { key: 'the-same-key' });
      expect({ buyerId, status: made.status }).toEqual({ buyerId, status: 201 });
      expect(made.headers.get('idempotent-replayed')).not.toBe('true');
      own.set(buyerId, made.body.orderId);
    }
    expect(new Set(own.values()).size).toBe(OWNERS.length + STRANGE.length);
    for (const [buyerId, orderId] of own) {
      const listed = await server.shopper(buyerId, 'GET', `/v1/sales/${sale.saleId}/orders`);
      expect(listed.body.items.map((each: { orderId: string }) => each.orderId)).toEqual([orderId]);
      const shown = await server.merchant('GET', `/v1/merchant/orders/${orderId}`);
      expect(shown.body.buyerId).toBe(buyerId);
      expect((await server.order(sale, buyerId, { key: 'the-same-key' })).body.orderId).toBe(orderId);
    }
    const details = { contact: 'Zoë 🎁 \u202eמתנה\u202c 👩‍👧' };
    const [first] = [...own];
    const [buyerId, orderId] = first as [string, string];
    const put = await server.shopper(buyerId, 'PUT', `/v1/orders/${orderId}/details`, details);
    expect(put.status).toBe(200);
    expect((await server.merchant('GET', `/v1/merchant/orders/${orderId}`)).body.details).toMatchObject(details);
    const state = await server.request('GET', `/v1/sales/${sale.saleId}/state`);
    expect(state.text + (await server.request('GET', `/v1/sales/${sale.saleId}`)).text).toContain('Tee 🎟️ \u202eM');
    await stopAll([server]);
  });

  it('limits compare what a buyer means, so that spelling buys nothing more', async () => {
    db = await database();
    server = await startOn(db.create());
    const sale = await server.openSale({ limitPerBuyer: 1 });
    const spelt = ['zoë@x.com', ' Zoë@X.com', 'ZOË@X.COM ', 'zoe\u0308@x.com'];
    const answers = [];
    for (const buyerId of spelt) answers.push((await server.order(sale, buyerId)).status);
    expect({ kind, answers }).toEqual({ kind, answers: [201, 409, 409, 409] });
    await stopAll([server]);
  });
});
