/** Pages of the audit: rows with several lines each, given out in pages of any size, each line once. */
import { expect, it } from 'vitest';
import { auditPage } from './audit-page.ts';

const rows = [3, 1, 5, 1, 1, 4].map((lines, row) => Array.from({ length: lines }, (_, at) => `${row}.${at}`));

async function walk(limits: readonly number[]): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const limit = limits[pages.length % limits.length] ?? 1;
    const page: { items: readonly string[]; nextCursor: string | null } = await auditPage(
      'audit',
      { limit, ...(cursor === null ? {} : { cursor }) },
      async ({ limit: most, after }) => {
        const from = after === null ? 0 : Number(after);
        const next = from + most < rows.length ? String(from + most) : null;
        return { items: rows.slice(from, from + most), next };
      },
      (row) => row,
    );
    expect(page.items.length).toBeLessThanOrEqual(limit);
    pages.push([...page.items]);
    cursor = page.nextCursor;
    expect(pages.length).toBeLessThan(100);
  } while (cursor !== null);
  return pages;
}

it.each([[[1]], [[2]], [[3]], [[4]], [[15]], [[500]], [[1, 7]], [[7, 1]], [[2, 3, 5]], [[15, 1]]])(
  'in pages of %j',
  async (limits) => {
    expect((await walk(limits)).flat()).toEqual(rows.flat());
  },
);
