/** Keyset pages: a cursor is the key of the last row that was shown, as numbers joined by dots. */
import type { Page } from '../core/books.ts';

export const pageOf = <Row, T>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => number[],
  read: (row: Row) => T,
): Page<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(read), next: rows.length > limit && last !== undefined ? keyOf(last).join('.') : null };
};

/** A cursor is the key of the last row; what is not one reads as the end of the list's caller: a RangeError. */
export function parseCursor(text: string, parts: number): number[] {
  const numbers = text.split('.').map(Number);
  if (numbers.length !== parts || !numbers.every(Number.isSafeInteger))
    throw new RangeError('not a cursor of this list');
  return numbers;
}
