import { describe, expect, test } from 'vitest';
import { cut, padEnd, padStart, widthOf, wrap } from './text-width.ts';

const green = '\u001b[32m好\u001b[39m';

test.each([
  ['', 0],
  ['abc', 3],
  ['售罄', 4],
  ['a售b', 4],
  ['（好）', 6],
  ['e\u0301', 1],
  [green, 2],
  ['✓ ░▒█ · –', 9],
  ['😀', 2],
  ['…', 1],
])('%j takes %i columns', (text, columns) => expect(widthOf(text)).toBe(columns));

test('filled to a width that a terminal agrees with', () => {
  expect(padEnd('售罄', 6)).toBe('售罄  ');
  expect(padStart('售罄', 6)).toBe('  售罄');
  expect(padEnd(green, 3)).toBe(`${green} `);
  expect(padEnd('too long', 3)).toBe('too long');
});

describe('cut', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 4, 'abc…'],
    ['售罄售罄', 8, '售罄售罄'],
    ['售罄售罄', 7, '售罄售…'],
    ['售罄售罄', 6, '售罄…'],
  ])('%j in %i columns is %j', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
    expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width);
  });

  test('a colour that began before the cut ends after it', () => {
    expect(cut(`\u001b[32mabcdef\u001b[39m`, 3)).toBe('\u001b[32mab…\u001b[39m');
  });
});

describe('wrap', () => {
  test('at blanks, set in like the first line', () => {
    expect(wrap('  one two three four', 11)).toEqual(['  one two', '  three', '  four']);
    expect(wrap('short', 80)).toEqual(['short']);
    expect(wrap('  ✓ one two three', 12)).toEqual(['  ✓ one two', '    three']);
  });

  test('Chinese between characters, never before a closing mark', () => {
    expect(wrap('一二三四五六。', 12)).toEqual(['一二三四五', '六。']);
    for (const line of wrap('  每位顾客都得到了答复，没有人被多扣一件库存。', 20))
      expect(widthOf(line)).toBeLessThanOrEqual(20);
  });

  test('what cannot be broken stays whole', () => {
    expect(wrap('http://127.0.0.1:1234/sales/try-it', 10)).toEqual(['http://127.0.0.1:1234/sales/try-it']);
  });
});
