/**
 * For each route with a body: a right one, and for each of its fields values that the contract refuses. A value
 * stands here only if the contract's text refuses it, so that `invalid` may be demanded of the answer.
 */

import { brokenNumbers, poisonedTexts } from './strange.ts';
import type { World } from './world.ts';

export interface Field {
  readonly path: readonly string[];
  readonly wrong: readonly unknown[];
  readonly required: boolean;
}

export interface BodySpec {
  right(world: World): Record<string, unknown>;
  readonly fields: readonly Field[];
}

const field = (path: string, wrong: readonly unknown[], required = false): Field => ({
  path: path.split('.'),
  wrong,
  required,
});

const notText: readonly unknown[] = [0, 1, -1, 1e21, true, false, [], ['a'], {}, { a: 1 }, ...poisonedTexts];
const text = [...notText, null];
const textOrNull = notText;
const number = [...brokenNumbers, null, 'x', '0'];
const between = (least: number, most: number): readonly unknown[] => [...number, least - 1, most + 1, -1e9];
const flag: readonly unknown[] = ['true', 'false', '', 1, 0, null, [], {}, 'yes'];
const oneOf: readonly unknown[] = [...text, '', 'nope', '__proto__', 'constructor', '9'.repeat(64)];
const id: readonly unknown[] = [
  ...text,
  '',
  '9'.repeat(65),
  'x'.repeat(5000),
  '-a',
  '.a',
  '_a',
  'a b',
  'a/b',
  'é',
  '秒',
  '__proto__',
  ' a',
  'a\n',
];
const time: readonly unknown[] = [
  ...notText,
  '',
  'now',
  'yesterday',
  '2099-13-01T00:00:00.000Z',
  '2099-02-30T00:00:00.000Z',
  '2099-01-01T25:00:00.000Z',
  '9'.repeat(64),
  '12345',
];
const list: readonly unknown[] = [{}, { 0: 'a' }, 'x', '', 1, 0, null, true, false];
const object: readonly unknown[] = [[], [{}], 'x', 1, null, true];

const saleFields: readonly Field[] = [
  field(
    'saleId',
    id.filter((value) => value !== null),
  ),
  field('title', text, true),
  field('opensAt', time),
  field('endsAt', time),
  field('timeZone', [...text, '', 'Mars/Base', '9'.repeat(64), '../UTC']),
  field('currency', [...text, '', 'E', 'EURO', 'XQQ', '9'.repeat(64), '€€€'], true),
  field('items', [...list, [], [1], [null], ['x'], [[]]], true),
  field('items.0', [1, 'x', null, [], {}]),
  field('items.0.sku', id, true),
  field('items.0.title', text, true),
  field('items.0.description', text),
  field('items.0.imageUrl', textOrNull),
  field('items.0.priceMinor', between(0, 1e12), true),
  field('items.0.stock', between(0, 100_000_000), true),
  field('limitPerBuyer', brokenNumbers.concat([-1, 'x'])),
  field('holdSeconds', between(5, 86_400)),
  field('paymentGraceSeconds', [...number, -1]),
  field('deductAt', oneOf),
  field('overAdmit', ['x', '1.1', null, true, [], {}, -1, ...brokenNumbers.filter((value) => value !== 0.5)]),
  field('latePayment', oneOf),
  field('guests', flag),
  field('demoPayment', flag),
  field('showStock', flag),
  field('shadow', [...flag, true]),
  field('payUrl', textOrNull),
  field('origins', [...list, [1], [null], [{}], [[]]]),
  field('look', [1, 'x', true, [], { nope: 1 }, { name: 1 }]),
  field('submitEverySeconds', [...brokenNumbers.filter((value) => value !== 0.5), null, 'x', -1]),
  field('segments', between(1, 64)),
  field('room', [1, 'x', true, [], { mode: 'fifo', capacity: 10 }, { mode: 'nope' }]),
  field('gate', [1, 'x', true, [], { eligibility: 'level > 3' }, { nope: 1 }, { cutOff: 5 }]),
];

