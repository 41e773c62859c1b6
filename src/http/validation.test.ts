/** What a client is told about a fault: where, and what would be right; never what it sent. */
import { expect, it } from 'vitest';
import { PlaceOrder } from './schemas/order.ts';
import { CreateSale } from './schemas/sale.ts';
import { validatorOf } from './validation.ts';

const order = validatorOf(PlaceOrder);
const sale = validatorOf(CreateSale);
const item = { sku: 'a', title: 'A', priceMinor: 1, stock: 1 };
const body = { title: 'T', currency: 'EUR', items: [item] };

it.each([
  [{ sku: 'a', quantity: 0 }, [{ path: '/quantity', message: 'must be an integer from 1 to 1000' }]],
  [{ sku: 'a', quantity: 1001 }, [{ path: '/quantity', message: 'must be an integer from 1 to 1000' }]],
  [{ sku: 'a', quantity: '1' }, [{ path: '/quantity', message: 'must be an integer from 1 to 1000' }]],
  [
    { sku: 'a', quantity: Number.POSITIVE_INFINITY },
    [{ path: '/quantity', message: 'must be an integer from 1 to 1000' }],
  ],
  [{ quantity: 1 }, [{ path: '/sku', message: 'is required' }]],
  [{ sku: 'a', quantity: 1, colour: 1 }, [{ path: '/colour', message: 'is not a known field' }]],
  [[], [{ path: '', message: 'must be an object' }]],
  [null, [{ path: '', message: 'must be an object' }]],
])('of an order: %j', (value, faults) => {
  expect(order.check(value)).toBe(false);
  expect(order.faults(value)).toEqual(faults);
});

it('names the path in a list, and what a nullable setting takes', () => {
  expect(sale.faults({ ...body, items: [item, { ...item, stock: -1 }] })).toEqual([
    { path: '/items/1/stock', message: 'must be an integer from 0 to 100000000' },
  ]);
  expect(sale.faults({ ...body, limitPerBuyer: 0 })).toEqual([
    { path: '/limitPerBuyer', message: 'must be an integer from 1 to 1000000 or null' },
  ]);
  expect(sale.faults({ ...body, deductAt: 'cart' })).toEqual([
    { path: '/deductAt', message: 'must be one of order, payment' },
  ]);
});

it('repeats no value, and no name that could be a secret', () => {
  const secret = 'canary-9f3a0c7e-0b';
  const faults = JSON.stringify(order.faults({ sku: secret.repeat(9), quantity: secret, [secret]: secret }));
  expect(faults).not.toContain(secret);
});

it('tells a bounded number of faults', () => {
  expect(sale.faults({ ...body, items: Array.from({ length: 500 }, () => ({})) }).length).toBeLessThanOrEqual(20);
});
