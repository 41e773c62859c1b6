/**
 * The order request: each refusal alone, then every pair of refusals that can apply at once. The earlier one of
 * "Order of precedence on an order request" must win. The request with no fault at all is granted, so that no row
 * passes because the request was broken anyway. Where the sold-out latch may answer early, the buyer has
 * an order in the sale already, which rules the latch out by the contract.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Code } from '../support/contract.ts';
import { expectOk, expectProblem, item, levels, newId } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let guestOfOther: string;

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
  const other = await server.openSale({ guests: true });
  guestOfOther = expectOk(await server.request('POST', `/v1/sales/${other.saleId}/guests`), 201).token;
});
afterAll(async () => {
  await server.stop();
});

/** A request about to be sent; faults change it, or change the world before it. */
interface Draft {
  readonly saleId: string;
  readonly buyer: string;
  target: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  body: Record<string, unknown>;
  padTo?: number;
}

interface Fault {
  readonly code: Code;
  /** Faults of one group exclude each other. */
  readonly group: string;
  apply(draft: Draft): Promise<void> | void;
}

const act = async (draft: Draft, name: string) =>
  expectOk(await server.merchant('POST', `/v1/merchant/sales/${draft.saleId}/${name}`));

/** In order of precedence. `replay` stands for `idempotency_conflict`: the key was used with another body. */
const faults: readonly Fault[] = [
  {
    code: 'unauthenticated',
    group: 'credential',
    apply: (draft) => {
      draft.authorization = undefined;
    },
  },
  {
    code: 'forbidden',
    group: 'credential',
    apply: (draft) => {
      draft.authorization = `Bearer ${server.merchantKey}`;
    },
  },
  {
    code: 'too_large',
    group: 'size',
    apply: (draft) => {
      draft.padTo = 16 * 1024 + 1;
    },
  },
  {
    code: 'invalid',
    group: 'body',
    apply: (draft) => {
      draft.body = { ...draft.body, colour: 'red' };
    },
  },
  {
    code: 'not_found',
    group: 'sku',
    apply: (draft) => {
      draft.body = { ...draft.body, sku: 'unknown' };
    },
  },
  {
    code: 'idempotency_conflict',
    group: 'replay',
    apply: async (draft) => {
      const key = draft.idempotencyKey as string;
      const opened = {
        saleId: draft.saleId,
        purchaseKey: new URL(`http://x${draft.target}`).searchParams.get('key') as string,
      };
      expectOk(await server.order(opened, draft.buyer, { sku: 'spare', quantity: 1, key }), 201);
    },
  },
  { code: 'sale_paused', group: 'phase', apply: async (draft) => act(draft, 'pause') },
  { code: 'sale_ended', group: 'phase', apply: async (draft) => act(draft, 'end') },
  {
    code: 'wrong_purchase_key',
    group: 'key',
    apply: (draft) => {
      draft.target = draft.target.replace(/key=.*/, 'key=wrong');
    },
  },
  {
    code: 'not_eligible',
    group: 'credential',
    apply: (draft) => {
      draft.authorization = `Bearer ${guestOfOther}`;
    },
  },
  {
    code: 'limit_reached',
    group: 'quantity',
    apply: (draft) => {
      draft.body = { ...draft.body, quantity: 100 };
    },
  },
  {
    code: 'sold_out',
    group: 'sku',
    apply: (draft) => {
      draft.body = { ...draft.body, sku: 'empty' };
    },
  },
  {
    code: 'not_enough',
    group: 'quantity',
    apply: (draft) => {
      draft.body = { ...draft.body, quantity: 3 };
    },
  },
];

const rank = (code: Code) => faults.findIndex((fault) => fault.code === code);

async function freshDraft(): Promise<Draft> {
  const saleId = newId('prec');
  const buyer = newId('buyer');
  const opened = await server.openSale({
    saleId,
    limitPerBuyer: 50,
    items: [item({ stock: 2 }), item({ sku: 'empty', stock: 0 }), item({ sku: 'spare', stock: 100 })],
  });
  // The buyer is known to the sale, so that the sold-out latch may not answer ahead of the rest.
  expectOk(await server.order(opened, buyer, { sku: 'spare' }), 201);
  return {
    saleId,
    buyer,
    target: `/v1/sales/${saleId}/orders?key=${encodeURIComponent(opened.purchaseKey)}`,
    authorization: `Bearer ${server.token(buyer)}`,
    idempotencyKey: randomUUID(),
    body: { sku: 'tee-m', quantity: 1 },
  };
}

