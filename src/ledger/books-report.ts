/**
 * The books of a sale from its items and the sums of its orders: what is where, how many orders stand in which
 * status, and whether the two agree (I1, I5). The same for every dialect, which brings the sums.
 */
import type { BooksReport, ItemBooks } from '../core/books.ts';
import type { Item } from '../core/item.ts';
import type { OrderStatus } from '../core/order.ts';

/** Orders of one item in one status. */
export interface OrderSum {
  readonly sku: string;
  readonly status: OrderStatus;
  readonly orders: number;
  readonly units: number;
}

export function booksReportOf(items: readonly Item[], sums: readonly OrderSum[]): BooksReport {
  const differences = items.flatMap((item) => differencesOf(item, sums));
  return {
    items: items.map(itemBooksOf),
    orders: ordersByStatus(sums),
    balanced: differences.length === 0,
    differences,
  };
}

const itemBooksOf = (item: Item): ItemBooks => ({
  sku: item.sku,
  total: item.total,
  available: item.free,
  held: item.held,
  sold: item.sold,
  inFlight: item.escrowed,
});

function ordersByStatus(sums: readonly OrderSum[]): BooksReport['orders'] {
  const counts: Partial<Record<OrderStatus, number>> = {};
  for (const { status, orders } of sums) counts[status] = (counts[status] ?? 0) + orders;
  return counts;
}

/** What does not fit between an item's parts and the orders: unpaid units must be equal, paid ones covered. */
function differencesOf(item: Item, sums: readonly OrderSum[]): string[] {
  const units = (status: OrderStatus) => sums.find((sum) => sum.sku === item.sku && sum.status === status)?.units ?? 0;
  const { sku, total, free, escrowed, held, sold, placed } = item;
  const differences: string[] = [];
  if (free + escrowed + held + sold !== total) differences.push(`${sku}: the parts are not the total of ${total}`);
  if (units('held') !== held) differences.push(`${sku}: ${held} units held, but held orders have ${units('held')}`);
  if (units('placed') !== placed)
    differences.push(`${sku}: ${placed} units placed, but placed orders have ${units('placed')}`);
  if (units('paid') > sold) differences.push(`${sku}: ${sold} units sold, but paid orders have ${units('paid')}`);
  return differences;
}
