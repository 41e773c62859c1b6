/** Stock by delta while it sells: never below what is held and sold, never lost, never twice. */
import { cancelOf, exampleItem, lifecycleOf, payOf, said, stockOf } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { countsOf, same } from '../check.ts';

export const CORRECTION_CASES = [
  onStage(
    'correction: more stock can be bought at once',
    { items: [exampleItem('tee', { stock: 1 })] },
    async (stage) => {
      same(
        await stage.said([...stage.claims(2), stockOf('tee', 2), ...stage.claims(3)]),
        ['held', 'sold_out', 'open', 'held', 'held', 'sold_out'],
        'verdicts',
      );
      same(await stage.levels(), [3, 0, 3, 0, 0], 'levels');
    },
  ),
  onStage('correction: never below what is held and sold', { settings: { limitPerBuyer: null } }, async (stage) => {
    const held = stage.claim('amy', { quantity: 3 });
    const sold = stage.claim('bob', { quantity: 5 });
    await stage.batch([held, sold, payOf(sold.orderId, { paymentId: 'p', amountMinor: 12_500 })]);
    same(await stage.said([stockOf('tee', -3), stockOf('tee', -2)]), ['not_enough', 'open'], 'verdicts');
    same(await stage.levels(), [8, 0, 3, 5, 0], 'levels');
    same(await stage.said([cancelOf(held.orderId)]), ['cancelled'], 'the hold still ends well');
    same(await stage.levels(), [8, 3, 0, 5, 0], 'levels');
  }),
  onStage(
    'correction: while a flood of orders comes through several servers, the sums stay right',
    { items: [exampleItem('tee', { stock: 20 })], needs: ['shared'] },
    async (stage) => {
      const flood = stage.together(stage.claims(90), await stage.servers());
      let total = 20;
      for (const delta of [5, -3, 8]) if (said(await stage.act(stockOf('tee', delta))) === 'open') total += delta;
      const counts = countsOf((await flood).map(said));
      const late = countsOf(await stage.said(stage.claims(30)));
      same((counts.held ?? 0) + (late.held ?? 0), total, 'orders in all, and the stock in all');
      same(await stage.levels(), [total, 0, total, 0, 0], 'levels');
    },
  ),
  onStage('correction: of an item that is not there, or of a draft', { phases: [] }, async (stage) => {
    same(await stage.said([stockOf('tee', 1)]), ['wrong_state'], 'a draft');
    same(await stage.said([stockOf('none', 1)]), ['wrong_state'], 'a draft has no corrections at all');
    same(await stage.said([lifecycleOf('schedule'), stockOf('none', 1)]), ['scheduled', 'not_found'], 'no such item');
    same(await stage.levels(), [10, 10, 0, 0, 0], 'levels');
  }),
];
