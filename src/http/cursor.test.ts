/** Cursors: taken back for the list that gave them, and for no other. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cursorOf, readCursor } from './cursor.ts';

it('come back as they were, for their own list', () => {
  const cursor = cursorOf('orders 7', '12.34');
  expect(readCursor('orders 7', cursor)).toBe('12.34');
  expect(readCursor('orders 8', cursor)).toBeNull();
  expect(readCursor('sales', cursor)).toBeNull();
  expect(readCursor('orders 7', `${cursor}A`)).toBeNull();
  expect(readCursor('orders 7', cursor.slice(0, -1))).toBeNull();
});

it('are nothing that somebody else wrote', () => {
  for (const text of ['', 'x', '-1', '{}', 'eyJhIjoxfQ', "' OR 1=1 --", 'A'.repeat(2000)])
    expect(readCursor('orders 7', text)).toBeNull();
  fc.assert(fc.property(fc.string(), (text) => readCursor('orders 7', text) === null));
});
