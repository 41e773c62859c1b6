/** Bars and tables of a terminal, pure: figures and a width in, text out. */
import type { Paint, Signs, Style } from './look.ts';
import { padEnd, padStart, widthOf } from './text-width.ts';

interface Part {
  readonly value: number;
  readonly sign: string;
  readonly style: Style;
}

/**
 * One bar of exactly `width` columns in which every part has its share. A part that is not nothing is to be seen: it
 * gets one column at least, taken from the longest.
 */
export function bar(parts: readonly Part[], width: number, paint: Paint): string {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  if (total <= 0) return padEnd('', width);
  const columns = parts.map(({ value }) => (value > 0 ? Math.max(1, Math.floor((value / total) * width)) : 0));
  const longest = columns.indexOf(Math.max(...columns));
  const rest = width - columns.reduce((sum, each) => sum + each, 0);
  return parts
    .map(({ sign, style }, at) => {
      const length = Math.max(0, (columns[at] ?? 0) + (at === longest ? rest : 0));
      return length === 0 ? '' : paint(style, sign.repeat(length));
    })
    .join('');
}

export interface Stock {
  readonly free: number;
  readonly held: number;
  readonly sold: number;
}

/** Sold, held and free units, told apart by sign as well as by colour. */
export const stockBar = ({ sold, held, free }: Stock, width: number, look: { paint: Paint; signs: Signs }): string =>
  bar(
    [
      { value: sold, sign: look.signs.sold, style: 'green' },
      { value: held, sign: look.signs.held, style: 'yellow' },
      { value: free, sign: look.signs.free, style: 'dim' },
    ],
    width,
    look.paint,
  );

export const progressBar = (done: number, total: number, width: number, look: { paint: Paint; signs: Signs }): string =>
  bar(
    [
      { value: Math.min(done, total), sign: look.signs.done, style: 'cyan' },
      { value: Math.max(0, total - done), sign: look.signs.free, style: 'dim' },
    ],
    width,
    look.paint,
  );

/** All values as heights, the highest of them full; where there are more than columns, each shows the highest of some. */
export function sparkline(values: readonly number[], width: number, { heights }: Signs): string {
  const perColumn = Math.max(1, Math.ceil(values.length / width));
  const shown = Array.from({ length: Math.ceil(values.length / perColumn) }, (_, at) =>
    Math.max(...values.slice(at * perColumn, (at + 1) * perColumn)),
  );
  const highest = Math.max(1, ...shown);
  const top = heights.length - 1;
  return shown.map((value) => heights[Math.round((Math.max(0, value) / highest) * top)] ?? '').join('');
}

/** Rows with aligned columns: the first to the left, figures to the right, the last one as it is. */
export function table(
  rows: readonly (readonly string[])[],
  { left }: { left: readonly number[] } = { left: [0] },
): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, at) => (left.includes(at) ? padEnd : padStart)(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
