/** The first value of a parameter, as a form would write it. */
import { expect, it } from 'vitest';
import { queryValue } from './query-value.ts';

it.each([
  ['/orders', ''],
  ['/orders?', ''],
  ['/orders?key', ''],
  ['/orders?key=', ''],
  ['/orders?key=abc', 'abc'],
  ['/orders?key=abc&x=1', 'abc'],
  ['/orders?x=1&key=abc', 'abc'],
  ['/orders?key=first&key=second', 'first'],
  ['/orders?monkey=no&key=yes', 'yes'],
  ['/orders?keyed=no', ''],
  ['/orders?key=a%2Bb%20c+d', 'a+b c d'],
  ['/orders?key=%ff', ''],
  ['/orders?key=a=b', 'a=b'],
])('%s', (url, value) => {
  expect(queryValue(url, 'key')).toBe(value);
});