function send(draft: Draft) {
  const text = JSON.stringify(draft.body);
  return server.request('POST', draft.target, {
    rawBody: draft.padTo === undefined ? text : text.padEnd(draft.padTo, ' '),
    headers: {
      ...(draft.authorization === undefined ? {} : { authorization: draft.authorization }),
      ...(draft.idempotencyKey === undefined ? {} : { 'idempotency-key': draft.idempotencyKey }),
    },
  });
}

/** The request with these faults, the world's changes first made by the replay, then by the phase. */
async function refusedWith(...named: readonly Fault[]): Promise<void> {
  const draft = await freshDraft();
  for (const fault of named) await fault.apply(draft);
  const before = await server.books(draft.saleId);
  const first = named.reduce((left, right) => (rank(left.code) < rank(right.code) ? left : right)).code;
  // A guest of another sale has no order here: the latch may speak first.
  const latched = first === 'not_eligible' && named.some((fault) => fault.code === 'sold_out');
  expectProblem(await send(draft), ...(latched ? [first, 'sold_out' as const] : [first]));
  expect(await server.books(draft.saleId)).toEqual(before);
}

describe('each refusal alone', () => {
  it('none at all: the order is made', async () => {
    const draft = await freshDraft();
    expectOk(await send(draft), 201);
    expect(await levels(server, draft.saleId)).toEqual({ total: 2, available: 1, held: 1, sold: 0 });
  });

  it.each(faults.map((fault) => [fault.code, fault] as const))('%s', async (_, fault) => refusedWith(fault));

  it('invalid: no Idempotency-Key', async () => {
    const draft = await freshDraft();
    draft.idempotencyKey = undefined;
    expectProblem(await send(draft), 'invalid');
  });

  it('not_found: an unknown sale', async () => {
    const draft = await freshDraft();
    draft.target = draft.target.replace(draft.saleId, 'nobody');
    expectProblem(await send(draft), 'not_found');
  });

  it('wrong_purchase_key: no key, an empty one, the key of another sale, a prefix', async () => {
    const other = await server.openSale();
    const draft = await freshDraft();
    const right = new URL(`http://x${draft.target}`).searchParams.get('key') as string;
    const bare = draft.target.replace(/\?.*/, '');
    for (const query of ['', '?key=', `?key=${other.purchaseKey}`, `?key=${right.slice(0, -1)}`, `?key=${right}x`]) {
      draft.target = bare + query;
      expectProblem(await send(draft), 'wrong_purchase_key');
    }
  });

  it('not_open: before the opening, whatever the key', async () => {
    const draft = await freshDraft();
    const saleId = newId('later');
    const body = { saleId, title: 'Later', currency: 'EUR', opensAt: '2099-01-01T00:00:00.000Z', items: [item()] };
    expectOk(await server.merchant('POST', '/v1/merchant/sales', body), 201);
    expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/schedule`));
    draft.target = `/v1/sales/${saleId}/orders?key=anything`;
    expect(expectProblem(await send(draft), 'not_open').retryable).toBe(true);
  });

  it('sold_out says all_held while units are held, sold_out when all are sold; not_enough says how many', async () => {
    const opened = await server.openSale({ items: [item({ stock: 2 })], limitPerBuyer: null });
    const order = expectOk(await server.order(opened, 'ann'), 201);
    expect(expectProblem(await server.order(opened, 'ann', { quantity: 2 }), 'not_enough').available).toBe(1);
    const last = expectOk(await server.order(opened, 'ann'), 201);
    expect(expectProblem(await server.order(opened, 'ann'), 'sold_out').availability).toBe('all_held');
    expectOk(await server.pay(order));
    expectOk(await server.pay(last));
    expect(expectProblem(await server.order(opened, 'ann'), 'sold_out').availability).toBe('sold_out');
    expect(expectProblem(await server.order(opened, 'ann', { quantity: 2 }), 'sold_out').availability).toBe('sold_out');
  });
});

/** A key belongs to its buyer, so a guest of another sale cannot be in conflict with it. */
const impossible = (left: Fault, right: Fault) =>
  left.group === right.group || (left.code === 'idempotency_conflict' && right.code === 'not_eligible');

const pairs = faults.flatMap((left, index) =>
  faults
    .slice(index + 1)
    .flatMap((right) => (impossible(left, right) ? [] : [[left.code, right.code, left, right] as const])),
);

describe('of two refusals the earlier one is told', () => {
  it('there are pairs of every code', () => {
    expect(new Set(pairs.flatMap((pair) => pair.slice(0, 2))).size).toBe(faults.length);
    expect(pairs.length).toBeGreaterThan(65);
  });

  it.each(pairs)('%s before %s', async (_left, _right, left, right) => {
    await refusedWith(left, right);
  });

  it('a buyer without an order may be told sold_out by the latch, but never ahead of invalid or a bad token', async () => {
    const opened = await server.openSale({ items: [item({ stock: 1 })] });
    expectOk(await server.order(opened, 'ann'), 201);
    for (let turn = 0; turn < 5; turn++) expectProblem(await server.order(opened, newId('new')), 'sold_out');
    const wrongKey = { saleId: opened.saleId, purchaseKey: 'wrong' };
    expectProblem(await server.order(wrongKey, newId('new')), 'wrong_purchase_key', 'sold_out');
    expectProblem(await server.order(opened, newId('new'), { quantity: 0 }), 'invalid');
    expectProblem(await server.order(opened, newId('new'), { token: 'bad' }), 'unauthenticated');
  });
});

describe('the body of an order', () => {
  const key = () => ({ authorization: `Bearer ${server.token(newId('buyer'))}`, 'idempotency-key': randomUUID() });

  it.each([
    ['quantity 0', { sku: 'tee-m', quantity: 0 }],
    ['quantity -1', { sku: 'tee-m', quantity: -1 }],
    ['quantity 1001', { sku: 'tee-m', quantity: 1001 }],
    ['quantity 1.5', { sku: 'tee-m', quantity: 1.5 }],
    ['quantity "1"', { sku: 'tee-m', quantity: '1' }],
    ['quantity true', { sku: 'tee-m', quantity: true }],
    ['no quantity', { sku: 'tee-m' }],
    ['no sku', { quantity: 1 }],
    ['sku a number', { sku: 1, quantity: 1 }],
    ['an unknown field', { sku: 'tee-m', quantity: 1, buyerId: 'ann' }],
    ['a price of the shopper', { sku: 'tee-m', quantity: 1, unitPriceMinor: 1 }],
  ])('refuses %s', async (_, body) => {
    const opened = await server.openSale({ limitPerBuyer: null });
    const target = `/v1/sales/${opened.saleId}/orders?key=${opened.purchaseKey}`;
    expectProblem(await server.request('POST', target, { body, headers: key() }), 'invalid');
    expect(await levels(server, opened.saleId)).toMatchObject({ held: 0, available: 10 });
  });

  it('takes quantity 1 and 1000', async () => {
    const opened = await server.openSale({ limitPerBuyer: null, items: [item({ stock: 2000, priceMinor: 3 })] });
    expect(expectOk(await server.order(opened, 'ann', { quantity: 1 }), 201)).toMatchObject({
      quantity: 1,
      amountMinor: 3,
    });
    const many = expectOk(await server.order(opened, 'ann', { quantity: 1000 }), 201);
    expect(many).toMatchObject({ quantity: 1000, unitPriceMinor: 3, amountMinor: 3000, status: 'held' });
  });

  it('takes an Idempotency-Key of 1 to 255 visible characters', async () => {
    const opened = await server.openSale({ limitPerBuyer: null });
    for (const idempotencyKey of ['k', '!~'.repeat(127).padEnd(255, 'x')]) {
      expectOk(await server.order(opened, 'ann', { key: idempotencyKey }), 201);
    }
    for (const idempotencyKey of ['', 'x'.repeat(256), 'two words', 'caf\u00e9', 'tab\tbed']) {
      expectProblem(await server.order(opened, 'ann', { key: idempotencyKey }), 'invalid');
    }
  });
});
