/**
 * Judges a recovered server against what its clients were told: pure, written from the invariants,
 * imports nothing of the product. Every fault is one line of plain words; no line means that the
 * books and the clients' memory are the same.
 *
 * Expects that everything unanswered has been retried (recover.ts), so that each order of the ledger
 * must belong to exactly one acknowledged key.
 */
import type { OrderAttempt, Tally } from './tally.ts';

export interface LedgerOrder {
  readonly orderId: string;
  readonly buyerId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly status: string;
  readonly placedAt: string;
  readonly refundsDue: readonly unknown[];
}

export interface Books {
  readonly items: readonly {
    readonly sku: string;
    readonly total: number;
    readonly available: number;
    readonly held: number;
    readonly sold: number;
    readonly inFlight: number;
  }[];
  readonly orders: Readonly<Record<string, number>>;
  readonly balanced: boolean;
}

export interface Judged {
  readonly tally: Tally;
  readonly orders: readonly LedgerOrder[];
  readonly books: Books;
  /** Units per item that the merchant put in. */
  readonly stock: Readonly<Record<string, number>>;
  readonly limitPerBuyer: number;
}

const live = new Set(['accepted', 'placed', 'held', 'paid']);

export function audit(judged: Judged): string[] {
  return [...judged.tally.problems, ...promises(judged), ...acts(judged), ...limits(judged), ...books(judged)];
}

/** I2, I3: every acknowledged key has its order, every order has one acknowledged key. */
function promises({ tally, orders }: Judged): string[] {
  const problems: string[] = [];
  const inLedger = new Map(orders.map((order) => [order.orderId, order]));
  const owners = new Map<string, OrderAttempt>();
  if (inLedger.size !== orders.length) problems.push('an order is listed twice');
  for (const attempt of tally.orders) {
    if (attempt.fate === 'unanswered') problems.push(`key ${attempt.key} is still without an answer`);
    if (attempt.fate !== 'acknowledged' || attempt.orderId === undefined) continue;
    const order = inLedger.get(attempt.orderId);
    const other = owners.get(attempt.orderId);
    if (order === undefined) problems.push(`acknowledged order ${attempt.orderId} (key ${attempt.key}) is missing`);
    else if (order.buyerId !== attempt.buyerId || order.sku !== attempt.sku || order.quantity !== attempt.quantity)
      problems.push(`order ${order.orderId} is not what ${attempt.buyerId} asked for`);
    if (other !== undefined) problems.push(`order ${attempt.orderId} answers two keys: ${other.key}, ${attempt.key}`);
    owners.set(attempt.orderId, attempt);
  }
  for (const order of orders)
    if (!owners.has(order.orderId)) problems.push(`order ${order.orderId} of ${order.buyerId} belongs to no key`);
  return problems;
}

/** I3: an acknowledged payment or cancel is there, nothing else has moved, no money is owed. */
function acts({ tally, orders }: Judged): string[] {
  const problems: string[] = [];
  const expected = new Map<string, string>();
  for (const act of tally.acts) {
    if (act.fate === 'unanswered') problems.push(`${act.kind} ${act.id} is still without an answer`);
    if (act.fate === 'acknowledged' && act.attempt.orderId !== undefined)
      expected.set(act.attempt.orderId, act.kind === 'pay' ? 'paid' : 'cancelled');
  }
  for (const order of orders) {
    const status = expected.get(order.orderId) ?? 'held';
    if (order.status !== status) problems.push(`order ${order.orderId} is ${order.status}, must be ${status}`);
    if (order.refundsDue.length > 0) problems.push(`order ${order.orderId} owes a refund that nobody caused`);
  }
  return problems;
}

/** I4. */
function limits({ orders, limitPerBuyer }: Judged): string[] {
  const units = new Map<string, number>();
  for (const order of orders)
    if (live.has(order.status)) units.set(order.buyerId, (units.get(order.buyerId) ?? 0) + order.quantity);
  return [...units]
    .filter(([, held]) => held > limitPerBuyer)
    .map(([buyerId, held]) => `${buyerId} has ${held} units, the limit is ${limitPerBuyer}`);
}

/** I1: the books add up, and say the same as the orders. */
function books({ orders, books: shown, stock }: Judged): string[] {
  const problems: string[] = [];
  if (!shown.balanced) problems.push('the books say of themselves that they do not balance');
  for (const item of shown.items) {
    const unitsOf = (status: string): number =>
      orders
        .filter((order) => order.sku === item.sku && order.status === status)
        .reduce((units, order) => units + order.quantity, 0);
    const sum = item.available + item.held + item.sold + item.inFlight;
    if (item.total !== stock[item.sku])
      problems.push(`${item.sku}: total ${item.total}, the merchant put in ${stock[item.sku]}`);
    if (sum !== item.total) problems.push(`${item.sku}: available + held + sold = ${sum}, total ${item.total}`);
    if (Math.min(item.available, item.held, item.sold) < 0) problems.push(`${item.sku}: a negative count`);
    if (item.held !== unitsOf('held')) problems.push(`${item.sku}: held ${item.held}, orders say ${unitsOf('held')}`);
    if (item.sold !== unitsOf('paid')) problems.push(`${item.sku}: sold ${item.sold}, orders say ${unitsOf('paid')}`);
  }
  const counted = new Map<string, number>();
  for (const order of orders) counted.set(order.status, (counted.get(order.status) ?? 0) + 1);
  for (const status of new Set([...counted.keys(), ...Object.keys(shown.orders)])) {
    const inBooks = shown.orders[status] ?? 0;
    const inList = counted.get(status) ?? 0;
    if (inBooks !== inList) problems.push(`${inBooks} orders ${status} in the books, ${inList} in the list`);
  }
  return problems;
}
