import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuyerId, buyerKeyOf, isBuyerId, isIdempotencyKey, isSaleId, isSku } from './scalars.ts';

const keyOf = (id: string) => buyerKeyOf(id as BuyerId);

describe('buyerKeyOf: limits compare ids NFC, trimmed and case folded', () => {
  // Each row is one buyer (H032).
  it.each([
    [[' Bob@X.com', 'bob@x.com ', 'BOB@X.COM', 'bob@x.com', '\u00a0bob@x.com']],
    [['straße', 'STRASSE', 'Strasse', 'STRAßE', 'straẞe']],
    [['Zoë', 'zoë', 'ZOE\u0308', 'zoe\u0308']],
    [['ΟΔΟΣ', 'οδος', 'οδοσ']],
    [['Å', '\u212b', 'a\u030a']],
    [['ﬁn', 'FIN', 'fin']],
    [['00123', '00123 ']],
  ])('%j are one buyer', (ids) => {
    expect(new Set(ids.map(keyOf)).size).toBe(1);
  });

  // Each row is as many buyers as it has ids.
  it.each([
    [['00123', '123', '0123']],
    [['bob', 'bob.', 'b ob', 'bob1']],
    [['zoe', 'zoë']],
    [['a\u200bb', 'ab']],
    [['guest:1', 'guest:2']],
    [['__proto__', 'constructor', 'prototype']],
  ])('%j are different buyers', (ids) => {
    expect(new Set(ids.map(keyOf)).size).toBe(ids.length);
  });

  it('says what it is: bob@x.com', () => {
    expect(keyOf(' Bob@X.com')).toBe('bob@x.com');
  });

  it('takes every letter in upper, lower and decomposed form for the same', () => {
    const letters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCodePoint(0x20 + code)).filter((letter) =>
      letter.isWellFormed(),
    );
    const apart = letters.filter((letter) => {
      const forms = [letter, letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD'), keyOf(letter)];
      return new Set(forms.map(keyOf)).size !== 1;
    });
    expect(apart).toEqual([]);
  });

  it('leaves a key as it is', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (id) => keyOf(keyOf(id)) === keyOf(id)));
  });
});

it.each([
  ['b', true],
  ['Bob@X.com', true],
  ['00123', true],
  ['名前 🎟️ שלום', true],
  ['x'.repeat(128), true],
  ['🎟'.repeat(128), true],
  ['', false],
  ['x'.repeat(129), false],
  ['🎟'.repeat(129), false],
  ['a\u0000b', false],
  ['a\nb', false],
  ['a\u007f', false],
  ['a\u0085', false],
  ['\ud800', false],
  [7, false],
  [null, false],
])('%j is a buyer id: %s', (id, expected) => {
  expect(isBuyerId(id)).toBe(expected);
});

it.each([
  ['autumn-drop', true],
  ['T.e_e-1', true],
  ['1', true],
  ['constructor', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['-a', false],
  ['.a', false],
  ['_a', false],
  ['__proto__', false],
  ['a b', false],
  ['a/b', false],
  ['a\n', false],
  ['ä', false],
])('%j is a sale id and a sku: %s', (name, expected) => {
  expect(isSaleId(name)).toBe(expected);
  expect(isSku(name)).toBe(expected);
});

it.each([
  ['k', true],
  ['!~', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['', false],
  ['a b', false],
  ['a\tb', false],
  ['ä', false],
  ['a\n', false],
])('%j is an idempotency key: %s', (key, expected) => {
  expect(isIdempotencyKey(key)).toBe(expected);
});
