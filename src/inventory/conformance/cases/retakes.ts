/** A late success with `latePayment: retake`: taken again only while an order could still be made, from free units, within the limit. */
import { expireOf, lifecycleOf, payOf, said, stockOf } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { same } from '../check.ts';
import type { Stage } from '../stage.ts';

const HOLD_SECONDS = 0.2;
const retake = { settings: { holdSeconds: HOLD_SECONDS, latePayment: 'retake', limitPerBuyer: 2 } } as const;

/** An order of amy's that has expired. */
async function expired(stage: Stage): Promise<string> {
  const claim = stage.claim('amy');
  await stage.act(claim);
  await stage.subject.pass(HOLD_SECONDS * 1000);
  same(await stage.said([expireOf(claim.orderId)]), ['expired'], 'the hold runs out');
  return claim.orderId;
}

export const RETAKE_CASES = [
  onStage('retake: units are free: paid, the unit is taken again, once', retake, async (stage) => {
    const orderId = await expired(stage);
    const pay = payOf(orderId, { paymentId: 'p' });
    same(await stage.said([pay, pay]), ['paid', 'paid again'], 'verdicts');
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
    same(
      await stage.said([stage.claim('amy', { quantity: 2 }), stage.claim('amy')]),
      ['limit_reached', 'held'],
      'it counts',
    );
  }),
  onStage('retake: no unit is free: refund_due', retake, async (stage) => {
    const orderId = await expired(stage);
    same(
      await stage.said([stockOf('tee', -10), payOf(orderId, { paymentId: 'p' })]),
      ['open', 'refund_due'],
      'verdicts',
    );
    same(await stage.levels(), [0, 0, 0, 0, 0], 'levels');
  }),
  onStage('retake: past the limit: refund_due', retake, async (stage) => {
    const orderId = await expired(stage);
    same(
      await stage.said([stage.claim('AMY', { quantity: 2 }), payOf(orderId, { paymentId: 'p' })]),
      ['held', 'refund_due'],
      'verdicts',
    );
    same(await stage.levels(), [10, 8, 2, 0, 0], 'levels');
  }),
  onStage('retake: never while paused, nor after the end', retake, async (stage) => {
    for (const [stop, phase] of [
      ['pause', 'paused'],
      ['end', 'ended'],
    ] as const) {
      const [first, second] = [await expired(stage), await expired(stage)];
      same(
        await stage.said([lifecycleOf(stop), payOf(first, { paymentId: `${stop} 1` })]),
        [phase, 'refund_due'],
        `in the batch of the ${stop}`,
      );
      same(await stage.said([payOf(second, { paymentId: `${stop} 2` })]), ['refund_due'], `after the ${stop}`);
      if (stop === 'pause') await stage.act(lifecycleOf('resume'));
    }
    same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
  }),
  onStage('retake: two late successes and one free unit: one is paid, one must go back', retake, async (stage) => {
    const [one, other] = stage.claims(2);
    const claims = [one, other].flatMap((claim) => claim ?? []);
    await stage.batch([...claims, stockOf('tee', -8)]);
    await stage.subject.pass(HOLD_SECONDS * 1000);
    await stage.batch([...claims.map((claim) => expireOf(claim.orderId)), stockOf('tee', -1)]);
    const verdicts = await stage.together(claims.map(({ orderId }) => payOf(orderId, { paymentId: `p-${orderId}` })));
    same(verdicts.map(said).sort(), ['paid', 'refund_due'], 'verdicts');
    same(await stage.levels(), [1, 0, 0, 1, 0], 'levels');
  }),
];
