/** I3: one payment result, one transition; what does not fit moves nothing. */
import { cancelOf, expireOf, payOf, refundedOf, said } from '../../../core/example.ts';
import type { Verdict } from '../../../core/outcomes.ts';
import { onStage } from '../case.ts';
import { countsOf, same } from '../check.ts';
import type { Stage } from '../stage.ts';

const HOLD_SECONDS = 0.2;

const dues = (verdict: Verdict): (string | number | null)[][] =>
  verdict.outcome === 'order'
    ? verdict.refundsDue.map((each) => [each.paymentId, each.amountMinor, each.currency])
    : [];

async function held(stage: Stage): Promise<string> {
  const claim = stage.claim('amy');
  same(await stage.said([claim]), ['held'], 'an order');
  return claim.orderId;
}

export const PAYMENT_CASES = [
  onStage(
    'payment: the same success 30 times at once through several servers is one transition',
    { needs: ['shared'] },
    async (stage) => {
      const orderId = await held(stage);
      const verdicts = await stage.together(
        Array.from({ length: 30 }, () => payOf(orderId, { paymentId: 'p' })),
        await stage.servers(),
      );
      same(countsOf(verdicts.map(said)), { paid: 1, 'paid again': 29 }, 'verdicts');
      same(verdicts.flatMap(dues), [], 'refunds');
      same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
    },
  ),
  onStage('payment: again in a later batch changes nothing', {}, async (stage) => {
    const orderId = await held(stage);
    await stage.act(payOf(orderId, { paymentId: 'p' }));
    const again = await stage.act(payOf(orderId, { paymentId: 'p' }));
    same([said(again), dues(again)], ['paid again', []], 'verdict');
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
  }),
  onStage(
    'payment: a wrong amount or currency is a mismatch; the right figures later are applied',
    {},
    async (stage) => {
      const orderId = await held(stage);
      same(
        await stage.said([
          payOf(orderId, { paymentId: 'p', amountMinor: 2499 }),
          payOf(orderId, { paymentId: 'p', amountMinor: 2501 }),
          payOf(orderId, { paymentId: 'q', currency: 'USD' }),
        ]),
        ['payment_mismatch', 'payment_mismatch', 'payment_mismatch'],
        'verdicts',
      );
      same(await stage.levels(), [10, 9, 1, 0, 0], 'levels while nothing fits');
      same(await stage.said([payOf(orderId, { paymentId: 'p' })]), ['paid'], 'the right figures');
    },
  ),
  onStage('payment: failed keeps the hold, a success after it counts, and nothing lowers that', {}, async (stage) => {
    const orderId = await held(stage);
    const results = ['failed', 'succeeded', 'failed', 'expired'] as const;
    const verdicts: string[] = [];
    for (const result of results) verdicts.push(said(await stage.act(payOf(orderId, { paymentId: 'p', result }))));
    same(verdicts, ['held', 'paid', 'paid again', 'paid'], 'verdicts');
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
  }),
  onStage('payment: a second one for the same order must go back, and the order stays paid', {}, async (stage) => {
    const orderId = await held(stage);
    await stage.act(payOf(orderId, { paymentId: 'p' }));
    const second = await stage.act(payOf(orderId, { paymentId: 'q' }));
    same([said(second), dues(second)], ['paid', [['q', 2500, 'EUR']]], 'verdict');
    const cleared = await stage.act(refundedOf(orderId, 'q'));
    same([said(cleared), dues(cleared)], ['paid', []], 'after the refund');
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
  }),
  onStage('payment: one that was applied cannot pay another order', {}, async (stage) => {
    const orderId = await held(stage);
    const other = stage.claim('bob');
    const pay = payOf(other.orderId, { paymentId: 'p' });
    same(
      await stage.said([payOf(orderId, { paymentId: 'p' }), other, pay]),
      ['paid', 'held', 'payment_mismatch'],
      'in one batch',
    );
    same(await stage.said([pay]), ['payment_mismatch'], 'in a later batch');
    same(await stage.levels(), [10, 8, 1, 1, 0], 'levels');
  }),
  onStage('payment: after a cancel it must go back, with its amount', {}, async (stage) => {
    const orderId = await held(stage);
    await stage.act(cancelOf(orderId));
    const late = await stage.act(payOf(orderId, { paymentId: 'p' }));
    same([said(late), dues(late)], ['refund_due', [['p', 2500, 'EUR']]], 'verdict');
    same(await stage.said([refundedOf(orderId, 'p')]), ['refunded'], 'after the refund');
    same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
  }),
  onStage(
    'payment: late, after expiry, must go back where nothing else is agreed',
    { settings: { holdSeconds: HOLD_SECONDS } },
    async (stage) => {
      const orderId = await held(stage);
      await stage.subject.pass(HOLD_SECONDS * 1000);
      await stage.act(expireOf(orderId));
      same(await stage.said([payOf(orderId, { paymentId: 'p' })]), ['refund_due'], 'verdict');
      same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
    },
  ),
  onStage('payment: the merchant cancels a paid order; its units return only when told so', {}, async (stage) => {
    const kept = await held(stage);
    const returned = stage.claim('bob');
    await stage.batch([payOf(kept, { paymentId: 'p' }), returned, payOf(returned.orderId, { paymentId: 'q' })]);
    same(await stage.said([cancelOf(kept)]), ['refund_due'], 'without return');
    same(await stage.levels(), [10, 8, 0, 2, 0], 'levels');
    same(await stage.said([cancelOf(returned.orderId, { returnToStock: true })]), ['refund_due'], 'with return');
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
    same(await stage.said([cancelOf(returned.orderId, { returnToStock: true })]), ['wrong_state'], 'once more');
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
  }),
];
