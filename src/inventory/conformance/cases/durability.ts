/** I2: what was acknowledged is there when the books are taken up again. */
import { cancelOf, exampleItem, lifecycleOf, payOf, stockOf } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { check, same } from '../check.ts';

const durable = { needs: ['durable'] as const };

export const DURABILITY_CASES = [
  onStage(
    'durable: orders, units and levels are as they were',
    { ...durable, items: [exampleItem('tee', { stock: 4 }), exampleItem('cap', { stock: 4 })] },
    async (stage) => {
      const [amy, bob, cyd] = ['amy', 'bob', 'cyd'].map((buyer) => stage.claim(buyer));
      check(amy !== undefined && bob !== undefined && cyd !== undefined, 'three claims');
      await stage.batch([
        amy,
        bob,
        cyd,
        stage.claim('dee', { sku: 'cap' }),
        payOf(amy.orderId, { paymentId: 'p' }),
        cancelOf(bob.orderId),
        stockOf('cap', 3),
      ]);
      const before = await stage.books();
      await stage.subject.reopen();
      same(await stage.books(), before, 'the books');
      same(
        [await stage.levels('tee'), await stage.levels('cap')],
        [
          [4, 2, 1, 1, 0],
          [7, 6, 1, 0, 0],
        ],
        'levels',
      );
    },
  ),
  onStage('durable: keys, limits and payments are remembered', durable, async (stage) => {
    const claim = stage.claim('amy', { key: 'k' });
    await stage.batch([claim, payOf(claim.orderId, { paymentId: 'p' })]);
    await stage.subject.reopen();
    same(
      await stage.said([
        stage.claim('amy', { key: 'k' }),
        stage.claim('amy', { key: 'k', quantity: 2 }),
        stage.claim('amy'),
        payOf(claim.orderId, { paymentId: 'p' }),
        payOf(claim.orderId, { paymentId: 'q' }),
      ]),
      ['paid again', 'idempotency_conflict', 'limit_reached', 'paid again', 'paid'],
      'verdicts',
    );
  }),
  onStage('durable: phase and purchase key are as they were', durable, async (stage) => {
    await stage.act(lifecycleOf('pause'));
    await stage.subject.reopen();
    same(
      await stage.said([stage.claim('amy'), lifecycleOf('resume', { purchaseKey: 'other' }), stage.claim('amy')]),
      ['sale_paused', 'open', 'held'],
      'verdicts',
    );
  }),
];
