/** `deductAt: payment`: more are let in than there are units, and the payment takes the unit. */
import { cancelOf, closePlacedOf, exampleItem, payOf, said } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { countsOf, same } from '../check.ts';

const placed = (stock: number, overAdmit = 1.5) => ({
  settings: { deductAt: 'payment', overAdmit } as const,
  items: [exampleItem('tee', { stock })],
  needs: ['deduct_at_payment'] as const,
});

export const PLACED_CASES = [
  onStage(
    'placed: at most floor(stock × overAdmit) at once, and none of them takes a unit',
    placed(5),
    async (stage) => {
      const verdicts = await stage.together(stage.claims(30));
      same(countsOf(verdicts.map(said)), { placed: 7, sold_out: 23 }, 'verdicts');
      const told = verdicts.flatMap((verdict) => (verdict.outcome === 'refused' ? [verdict.availability] : []));
      same([...new Set(told)], ['all_held'], 'what the refused are told');
      same(await stage.levels(), [5, 5, 0, 0, 7], 'levels');
    },
  ),
  onStage('placed: a cancel makes room for one more', placed(5), async (stage) => {
    const claims = stage.claims(7);
    await stage.batch(claims);
    same(await stage.said([stage.claim('late')]), ['sold_out'], 'full');
    same(
      await stage.said([cancelOf(claims[0]?.orderId ?? ''), stage.claim('late'), stage.claim('later')]),
      ['cancelled', 'placed', 'sold_out'],
      'after a cancel',
    );
  }),
  onStage('placed: 7 pay at once for 5 units: 5 are paid, 2 must go back', placed(5), async (stage) => {
    const claims = stage.claims(7);
    await stage.batch(claims);
    const verdicts = await stage.together(claims.map(({ orderId }) => payOf(orderId, { paymentId: `p-${orderId}` })));
    same(countsOf(verdicts.map(said)), { paid: 5, refund_due: 2 }, 'verdicts');
    same(await stage.levels(), [5, 0, 0, 5, 0], 'levels');
    same(await stage.said([stage.claim('late')]), ['sold_out'], 'nothing is left');
  }),
  onStage('placed: when the last unit is paid the others end as refused', placed(1, 3), async (stage) => {
    const claims = stage.claims(3);
    await stage.batch(claims);
    const [first, second, third] = claims.map((claim) => claim.orderId);
    same(await stage.said([closePlacedOf(second ?? '')]), ['placed unchanged'], 'while a unit is free');
    same(
      await stage.said([
        payOf(first ?? '', { paymentId: 'p' }),
        ...[first, second, third, third].map((orderId) => closePlacedOf(orderId ?? '')),
      ]),
      ['paid', 'paid unchanged', 'refused', 'refused', 'refused unchanged'],
      'verdicts',
    );
    same(await stage.said([payOf(second ?? '', { paymentId: 'q' })]), ['refund_due'], 'a success after that');
    same(await stage.levels(), [1, 0, 0, 1, 0], 'levels');
  }),
];
