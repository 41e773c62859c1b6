/**
 * Judges a rehearsal from outside: holds what the clients were told against the books and the merchant's list of
 * orders, and says of each promise whether it was kept (I1 to I6, as a shop could check them). Pure: evidence in,
 * checks out. Written from the contract, not from the server; imports nothing of it.
 */
import {
  acknowledgedExist,
  everybodyAnswered,
  limitsKept,
  notEarly,
  oneOrderPerKey,
  refusedTookNothing,
  tallyEqualsBooks,
} from './check-promises.ts';
import { booksBalance, holdsEnded, neverOversold, nothingLost } from './check-stock.ts';
import type { Evidence } from './evidence.ts';
import { en } from './words/en.ts';

export type PromiseId =
  | 'never_oversold'
  | 'books_balance'
  | 'acknowledged_exist'
  | 'one_order_per_key'
  | 'limits_kept'
  | 'refused_took_nothing'
  | 'tally_equals_books'
  | 'not_early'
  | 'nothing_lost'
  | 'holds_ended'
  | 'everybody_answered'
  | 'no_faults';

export interface Check {
  readonly id: PromiseId;
  /** The promise in plain words (English; `words` has the other languages). */
  readonly promise: string;
  readonly kept: boolean;
  /** What was found instead, with at most a few examples; empty when kept. */
  readonly findings: readonly string[];
}

const EXAMPLES = 3;

/** Every promise, in the order in which a reader would ask for them. */
export function verify(evidence: Evidence): Check[] {
  const [first, ...others] = evidence.sale.items;
  const goods = others.length === 0 ? en.units(first?.stock ?? 0) : en.stockOfEach;
  const check = (id: PromiseId, findings: readonly string[]): Check => checkOf(id, en.promise(id, goods), findings);
  return [
    check('never_oversold', neverOversold(evidence)),
    check('books_balance', booksBalance(evidence)),
    check('acknowledged_exist', acknowledgedExist(evidence)),
    check('one_order_per_key', oneOrderPerKey(evidence)),
    check('limits_kept', limitsKept(evidence)),
    check('refused_took_nothing', refusedTookNothing(evidence)),
    check('tally_equals_books', tallyEqualsBooks(evidence)),
    check('not_early', notEarly(evidence)),
    check('nothing_lost', nothingLost(evidence)),
    check('holds_ended', holdsEnded(evidence)),
    check('everybody_answered', everybodyAnswered(evidence)),
    check('no_faults', evidence.told.faults),
  ];
}

export const allKept = (checks: readonly Check[]): boolean => checks.every(({ kept }) => kept);

function checkOf(id: PromiseId, promise: string, findings: readonly string[]): Check {
  const more = findings.length - EXAMPLES;
  const shown = more > 0 ? [...findings.slice(0, EXAMPLES), `and ${more} more`] : findings;
  return { id, promise, kept: findings.length === 0, findings: shown };
}
