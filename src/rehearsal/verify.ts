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

export interface Check {
  readonly id: string;
  /** The promise in plain words. */
  readonly promise: string;
  readonly kept: boolean;
  /** What was found instead, with at most a few examples; empty when kept. */
  readonly findings: readonly string[];
}

const EXAMPLES = 3;

/** Every promise, in the order in which a reader would ask for them. */
export function verify(evidence: Evidence): Check[] {
  const [first, ...others] = evidence.sale.items;
  const goods = others.length === 0 ? `${first?.stock ?? 0} units` : 'the stock of each item';
  return [
    check('never_oversold', `Never more than ${goods} held or sold, at any moment`, neverOversold(evidence)),
    check('books_balance', 'The books balance: free + held + sold = the stock', booksBalance(evidence)),
    check('acknowledged_exist', 'Every order that a shopper was told of is in the books', acknowledgedExist(evidence)),
    check('one_order_per_key', 'However often somebody clicked: one try, one order', oneOrderPerKey(evidence)),
    check('limits_kept', 'Nobody got more than the limit, bots included', limitsKept(evidence)),
    check('refused_took_nothing', 'Everybody who was refused took nothing', refusedTookNothing(evidence)),
    check(
      'tally_equals_books',
      'What the shoppers were told adds up to what the books say',
      tallyEqualsBooks(evidence),
    ),
    check('not_early', 'Nobody could buy before the opening, or with a guessed key', notEarly(evidence)),
    check('nothing_lost', 'Nobody was told "sold out" before every unit was taken', nothingLost(evidence)),
    check('holds_ended', 'Every unpaid hold has ended and its units are back', holdsEnded(evidence)),
    check('everybody_answered', 'Everybody got an answer in the end', everybodyAnswered(evidence)),
    check('no_faults', 'No answer was a server error', evidence.told.faults),
  ];
}

export const allKept = (checks: readonly Check[]): boolean => checks.every(({ kept }) => kept);

function check(id: string, promise: string, findings: readonly string[]): Check {
  const more = findings.length - EXAMPLES;
  const shown = more > 0 ? [...findings.slice(0, EXAMPLES), `and ${more} more`] : findings;
  return { id, promise, kept: findings.length === 0, findings: shown };
}
