/** I1 and I5: exactly the stock is sold, refusals leave no debt, and what is told of the stock is true. */
import { cancelOf, exampleItem, payOf, said } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { check, countsOf, same } from '../check.ts';

const stock = (units: number) => [exampleItem('tee', { stock: units })];

export const STOCK_CASES = [
  onStage('stock: 40 units, 120 buyers in one batch, exactly 40 are held', { items: stock(40) }, async (stage) => {
    same(countsOf(await stage.said(stage.claims(120))), { held: 40, sold_out: 80 }, 'verdicts');
    same(await stage.levels(), [40, 0, 40, 0, 0], 'levels');
  }),
  onStage(
    'stock: 40 units, 120 buyers at once through the batchers of several servers, exactly 40 are held',
    { items: stock(40), needs: ['shared'] },
    async (stage) => {
      const verdicts = await stage.together(stage.claims(120), await stage.servers());
      same(countsOf(verdicts.map(said)), { held: 40, sold_out: 80 }, 'verdicts');
      same(await stage.levels(), [40, 0, 40, 0, 0], 'levels');
      const made = verdicts.flatMap((verdict) =>
        verdict.outcome === 'order' ? [verdict.order.orderId as string] : [],
      );
      const { orders } = await stage.books();
      same(made.sort(), orders.map((order) => order.orderId as string).sort(), 'orders told, and orders in the books');
    },
  ),
  onStage(
    'stock: 40 units, 120 buyers at once through one batcher, exactly 40 are held',
    { items: stock(40) },
    async (stage) => {
      const verdicts = await stage.together(stage.claims(120));
      same(countsOf(verdicts.map(said)), { held: 40, sold_out: 80 }, 'verdicts');
      same(await stage.levels(), [40, 0, 40, 0, 0], 'levels');
    },
  ),
  onStage(
    'stock: orders of 3 at once never take the 2 that are left',
    { items: stock(20), settings: { limitPerBuyer: 3 }, needs: ['shared'] },
    async (stage) => {
      const verdicts = await stage.together(stage.claims(30, { quantity: 3 }), await stage.servers());
      same(countsOf(verdicts.map(said)), { held: 6, not_enough: 24 }, 'verdicts');
      for (const verdict of verdicts)
        if (verdict.outcome === 'refused') same(verdict.available, 2, 'units that are said to be left');
      same(await stage.levels(), [20, 2, 18, 0, 0], 'levels');
      same(await stage.said([stage.claim('late', { quantity: 2 })]), ['held'], 'the two that are left can be bought');
    },
  ),
  onStage(
    'stock: an order is held whole or refused whole',
    { items: stock(5), settings: { limitPerBuyer: 5 } },
    async (stage) => {
      const [first, second] = await stage.batch(stage.claims(2, { quantity: 3 }));
      check(first?.outcome === 'order' && first.order.quantity === 3, 'the first gets its three');
      check(
        second?.outcome === 'refused' && second.code === 'not_enough' && second.available === 2,
        'the second hears of two',
      );
      same(await stage.levels(), [5, 2, 3, 0, 0], 'levels');
    },
  ),
  onStage(
    'stock: refusals leave no debt: three come back, three more are sold',
    { items: stock(10) },
    async (stage) => {
      const winners = stage.claims(10);
      await stage.batch(winners);
      for (let round = 0; round < 5; round++)
        same(countsOf(await stage.said(stage.claims(60))), { sold_out: 60 }, 'refusals');
      await stage.batch(winners.slice(0, 3).map((claim) => cancelOf(claim.orderId)));
      same(countsOf(await stage.said(stage.claims(10))), { held: 3, sold_out: 7 }, 'after three came back');
    },
  ),
  onStage('stock: sold out says whether held units may come back', { items: stock(2) }, async (stage) => {
    const [one, other] = stage.claims(2);
    check(one !== undefined && other !== undefined, 'two claims');
    await stage.batch([one, other, payOf(one.orderId, { paymentId: 'p1' })]);
    const refusal = async () => {
      const verdict = await stage.act(stage.claim('late'));
      return verdict.outcome === 'refused' ? [verdict.code, verdict.availability] : [said(verdict)];
    };
    same(await refusal(), ['sold_out', 'all_held'], 'one sold, one held');
    await stage.act(payOf(other.orderId, { paymentId: 'p2' }));
    same(await refusal(), ['sold_out', 'sold_out'], 'both sold');
  }),
  onStage(
    'stock: items do not touch each other',
    { items: [exampleItem('tee', { stock: 1 }), exampleItem('cap', { stock: 2 })] },
    async (stage) => {
      same(
        await stage.said([
          stage.claim('amy'),
          stage.claim('bob'),
          stage.claim('cyd', { sku: 'cap' }),
          stage.claim('dee', { sku: 'cap' }),
          stage.claim('eve', { sku: 'cap' }),
        ]),
        ['held', 'sold_out', 'held', 'held', 'sold_out'],
        'verdicts',
      );
      same(
        [await stage.levels('tee'), await stage.levels('cap')],
        [
          [1, 0, 1, 0, 0],
          [2, 0, 2, 0, 0],
        ],
        'levels',
      );
    },
  ),
  onStage(
    'stock: what costs nothing is paid at once',
    { items: [exampleItem('tee', { stock: 1, priceMinor: 0 })] },
    async (stage) => {
      same(await stage.said(stage.claims(2)), ['paid', 'sold_out'], 'verdicts');
      same(await stage.levels(), [1, 0, 0, 1, 0], 'levels');
    },
  ),
];
