/** I4: a buyer's limit over the whole sale, under any concurrency, freed by the ends of orders and by nothing else. */
import { cancelOf, exampleItem, expireOf, payOf, said } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { countsOf, same } from '../check.ts';

/** Short, so that an engine on a real clock can take part. */
const HOLD_SECONDS = 0.2;

const two = [exampleItem('tee', { stock: 100 }), exampleItem('cap', { stock: 100 })];

export const LIMIT_CASES = [
  onStage('limit: counts over all items of the sale', { items: two, settings: { limitPerBuyer: 2 } }, async (stage) => {
    same(
      await stage.said([stage.claim('amy'), stage.claim('amy', { sku: 'cap' }), stage.claim('amy', { sku: 'cap' })]),
      ['held', 'held', 'limit_reached'],
      'in one batch',
    );
    same(await stage.said([stage.claim('amy')]), ['limit_reached'], 'in a later batch');
  }),
  onStage('limit: counts units, not orders', { settings: { limitPerBuyer: 3 } }, async (stage) => {
    same(
      await stage.said([
        stage.claim('amy', { quantity: 4 }),
        stage.claim('amy', { quantity: 2 }),
        stage.claim('amy', { quantity: 2 }),
        stage.claim('amy'),
        stage.claim('amy'),
      ]),
      ['limit_reached', 'held', 'limit_reached', 'held', 'limit_reached'],
      'verdicts',
    );
  }),
  onStage(
    'limit: 1, 64 keys at once through several servers, one is held',
    { items: two, needs: ['shared'] },
    async (stage) => {
      const claims = Array.from({ length: 64 }, (_, at) => stage.claim('amy', { sku: at % 2 === 0 ? 'tee' : 'cap' }));
      const verdicts = await stage.together(claims, await stage.servers());
      same(countsOf(verdicts.map(said)), { held: 1, limit_reached: 63 }, 'verdicts');
    },
  ),
  onStage('limit: 1, 64 keys at once through one batcher, one is held', { items: two }, async (stage) => {
    const verdicts = await stage.together(Array.from({ length: 64 }, () => stage.claim('amy')));
    same(countsOf(verdicts.map(said)), { held: 1, limit_reached: 63 }, 'verdicts');
  }),
  onStage('limit: spellings of one buyer are one buyer', {}, async (stage) => {
    same(
      await stage.said([' Bob@X.com', 'bob@x.com ', 'BOB@X.COM'].map((buyer) => stage.claim(buyer))),
      ['held', 'limit_reached', 'limit_reached'],
      'verdicts',
    );
  }),
  onStage('limit: a cancel frees it, a payment does not', {}, async (stage) => {
    const first = stage.claim('amy');
    same(
      await stage.said([first, cancelOf(first.orderId), stage.claim('amy')]),
      ['held', 'cancelled', 'held'],
      'after a cancel',
    );
    const paid = stage.claim('bob');
    same(
      await stage.said([paid, payOf(paid.orderId, { paymentId: 'p' }), stage.claim('bob')]),
      ['held', 'paid', 'limit_reached'],
      'after a payment',
    );
    same(
      await stage.said([cancelOf(paid.orderId), stage.claim('bob')]),
      ['refund_due', 'held'],
      'after the merchant cancelled the paid order',
    );
  }),
  onStage('limit: an expiry frees it', { settings: { holdSeconds: HOLD_SECONDS } }, async (stage) => {
    const first = stage.claim('amy');
    same(await stage.said([first, stage.claim('amy')]), ['held', 'limit_reached'], 'before');
    await stage.subject.pass(HOLD_SECONDS * 1000);
    same(await stage.said([expireOf(first.orderId), stage.claim('amy')]), ['expired', 'held'], 'after');
  }),
  onStage('limit: refusals do not count', { settings: { limitPerBuyer: 2 } }, async (stage) => {
    same(
      countsOf(await stage.said(Array.from({ length: 50 }, () => stage.claim('amy', { quantity: 3 })))),
      { limit_reached: 50 },
      'too many at once',
    );
    same(await stage.said([stage.claim('amy', { quantity: 2 })]), ['held'], 'as many as allowed');
  }),
  onStage('limit: none where the sale has none', { settings: { limitPerBuyer: null } }, async (stage) => {
    same(
      await stage.said([stage.claim('amy', { quantity: 6 }), stage.claim('amy', { quantity: 4 })]),
      ['held', 'held'],
      'verdicts',
    );
  }),
];
