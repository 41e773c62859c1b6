/** Lists on the wire: the page that a query asks for, and `items` with `nextCursor` as the answer. */
import type { Page, PageRequest } from '../core/books.ts';
import { cursorOf, readCursor } from './cursor.ts';
import { invalid, RefusedError } from './outcome.ts';
import { LIMIT_DEFAULT } from './schemas/common.ts';

export interface PageQueryValues {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Throws `invalid` for a cursor that this list did not give. */
export function pageRequest(list: string, query: PageQueryValues): PageRequest {
  const { limit = LIMIT_DEFAULT, cursor } = query;
  const after = cursor === undefined ? null : readCursor(list, cursor);
  if (cursor !== undefined && after === null)
    throw new RefusedError(
      invalid([{ path: '/query/cursor', message: 'must be the nextCursor of a page of this list' }]),
    );
  return { limit, after };
}

export const pageBody = <T, W>(list: string, page: Page<T>, wire: (item: T) => W) => ({
  items: page.items.map(wire),
  nextCursor: page.next === null ? null : cursorOf(list, page.next),
});
