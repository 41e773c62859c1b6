/** I3: one key, one order, whenever and however often it comes. */
import type { RequestKey } from '../../../core/act.ts';
import { cancelOf, exampleItem, lifecycleOf, payOf, said, stockOf } from '../../../core/example.ts';
import type { Verdict } from '../../../core/outcomes.ts';
import { onStage } from '../case.ts';
import { check, countsOf, same } from '../check.ts';

const orderIds = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap((verdict) => (verdict.outcome === 'order' ? [verdict.order.orderId] : []));

const request = (key: string, fingerprint: string): RequestKey => ({
  caller: 'merchant',
  route: '/x',
  key,
  fingerprint,
});

const roomy = { settings: { limitPerBuyer: 3 } };

export const KEY_CASES = [
  onStage('key: again in the same batch is the same order', roomy, async (stage) => {
    const verdicts = await stage.batch([1, 2, 3].map(() => stage.claim('amy', { key: 'k' })));
    same(verdicts.map(said), ['held', 'held again', 'held again'], 'verdicts');
    same(new Set(orderIds(verdicts)).size, 1, 'orders that were told');
    same(await stage.levels(), [10, 9, 1, 0, 0], 'levels');
  }),
  onStage('key: again in a later batch is the same order', roomy, async (stage) => {
    const first = await stage.act(stage.claim('amy', { key: 'k' }));
    const second = await stage.act(stage.claim('amy', { key: 'k' }));
    same([first, second].map(said), ['held', 'held again'], 'verdicts');
    same(new Set(orderIds([first, second])).size, 1, 'orders that were told');
    same(await stage.levels(), [10, 9, 1, 0, 0], 'levels');
  }),
  onStage(
    'key: 60 times at once through several servers is one order',
    { ...roomy, needs: ['shared'] },
    async (stage) => {
      const claims = Array.from({ length: 60 }, () => stage.claim('amy', { key: 'k' }));
      const verdicts = await stage.together(claims, await stage.servers());
      same(countsOf(verdicts.map(said)), { held: 1, 'held again': 59 }, 'verdicts');
      same(new Set(orderIds(verdicts)).size, 1, 'orders that were told');
      same(await stage.levels(), [10, 9, 1, 0, 0], 'levels');
    },
  ),
  onStage(
    'key: with another quantity or item it is a conflict, and takes nothing',
    {
      ...roomy,
      items: [exampleItem('tee', { stock: 10 }), exampleItem('cap', { stock: 10 })],
    },
    async (stage) => {
      const odd = () => [stage.claim('amy', { key: 'k', quantity: 2 }), stage.claim('amy', { key: 'k', sku: 'cap' })];
      const conflicts = ['idempotency_conflict', 'idempotency_conflict'];
      same(await stage.said([stage.claim('amy', { key: 'k' }), ...odd()]), ['held', ...conflicts], 'in the same batch');
      same(await stage.said(odd()), conflicts, 'in a later batch');
      same(
        [await stage.levels('tee'), await stage.levels('cap')],
        [
          [10, 9, 1, 0, 0],
          [10, 10, 0, 0, 0],
        ],
        'levels',
      );
    },
  ),
  onStage(
    'key: answers when all is sold out, paused and ended',
    { items: [exampleItem('tee', { stock: 1 })] },
    async (stage) => {
      const again = async () => said(await stage.act(stage.claim('amy', { key: 'k' })));
      await stage.batch([stage.claim('amy', { key: 'k' }), ...stage.claims(5)]);
      same(await again(), 'held again', 'sold out');
      await stage.act(lifecycleOf('pause'));
      same(await again(), 'held again', 'paused');
      await stage.act(lifecycleOf('end'));
      same(await again(), 'held again', 'ended');
    },
  ),
  onStage('key: shows the order as it now stands, and never makes a second one', roomy, async (stage) => {
    const claim = stage.claim('amy', { key: 'k' });
    const again = async () => said(await stage.act(stage.claim('amy', { key: 'k' })));
    await stage.act(claim);
    await stage.act(payOf(claim.orderId, { paymentId: 'p' }));
    same(await again(), 'paid again', 'after it was paid');
    await stage.act(cancelOf(claim.orderId));
    same(await again(), 'refund_due again', 'after the merchant cancelled');
    same((await stage.books()).orders.length, 1, 'orders');
  }),
  onStage('key: belongs to the exact buyer id', roomy, async (stage) => {
    same(
      await stage.said([
        stage.claim('amy', { key: 'k' }),
        stage.claim('bob', { key: 'k' }),
        stage.claim('Amy', { key: 'k' }),
      ]),
      ['held', 'held', 'held'],
      'verdicts',
    );
    same((await stage.books()).orders.length, 3, 'orders');
  }),
  onStage('key: after a refusal gets a fresh try', { items: [exampleItem('tee', { stock: 1 })] }, async (stage) => {
    const other = stage.claim('bob');
    await stage.act(other);
    same(await stage.said([stage.claim('amy', { key: 'k' })]), ['sold_out'], 'while bob holds the unit');
    await stage.act(cancelOf(other.orderId));
    same(await stage.said([stage.claim('amy', { key: 'k' })]), ['held'], 'after bob let go');
  }),
  onStage('key: of another act counts it once, and refuses another body', {}, async (stage) => {
    const more = (delta: number) => ({ ...stockOf('tee', delta), request: request('k', `delta ${delta}`) });
    same(await stage.said([more(5), more(5), more(6)]), ['open', 'open again', 'idempotency_conflict'], 'in one batch');
    same(await stage.said([more(5), more(6)]), ['open again', 'idempotency_conflict'], 'in a later batch');
    same(await stage.levels(), [15, 15, 0, 0, 0], 'levels');
  }),
  onStage('key: an order id never names two orders', roomy, async (stage) => {
    const claims = stage.claims(20);
    const verdicts = await stage.together(claims);
    same(orderIds(verdicts).length, 10, 'orders made');
    check(
      verdicts.every((verdict, at) => verdict.outcome === 'refused' || orderIds([verdict])[0] === claims[at]?.orderId),
      'each order has the id that its claim brought',
    );
  }),
];