const rightSale = (): Record<string, unknown> => ({
  title: 'Bad input',
  currency: 'EUR',
  items: [{ sku: 'tee-m', title: 'Tee', priceMinor: 100, stock: 5 }],
});

const reason = field('reason', text, true);
const sale = '/v1/merchant/sales/{saleId}';

export const bodySpecs: Readonly<Record<string, BodySpec>> = {
  'POST /v1/sales/{saleId}/orders': {
    right: () => ({ sku: 'tee-m', quantity: 1 }),
    fields: [field('sku', id, true), field('quantity', between(1, 1000), true)],
  },
  'PUT /v1/orders/{orderId}/details': {
    right: () => ({ contact: { name: 'Ann' }, delivery: { street: 'x' } }),
    fields: [
      field('contact', [1, 0, true, [], ['a'], ...poisonedTexts]),
      field('delivery', [1, 0, true, [], ['a'], ...poisonedTexts]),
      field('contact.name', poisonedTexts),
    ],
  },
  'POST /v1/orders/{orderId}/demo-payment': {
    right: () => ({ result: 'failed' }),
    fields: [field('result', [...oneOf, 'expired'], true)],
  },
  'POST /v1/merchant/buyer-tokens': {
    right: () => ({ buyers: [{ id: 'u1', attributes: { level: 1 } }], expiresInSeconds: 60 }),
    fields: [
      field('buyers', [...list, [1], [null], ['u1'], [[]], [{}]], true),
      field('buyers.0.id', [...text, '', 'x'.repeat(129), 'a\nb', 'a\u007fb'], true),
      field('buyers.0.attributes', [1, 'x', [], true, { a: poisonedTexts[0] }]),
      field('expiresInSeconds', [...number, -1]),
    ],
  },
  'POST /v1/merchant/sales': { right: rightSale, fields: saleFields },
  [`PATCH ${sale}`]: {
    right: rightSale,
    fields: saleFields
      .filter((entry) => entry.path[0] !== 'saleId')
      .map((entry) => ({ ...entry, required: entry.path.length > 1 && entry.required })),
  },
  [`POST ${sale}/items/{sku}/stock`]: {
    right: () => ({ delta: 1, reason: 'x' }),
    fields: [field('delta', number, true), reason],
  },
  [`POST ${sale}/corrections`]: {
    right: () => ({ set: { title: 'x' }, reason: 'x' }),
    fields: [
      field('set', object, true),
      field('set.title', text),
      field('set.description', text),
      field('set.endsAt', time),
      field('set.segments', between(1, 64)),
      field('set.stock', [5, null, 'x']),
      reason,
    ],
  },
  'POST /v1/merchant/orders/{orderId}/cancel': {
    right: () => ({ returnToStock: false, reason: 'x' }),
    fields: [field('returnToStock', flag), field('reason', textOrNull)],
  },
  'POST /v1/merchant/orders/{orderId}/refunded': {
    right: () => ({ paymentId: 'pay-1', reason: 'x' }),
    fields: [field('paymentId', [...text, ''], true), reason],
  },
  'POST /v1/merchant/payments': {
    right: (world) => ({
      paymentId: 'pay-bad',
      orderId: world.heldOrderId,
      result: 'succeeded',
      amountMinor: 2500,
      currency: 'EUR',
    }),
    fields: [
      field('paymentId', [...text, ''], true),
      field('orderId', [...text, ''], true),
      field('result', oneOf, true),
      field('amountMinor', [...number, -1], true),
      field('currency', text, true),
    ],
  },
  'POST /v1/merchant/payments/{paymentId}/resolve': {
    right: () => ({ as: 'ignored', reason: 'x' }),
    fields: [field('as', oneOf, true), reason],
  },
  'POST /v1/merchant/payments/{paymentId}/refunded': {
    right: () => ({ reason: 'x' }),
    fields: [field('reason', text)],
  },
};

/** Routes that take an empty body: any field is an unknown one. */
export const emptyBody: BodySpec = { right: () => ({}), fields: [] };
