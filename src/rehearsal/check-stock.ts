/**
 * The checks of a rehearsal that look at units: stock never overrun, books that balance, nothing lost (I1, I5).
 * Called by `verify.ts` alone. Each returns what it found wrong, in words; nothing found is a kept promise.
 */
import type { Evidence } from './evidence.ts';
import { fullestMoment, lifespans } from './lifespan.ts';

export function neverOversold({ sale, booked, books }: Evidence): string[] {
  const findings: string[] = [];
  for (const { sku, stock } of sale.items) {
    const most = fullestMoment(lifespans(booked.filter((order) => order.sku === sku)));
    if (most > stock) findings.push(`${sku}: ${most} units were taken at one moment, there are ${stock}`);
    const item = books.items.find((one) => one.sku === sku);
    if (item !== undefined && item.held + item.sold > stock) {
      findings.push(`${sku}: the books show ${item.held} held and ${item.sold} sold of ${stock}`);
    }
  }
  return findings;
}

export function booksBalance({ sale, books }: Evidence): string[] {
  const findings = books.balanced ? [] : ['the server itself says that they do not'];
  for (const { sku, stock } of sale.items) {
    const item = books.items.find((one) => one.sku === sku);
    if (item === undefined) {
      findings.push(`${sku} is missing`);
      continue;
    }
    const { available, held, sold, inFlight, total } = item;
    const sum = available + held + sold + inFlight;
    if (sum !== stock || total !== stock || Math.min(available, held, sold, inFlight) < 0) {
      findings.push(`${sku}: ${available} free + ${held} held + ${sold} sold + ${inFlight} in flight, stock ${stock}`);
    }
  }
  return findings;
}

/** When anybody heard "sold out", all units must have been taken at some moment. */
export function nothingLost({ sale, told, booked }: Evidence): string[] {
  const refused = told.intents.filter(({ outcome }) => outcome === 'sold_out').length;
  if (refused === 0 || sale.items.length !== 1) return [];
  const stock = sale.items[0]?.stock ?? 0;
  const most = fullestMoment(lifespans(booked, 'longest'));
  return most >= stock ? [] : [`${refused} were told so, but never more than ${most} of ${stock} units were taken`];
}

export function holdsEnded({ books }: Evidence): string[] {
  const open = (['accepted', 'placed', 'held'] as const).filter((status) => (books.orders[status] ?? 0) > 0);
  return [
    ...open.map((status) => `${books.orders[status]} orders are still ${status}`),
    ...books.items.filter(({ held }) => held > 0).map(({ sku, held }) => `${sku}: ${held} units are still held`),
  ];
}
