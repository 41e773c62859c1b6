/** Money that goes back, and decisions on parked payments (API.md, Merchant, Orders and Payments). */
import { describe, expect, it } from 'vitest';
import type { Act } from '../act.ts';
import { cancelOf, claimOf, expireOf, payOf, refundedOf, resolveOf } from '../example.ts';
import { ExampleShop } from '../example-shop.ts';
import type { Verdict } from '../outcomes.ts';

const said = (verdict: Verdict): string => {
  if (verdict.outcome === 'refused') return verdict.code;
  if (verdict.outcome !== 'order') return verdict.outcome;
  const due = verdict.refundsDue.map((each) => `${each.paymentId} ${each.amountMinor}`);
  return [verdict.order.status, ...(verdict.changed ? [] : ['unchanged']), ...due].join(', ');
};

/** One order of 25.00 EUR, held, that the acts befall; the verdicts as text. */
function play(acts: readonly Act[]): string[] {
  const shop = ExampleShop.opened();
  shop.act(claimOf('o', { buyer: 'bob', sku: 'tee' }));
  shop.pass(300_000);
  return acts.map((act) => said(shop.act(act)));
}

const success = payOf('o', { paymentId: 'p' });
const second = payOf('o', { paymentId: 'q' });
const cheap = payOf('o', { paymentId: 'w', amountMinor: 100 });

describe('refunded', () => {
  it.each<[string, readonly Act[], readonly string[]]>([
    [
      'clears the one entry: refunded, once',
      [success, cancelOf('o'), refundedOf('o', 'p'), refundedOf('o', 'p')],
      ['paid', 'refund_due, p 2500', 'refunded', 'refunded, unchanged'],
    ],
    [
      'clears one of two: refund_due until the last is cleared',
      [success, second, cancelOf('o'), refundedOf('o', 'q'), refundedOf('o', 'p')],
      ['paid', 'paid, q 2500', 'refund_due, p 2500, q 2500', 'refund_due, p 2500', 'refunded'],
    ],
    ['a paid order stays paid', [success, second, refundedOf('o', 'q')], ['paid', 'paid, q 2500', 'paid']],
    [
      'of a payment that is not owed',
      [success, refundedOf('o', 'p'), refundedOf('o', 'none')],
      ['paid', 'wrong_state', 'wrong_state'],
    ],
    [
      'and one more payment after it: refund_due again',
      [success, cancelOf('o'), refundedOf('o', 'p'), second],
      ['paid', 'refund_due, p 2500', 'refunded', 'refund_due, q 2500'],
    ],
    ['of an order that is not there', [refundedOf('none', 'p')], ['not_found']],
  ])('%s', (_what, acts, expected) => {
    expect(play(acts)).toEqual(expected);
  });
});

describe('resolve', () => {
  it.each<[string, readonly Act[], readonly string[]]>([
    [
      'refund_due adds an entry and leaves a live order as it is',
      [cheap, resolveOf('o', 'w', 'refund_due'), success],
      ['payment_mismatch', 'held, w 100', 'paid, w 100'],
    ],
    [
      'refund_due for a paid order',
      [success, cheap, resolveOf('o', 'w', 'refund_due'), refundedOf('o', 'w')],
      ['paid', 'payment_mismatch', 'paid, w 100', 'paid'],
    ],
    [
      'refund_due for an order that is over: it owes',
      [cheap, expireOf('o'), resolveOf('o', 'w', 'refund_due'), refundedOf('o', 'w')],
      ['payment_mismatch', 'expired', 'refund_due, w 100', 'refunded'],
    ],
    ['ignored changes no order', [cheap, resolveOf('o', 'w', 'ignored')], ['payment_mismatch', 'held']],
    [
      'the same decision again changes nothing; another one is refused',
      [cheap, resolveOf('o', 'w', 'ignored'), resolveOf('o', 'w', 'ignored'), resolveOf('o', 'w', 'refund_due')],
      ['payment_mismatch', 'held', 'held, unchanged', 'wrong_state'],
    ],
    ['what is not parked', [success, resolveOf('o', 'p', 'ignored')], ['paid', 'wrong_state']],
    ['what is not there', [resolveOf('o', 'none', 'ignored')], ['wrong_state']],
    [
      'a parked failure brought no money',
      [
        payOf('o', { paymentId: 'w', result: 'failed', amountMinor: 100 }),
        resolveOf('o', 'w', 'refund_due'),
        resolveOf('o', 'w', 'ignored'),
      ],
      ['payment_mismatch', 'wrong_state', 'held'],
    ],
  ])('%s', (_what, acts, expected) => {
    expect(play(acts)).toEqual(expected);
  });
});
