import { expect, test } from 'vitest';
import { bar, sparkline, stockBar, table } from './bars.ts';
import { LiveArea } from './live-area.ts';
import { lookOf, noPaint } from './look.ts';
import { widthOf } from './text-width.ts';

const { signs } = lookOf({}, {});
const look = { paint: noPaint, signs };

test.each([
  [{ free: 100, held: 0, sold: 0 }, '░░░░░░░░░░'],
  [{ free: 0, held: 0, sold: 100 }, '██████████'],
  [{ free: 50, held: 30, sold: 20 }, '██▒▒▒░░░░░'],
  [{ free: 1, held: 1, sold: 998 }, '████████▒░'],
  [{ free: 0, held: 0, sold: 0 }, '          '],
])('a bar of stock %j', (stock, expected) => expect(stockBar(stock, 10, look)).toBe(expected));

test('a bar has its width, whatever the shares', () => {
  for (let value = 0; value <= 33; value += 1) {
    const parts = [value, 33 - value, 1].map((each) => ({ value: each, sign: '#', style: 'dim' as const }));
    expect(bar(parts, 17, noPaint)).toHaveLength(17);
  }
});

test('a sparkline shows all values, several in a column where there are many', () => {
  expect(sparkline([1, 2, 4], 3, signs)).toBe('▃▅█');
  expect(sparkline([0, 1, 2, 4, 0, 0], 3, signs)).toBe('▃█▁');
  expect(sparkline([], 3, signs)).toBe('');
});

test('a table with Chinese heads is aligned', () => {
  const rows = table([
    ['商品', '售出'],
    ['tee-m', '7'],
  ]);
  expect(rows).toEqual(['商品   售出', 'tee-m     7']);
  expect(new Set(rows.map(widthOf)).size).toBe(1);
});

test.each([
  [{ isTTY: true }, {}, true, '✓'],
  [{ isTTY: true }, { NO_COLOR: '1' }, false, '✓'],
  [{ isTTY: true }, { NO_COLOR: '' }, true, '✓'],
  [{ isTTY: true }, { TERM: 'dumb' }, false, '✓'],
  [{}, {}, false, '✓'],
  [{}, { LANG: 'C' }, false, 'ok'],
  [{}, { LANG: 'zh_CN.GB18030' }, false, 'ok'],
  [{}, { LANG: 'de_DE.ISO-8859-1', LC_ALL: 'de_DE.UTF-8' }, false, '✓'],
])('%j with %j: colours %s, good is %s', (stream, environment, coloured, good) => {
  const { paint, signs } = lookOf(stream, environment);
  expect(paint('red', 'x') !== 'x').toBe(coloured);
  expect(signs.good).toBe(good);
});

test('the live area draws in place, within the terminal, and gives the cursor back once', () => {
  const written: string[] = [];
  const out = { columns: 10, rows: 4, write: (text: string) => written.push(text) };
  const area = new LiveArea(out, () => ['first', 'a line that is too long', 'third', 'does not fit']);
  area.draw();
  area.stop();
  area.stop();
  area.draw();
  const text = written.join('');
  expect(text.startsWith('\u001b[?25l')).toBe(true);
  expect(text.endsWith('\u001b[?25h')).toBe(true);
  expect(text.match(/\[\?25h/g)).toHaveLength(1);
  expect(text.split('\u001b[3A')).toHaveLength(3);
  expect(text).toContain('a line t…');
  expect(text).not.toContain('does not fit');
});
