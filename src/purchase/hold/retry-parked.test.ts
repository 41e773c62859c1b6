/** Payments for orders that were unknown: applied once the order is there, left alone before, one fault stops no other. */
import { expect, test } from 'vitest';
import type { Act } from '../../core/act.ts';
import type { Verdict } from '../../core/outcomes.ts';
import type { Payment } from '../../core/payment.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { RetryParked } from './retry-parked.ts';

const nowMs = Date.UTC(2026, 10, 27);
const payment = (orderId: string): Payment =>
  ({ paymentId: `pay-${orderId}`, orderId, result: 'succeeded', amountMinor: 2500, currency: 'EUR' }) as Payment;

test('each parked payment whose order is there by now is sent once; a fault concerns its own payment alone', async () => {
  const sent: Act[] = [];
  const faults: unknown[] = [];
  let askedSinceMs = 0;
  const retry = new RetryParked({
    now: () => nowMs as EpochMs,
    parkedUnknown: (sinceMs) => {
      askedSinceMs = sinceMs;
      return Promise.resolve(['unknown', 'broken', 'here'].map(payment));
    },
    saleOfOrder: (orderId) => {
      if (orderId === 'broken') return Promise.reject(new Error('cannot read'));
      if (orderId === 'unknown') return Promise.resolve(null);
      return Promise.resolve({
        submit: (act: Act) => {
          sent.push(act);
          return Promise.resolve({} as Verdict);
        },
      });
    },
    onFault: (error) => faults.push(error),
  });
  await retry.pass();
  expect(sent).toEqual([
    {
      kind: 'pay',
      paymentId: 'pay-here',
      orderId: 'here',
      result: 'succeeded',
      amountMinor: 2500,
      currency: 'EUR',
    },
  ]);
  expect(faults).toHaveLength(1);
  expect(askedSinceMs).toBe(nowMs - 24 * 3_600_000);
});
