import { describe, expect, test } from 'vitest';
import {
  nameFrom,
  readHoldSeconds,
  readLimit,
  readName,
  readPrice,
  readStock,
  readTitle,
  readYesNo,
} from './answers.ts';
import { whenOf } from './when.ts';

describe('a price', () => {
  test.each([
    ['25 EUR', 2500, 'EUR'],
    ['25.5 eur', 2550, 'EUR'],
    ['EUR 25.05', 2505, 'EUR'],
    ['1200 JPY', 1200, 'JPY'],
    ['1.234 KWD', 1234, 'KWD'],
    ['0 CNY', 0, 'CNY'],
    ['49.90CHF', 4990, 'CHF'],
  ])('%s', (text, priceMinor, currency) => expect(readPrice(text)).toEqual({ value: { priceMinor, currency } }));

  test.each([
    ['25', /currency/],
    ['25,00 EUR', /like 25\.00 EUR/],
    ['-1 EUR', /amount/],
    ['1.5 JPY', /at most 0 decimals/],
    ['1.005 EUR', /at most 2 decimals/],
    ['1 XYZ', /currency/],
    ['9999999999999 EUR', /at most/],
    ['', /amount/],
  ])('%j is none, and it is said what one is', (text, said) =>
    expect(readPrice(text)).toEqual({ allowed: expect.stringMatching(said) }),
  );
});

test.each([
  [readStock, '100', 100],
  [readStock, '1,000,000', 1_000_000],
  [readStock, '0', 0],
  [readLimit, '2', 2],
  [readLimit, 'none', null],
  [readHoldSeconds, '300', 300],
  [readYesNo, 'Y', true],
  [readYesNo, 'no', false],
  [readTitle, ' Autumn drop ', 'Autumn drop'],
  [readName, 'autumn-drop', 'autumn-drop'],
])('%o of %j is %j', (read, text, value) => expect(read(text)).toEqual({ value }));

test.each([
  [readStock, '-1', /from 0 to/],
  [readStock, '100000001', /to 100000000/],
  [readStock, '1,00', /whole number/],
  [readLimit, '0', /from 1 .* or none/],
  [readHoldSeconds, '4', /from 5 to 86400/],
  [readYesNo, 'maybe', /yes or no/],
  [readTitle, '  ', /text/],
  [readTitle, 'x'.repeat(201), /200/],
  [readName, '-x', /beginning with/],
  [readName, 'a b', /A-Z/],
])('%o refuses %j with a sentence', (read, text, said) =>
  expect(read(text)).toEqual({ allowed: expect.stringMatching(said) }),
);

test.each([
  ['Autumn drop!', 'autumn-drop'],
  ['Café – Größe M', 'cafe-gro-e-m'],
  ['秋季限量', null],
  ['x'.repeat(80), 'x'.repeat(64)],
])('the id of %j is %j', (title, name) => expect(nameFrom(title)).toBe(name));

describe('when (H039)', () => {
  const berlin = { zone: 'Europe/Berlin', nowMs: Date.UTC(2026, 0, 1), afterMs: null };
  const iso = (ms: number): string => new Date(ms).toISOString();

  test('a time on the wall of the zone', () => {
    expect(whenOf('2026-12-24 10:00', berlin)).toEqual({ value: [Date.UTC(2026, 11, 24, 9)] });
    expect(whenOf('2026-12-24T10:00', berlin)).toEqual({ value: [Date.UTC(2026, 11, 24, 9)] });
  });

  test('one that does not exist is refused with the nearest two that do', () => {
    const refused = whenOf('2026-03-29 02:30', berlin);
    expect(refused).toEqual({ allowed: expect.stringMatching(/does not exist.*2026-03-29 01:59.*2026-03-29 03:00/) });
  });

  test('one that there is twice is both, for the asker to ask which', () => {
    const both = whenOf('2026-10-25 02:30', berlin);
    expect('value' in both ? both.value.map(iso) : both).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
  });

  test('in some minutes or hours from now', () => {
    expect(whenOf('in 10 minutes', berlin)).toEqual({ value: [Date.UTC(2026, 0, 1, 0, 10)] });
    expect(whenOf('in 2h', berlin)).toEqual({ value: [Date.UTC(2026, 0, 1, 2)] });
  });

  test('nothing that is over, nothing before the opening, nothing else', () => {
    expect(whenOf('2025-12-31 10:00', berlin)).toEqual({ allowed: expect.stringMatching(/to come.*now it is/) });
    const after = { ...berlin, afterMs: Date.UTC(2026, 11, 24, 9) };
    expect(whenOf('2026-12-24 10:00', after)).toEqual({ allowed: expect.stringMatching(/after the opening/) });
    expect(whenOf('tomorrow', berlin)).toEqual({ allowed: expect.stringMatching(/like 2026-/) });
  });
});
