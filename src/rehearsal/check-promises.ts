/**
 * The checks of a rehearsal that look at what people were told: orders that exist, one for a key, limits, refusals
 * without effect, a tally that adds up, nothing before the opening (I2 to I6). Called by `verify.ts` alone.
 * Each returns what it found wrong, in words; nothing found is a kept promise.
 */
import type { Evidence } from './evidence.ts';
import { fullestMoment, lifespans } from './lifespan.ts';
import type { BookedOrder, OrderStatus } from './wire.ts';

export function acknowledgedExist({ told, booked }: Evidence): string[] {
  const byId = new Map(booked.map((order) => [order.orderId, order]));
  return told.orders.flatMap(({ orderId, buyerId }) => {
    const order = byId.get(orderId);
    if (order === undefined) return [`order ${orderId} of ${buyerId} is missing`];
    return order.buyerId === buyerId ? [] : [`order ${orderId} was told to ${buyerId} but is ${order.buyerId}'s`];
  });
}

export function oneOrderPerKey({ told, booked }: Evidence): string[] {
  const findings: string[] = [];
  const keyOf = new Map<string, string>();
  for (const { idempotencyKey, orderIds } of told.intents) {
    if (orderIds.length > 1) findings.push(`key ${idempotencyKey} was answered with ${orderIds.join(' and ')}`);
    for (const orderId of orderIds) {
      const other = keyOf.get(orderId);
      if (other !== undefined) findings.push(`order ${orderId} was the answer to ${other} and to ${idempotencyKey}`);
      keyOf.set(orderId, idempotencyKey);
    }
  }
  const seen = new Set<string>();
  for (const { orderId } of booked) {
    if (seen.has(orderId)) findings.push(`order ${orderId} is listed twice`);
    seen.add(orderId);
  }
  return findings;
}

export function limitsKept({ sale, booked }: Evidence): string[] {
  const limit = sale.limitPerBuyer;
  if (limit === null) return [];
  const findings: string[] = [];
  for (const [buyer, orders] of byBuyer(booked)) {
    const most = fullestMoment(lifespans(orders));
    if (most > limit) findings.push(`${buyer} had ${most} units at one moment, the limit is ${limit}`);
  }
  return findings;
}

/** An order that no answer ever named was taken behind a refusal (or behind no answer at all). */
export function refusedTookNothing({ told, booked }: Evidence): string[] {
  const known = new Set(told.orders.map(({ orderId }) => orderId));
  return booked
    .filter(({ orderId }) => !known.has(orderId))
    .map(({ orderId, buyerId }) => {
      const outcomes = told.intents.filter((intent) => intent.buyerId === buyerId).map(({ outcome }) => outcome);
      return `order ${orderId} exists; its buyer ${buyerId} was told: ${[...new Set(outcomes)].join(', ') || 'nothing'}`;
    });
}

export function tallyEqualsBooks({ sale, told, books, booked }: Evidence): string[] {
  const findings: string[] = [];
  const toldCounts = countBy(told.orders);
  for (const status of new Set([...Object.keys(toldCounts), ...Object.keys(books.orders)]) as Set<OrderStatus>) {
    const [clients, server] = [toldCounts[status] ?? 0, books.orders[status] ?? 0];
    if (clients !== server) findings.push(`${status}: the shoppers know of ${clients}, the books have ${server}`);
  }
  for (const { sku } of sale.items) {
    const mine = told.orders.filter((order) => order.sku === sku);
    const item = books.items.find((one) => one.sku === sku);
    const sold = unitsIn(mine, ['paid']);
    const held = unitsIn(mine, ['accepted', 'placed', 'held']);
    if (item?.sold !== sold)
      findings.push(`${sku}: ${sold} units paid by the shoppers, ${item?.sold} sold in the books`);
    if (item?.held !== held) findings.push(`${sku}: ${held} units held by the shoppers, ${item?.held} in the books`);
  }
  const statusOf = new Map(booked.map(({ orderId, status }) => [orderId, status]));
  for (const { orderId, status } of told.orders) {
    const now = statusOf.get(orderId);
    if (now !== undefined && now !== status) findings.push(`order ${orderId}: told ${status}, booked ${now}`);
  }
  return findings;
}

export function notEarly({ sale, told, booked }: Evidence): string[] {
  const findings = told.keyShownEarly ? ['the purchase key was to be seen before the opening'] : [];
  const opensAtMs = sale.opensAt === null ? Number.NEGATIVE_INFINITY : Date.parse(sale.opensAt);
  for (const { orderId, placedAt } of booked) {
    if (Date.parse(placedAt) < opensAtMs)
      findings.push(`order ${orderId} was placed at ${placedAt}, before ${sale.opensAt}`);
  }
  for (const { guessed, outcome, buyerId } of told.intents) {
    if (guessed && outcome === 'order') findings.push(`${buyerId} got an order with a guessed purchase key`);
  }
  return findings;
}

export function everybodyAnswered({ told }: Evidence): string[] {
  return told.intents
    .filter(({ outcome }) => outcome === 'unanswered')
    .map(({ buyerId, idempotencyKey }) => `${buyerId} never learned what became of ${idempotencyKey}`);
}

const unitsIn = (
  orders: readonly { status: OrderStatus; quantity: number }[],
  statuses: readonly OrderStatus[],
): number => orders.reduce((sum, order) => sum + (statuses.includes(order.status) ? order.quantity : 0), 0);

function countBy(orders: readonly { status: OrderStatus }[]): Partial<Record<OrderStatus, number>> {
  const counts: Partial<Record<OrderStatus, number>> = {};
  for (const { status } of orders) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Orders by buyer id as limits compare it: NFC, trimmed, case folded. */
function byBuyer(booked: readonly BookedOrder[]): Map<string, BookedOrder[]> {
  const groups = new Map<string, BookedOrder[]>();
  for (const order of booked) {
    const buyer = order.buyerId.normalize('NFC').trim().toLowerCase();
    const group = groups.get(buyer);
    if (group === undefined) groups.set(buyer, [order]);
    else group.push(order);
  }
  return groups;
}
