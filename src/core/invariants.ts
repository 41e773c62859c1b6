/**
 * The promises of the product, numbered, and as code where a row can be checked by itself (DESIGN.md,
 * Invariants). Checked in production too: a broken one stops selling and says so, since a shop that is
 * closed for a minute loses less than one that sells what it does not have.
 *
 * I1 never oversold · I2 an acknowledged order exists · I3 one effect per key · I4 limits hold ·
 * I5 nothing is lost · I6 not early, not late · I7 in order · I8 fail closed.
 */
import type { Item } from './item.ts';

export type InvariantName = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8';

/** A bug of ours. Thrown out of `decide` before anything is written: effect none. */
export class InvariantError extends Error {
  readonly invariant: InvariantName;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(name: InvariantName, what: string, details: Readonly<Record<string, unknown>>) {
    super(`invariant ${name} broken: ${what} ${JSON.stringify(details)}`);
    this.name = 'InvariantError';
    this.invariant = name;
    this.details = details;
  }
}

export function invariant(
  condition: boolean,
  name: InvariantName,
  what: string,
  details: Readonly<Record<string, unknown>> = {},
): asserts condition {
  if (!condition) throw new InvariantError(name, what, details);
}

const isCount = (part: number): boolean => Number.isSafeInteger(part) && part >= 0;

/** I1 for one item: no part negative, and the parts are the total. */
export function itemIsBalanced(item: Item): boolean {
  const { total, free, escrowed, held, sold, placed } = item;
  const isSum = free + escrowed + held + sold === total;
  return (
    isSum && isCount(total) && isCount(free) && isCount(escrowed) && isCount(held) && isCount(sold) && isCount(placed)
  );
}

/** I4 for one buyer: units of live orders within the sale's limit. */
export const buyerIsWithinLimit = (units: number, limit: number | null): boolean =>
  Number.isSafeInteger(units) && units >= 0 && (limit === null || units <= limit);
