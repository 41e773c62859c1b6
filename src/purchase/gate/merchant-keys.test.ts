/** The merchant key: exactly itself, and the old one beside it while it is rotated. */
import { expect, it } from 'vitest';
import { MerchantKeys } from './merchant-keys.ts';

const KEY = 'a-merchant-key-with-over-32-characters';

it('matches itself and nothing near it', () => {
  const keys = new MerchantKeys([KEY]);
  expect(keys.matches(KEY)).toBe(true);
  for (const other of ['', ' ', KEY.slice(1), KEY.slice(0, -1), `${KEY} `, KEY.toUpperCase(), `${KEY}${KEY}`])
    expect(keys.matches(other)).toBe(false);
});

it('matches any of several', () => {
  const keys = new MerchantKeys([KEY, 'another-key-with-over-32-characters-too']);
  expect(keys.matches(KEY)).toBe(true);
  expect(keys.matches('another-key-with-over-32-characters-too')).toBe(true);
  expect(keys.matches('a-third-key-with-over-32-characters-too')).toBe(false);
});

it('without keys nothing matches', () => {
  expect(new MerchantKeys([]).matches('')).toBe(false);
});
