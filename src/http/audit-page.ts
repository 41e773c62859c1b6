/**
 * Pages of the audit. The ledger keeps one row a batch, a reader wants one line an entry, and a page must not be longer than
 * asked: so a cursor here is where the ledger's page began, and how many lines of it have been given out.
 */
import type { Page, PageRequest } from '../core/books.ts';
import { cursorOf } from './cursor.ts';
import { type PageQueryValues, pageRequest } from './pages.ts';

type Read<Row> = (page: PageRequest) => Promise<Page<Row>>;

export async function auditPage<Row, Line>(
  list: string,
  query: PageQueryValues,
  read: Read<Row>,
  linesOf: (row: Row) => readonly Line[],
): Promise<{ items: readonly Line[]; nextCursor: string | null }> {
  const { limit, after } = pageRequest(list, query);
  let place = placeOf(after);
  const items: Line[] = [];
  while (items.length < limit) {
    const page = await read({ limit, after: place.after });
    const lines = page.items.flatMap(linesOf);
    const room = limit - items.length;
    items.push(...lines.slice(place.given, place.given + room));
    const given = place.given + room;
    if (given < lines.length) return { items, nextCursor: cursorOf(list, textOf({ after: place.after, given })) };
    if (page.next === null) return { items, nextCursor: null };
    place = { after: page.next, given: Math.max(0, place.given - lines.length) };
  }
  return { items, nextCursor: cursorOf(list, textOf(place)) };
}

interface Place {
  readonly after: string | null;
  readonly given: number;
}

const textOf = ({ after, given }: Place): string => `${given} ${after ?? ''}`;

function placeOf(text: string | null): Place {
  if (text === null) return { after: null, given: 0 };
  const space = text.indexOf(' ');
  const after = text.slice(space + 1);
  return { after: after === '' ? null : after, given: Number(text.slice(0, space)) };
}
