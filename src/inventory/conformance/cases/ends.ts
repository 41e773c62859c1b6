/** I3 and I5: a hold has one end, and gives back exactly what it held. */
import type { Act, Claim } from '../../../core/act.ts';
import { cancelOf, exampleItem, expireOf, paymentStartedOf, payOf, said } from '../../../core/example.ts';
import type { Order } from '../../../core/order.ts';
import { onStage } from '../case.ts';
import { check, countsOf, same } from '../check.ts';
import type { Stage } from '../stage.ts';

const HOLD_SECONDS = 0.2;
const HOLD_MS = HOLD_SECONDS * 1000;
const short = { settings: { holdSeconds: HOLD_SECONDS, limitPerBuyer: 4 } };

async function placed(stage: Stage, claim: Claim): Promise<Order> {
  same(await stage.said([claim]), ['held'], 'an order');
  return stage.order(claim.orderId);
}

export const END_CASES = [
  onStage(
    'end: cancelled twice, by buyer and merchant, its 4 units come back once',
    { settings: { limitPerBuyer: 4 } },
    async (stage) => {
      const [claim, other] = stage.claims(2, { quantity: 4 });
      check(claim !== undefined && other !== undefined, 'two claims');
      await stage.batch([claim, other]);
      const verdicts = await stage.together([
        cancelOf(claim.orderId, { buyer: claim.buyerId }),
        cancelOf(claim.orderId),
      ]);
      same(verdicts.map(said), ['cancelled', 'cancelled unchanged'], 'verdicts');
      await stage.act(cancelOf(claim.orderId));
      same(await stage.levels(), [10, 6, 4, 0, 0], 'levels');
    },
  ),
  onStage('end: time ends a hold when it is up and not before, once', short, async (stage) => {
    const [claim, other] = stage.claims(2, { quantity: 4 });
    check(claim !== undefined && other !== undefined, 'two claims');
    await stage.batch([claim, other]);
    await stage.subject.pass(HOLD_MS);
    same(
      await stage.said([expireOf(claim.orderId), expireOf(claim.orderId)]),
      ['expired', 'expired unchanged'],
      'in one batch',
    );
    same(await stage.said([expireOf(claim.orderId)]), ['expired unchanged'], 'in a later batch');
    same(await stage.levels(), [10, 6, 4, 0, 0], 'levels');
  }),
  onStage(
    'end: what a sweep found due ends, but not when it was put off since',
    { settings: { paymentGraceSeconds: 60 } },
    async (stage) => {
      const claim = stage.claim('amy');
      const found = (await placed(stage, claim)).expiresAtMs ?? 0;
      same(
        await stage.said([paymentStartedOf(claim.orderId), expireOf(claim.orderId, found)]),
        ['held', 'held unchanged'],
        'put off',
      );
      same(await stage.said([expireOf(claim.orderId, found + 60_000)]), ['expired'], 'the end that it has now');
      same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
    },
  ),
  onStage('end: a timer that comes too early changes nothing', {}, async (stage) => {
    const claim = stage.claim('amy');
    await stage.act(claim);
    same(await stage.said([expireOf(claim.orderId)]), ['held unchanged'], 'verdict');
    same(await stage.levels(), [10, 9, 1, 0, 0], 'levels');
  }),
  onStage(
    'end: every unit of holds that ran out can be sold again, three times over',
    { ...short, items: [exampleItem('tee', { stock: 12 })] },
    async (stage) => {
      for (let round = 0; round < 3; round++) {
        const claims = stage.claims(3, { quantity: 4 });
        same(countsOf(await stage.said(claims)), { held: 3 }, 'a round of holds');
        await stage.subject.pass(HOLD_MS);
        same(countsOf(await stage.said(claims.map((claim) => expireOf(claim.orderId)))), { expired: 3 }, 'their ends');
        same(await stage.levels(), [12, 12, 0, 0, 0], 'levels');
      }
    },
  ),
  onStage(
    'end: pay and expire at once through several servers: one wins, and the books know which',
    { ...short, items: [exampleItem('tee', { stock: 12 })], needs: ['shared'] },
    async (stage) => {
      const claims = stage.claims(12);
      await stage.batch(claims);
      await stage.subject.pass(HOLD_MS);
      const acts: Act[] = claims.flatMap(({ orderId }, at) => {
        const pay = payOf(orderId, { paymentId: `p${at}` });
        return at % 2 === 0 ? [pay, expireOf(orderId)] : [expireOf(orderId), pay];
      });
      await stage.together(acts, await stage.servers());
      const { orders } = await stage.books();
      const counts = countsOf(orders.map((order) => order.status));
      same((counts.paid ?? 0) + (counts.refund_due ?? 0), 12, 'orders that are paid, or owe');
      same(await stage.levels(), [12, 12 - (counts.paid ?? 0), 0, counts.paid ?? 0, 0], 'levels');
    },
  ),
  onStage('end: a cancel and a payment in one batch: the first decides', {}, async (stage) => {
    const [one, other] = stage.claims(2);
    check(one !== undefined && other !== undefined, 'two claims');
    await stage.batch([one, other]);
    const cancel = (claim: typeof one) => cancelOf(claim.orderId, { buyer: claim.buyerId });
    same(
      await stage.said([
        cancel(one),
        payOf(one.orderId, { paymentId: 'p1' }),
        payOf(other.orderId, { paymentId: 'p2' }),
        cancel(other),
      ]),
      ['cancelled', 'refund_due', 'paid', 'wrong_state'],
      'verdicts',
    );
    same(await stage.levels(), [10, 9, 0, 1, 0], 'levels');
  }),
  onStage('end: a payment with result expired ends it, time then finds it ended', short, async (stage) => {
    const claim = stage.claim('amy');
    await stage.act(claim);
    await stage.subject.pass(HOLD_MS);
    same(
      await stage.said([
        payOf(claim.orderId, { paymentId: 'p', result: 'expired' }),
        expireOf(claim.orderId),
        cancelOf(claim.orderId),
      ]),
      ['expired', 'expired unchanged', 'wrong_state'],
      'verdicts',
    );
    same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
  }),
  onStage('end: nobody ends an order of somebody else, or one that is not there', {}, async (stage) => {
    const claim = stage.claim('amy');
    await stage.act(claim);
    same(
      await stage.said([
        cancelOf(claim.orderId, { buyer: 'bob' }),
        cancelOf('none'),
        expireOf('none'),
        payOf('none', { paymentId: 'p' }),
      ]),
      ['not_found', 'not_found', 'not_found', 'not_found'],
      'verdicts',
    );
    same(await stage.levels(), [10, 9, 1, 0, 0], 'levels');
  }),
];
