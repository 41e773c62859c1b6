import { expect, it } from 'vitest';
import { amountOf, isCurrency, PRICE_MINOR_MAX, QUANTITY_MAX } from './money.ts';
import type { Minor } from './scalars.ts';

// H050: 80.60, 19.99 and 0.07, times 1 to 10, written out.
it.each([
  [8060, [8060, 16120, 24180, 32240, 40300, 48360, 56420, 64480, 72540, 80600]],
  [1999, [1999, 3998, 5997, 7996, 9995, 11994, 13993, 15992, 17991, 19990]],
  [7, [7, 14, 21, 28, 35, 42, 49, 56, 63, 70]],
])('H050 %i minor units times 1 to 10 are exact', (price, totals) => {
  expect(totals.map((_, at) => amountOf(price as Minor, at + 1))).toEqual(totals);
});

it('is exact at the largest price and quantity', () => {
  const largest = amountOf(PRICE_MINOR_MAX as Minor, QUANTITY_MAX);
  expect(BigInt(largest)).toBe(10n ** 15n);
  expect(Number.isSafeInteger(largest)).toBe(true);
});

it.each([
  ['EUR', true],
  ['JPY', true],
  ['eur', false],
  ['EU', false],
  ['EURO', false],
  ['E1R', false],
  ['EUR ', false],
  ['EUR\n', false],
  ['', false],
])('%j is the form of a currency code: %s', (code, expected) => {
  expect(isCurrency(code)).toBe(expected);
});
