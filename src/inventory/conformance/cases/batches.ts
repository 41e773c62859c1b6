/** A batch is its acts in their order: each verdict belongs to its act, each act is judged after the ones before it. */
import { cancelOf, exampleItem, lifecycleOf, payOf, said, stockOf } from '../../../core/example.ts';
import { onStage } from '../case.ts';
import { check, countsOf, same } from '../check.ts';

export const BATCH_CASES = [
  onStage(
    'batch: verdicts come in the order of the acts, whatever their kinds',
    { items: [exampleItem('tee', { stock: 1 })] },
    async (stage) => {
      const [amy, bob, cyd] = ['amy', 'bob', 'cyd'].map((buyer) => stage.claim(buyer));
      check(amy !== undefined && bob !== undefined && cyd !== undefined, 'three claims');
      same(
        await stage.said([
          amy,
          bob,
          cancelOf(amy.orderId),
          cyd,
          payOf(cyd.orderId, { paymentId: 'p' }),
          lifecycleOf('pause'),
          stage.claim('dee'),
          stockOf('tee', 1),
          lifecycleOf('resume'),
          stage.claim('eve'),
          cancelOf(cyd.orderId, { returnToStock: true }),
          stage.claim('fay'),
        ]),
        [
          'held',
          'sold_out',
          'cancelled',
          'held',
          'paid',
          'paused',
          'sale_paused',
          'paused',
          'open',
          'held',
          'refund_due',
          'held',
        ],
        'verdicts',
      );
      same(await stage.levels(), [2, 0, 2, 0, 0], 'levels');
    },
  ),
  onStage(
    'batch: of two that want the last unit the first gets it',
    { items: [exampleItem('tee', { stock: 5 })] },
    async (stage) => {
      const claims = stage.claims(20);
      const verdicts = await stage.batch(claims);
      same(verdicts.map(said), [...Array(5).fill('held'), ...Array(15).fill('sold_out')], 'verdicts');
      const told = verdicts.flatMap((verdict) => (verdict.outcome === 'order' ? [verdict.order.orderId] : []));
      same(
        told,
        claims.slice(0, 5).map((claim) => claim.orderId),
        'orders that were told',
      );
    },
  ),
  onStage('batch: a refused act takes nothing from the acts beside it', {}, async (stage) => {
    same(
      await stage.said([
        stage.claim('amy', { sku: 'none' }),
        stage.claim('bob', { purchaseKey: 'wrong' }),
        stage.claim('cyd', { quantity: 2 }),
        cancelOf('none'),
        stage.claim('dee'),
      ]),
      ['not_found', 'wrong_purchase_key', 'limit_reached', 'not_found', 'held'],
      'verdicts',
    );
    same(await stage.levels(), [10, 9, 1, 0, 0], 'levels');
  }),
  onStage('batch: the result shows the items and the sale as they stand after it', {}, async (stage) => {
    const { engine, saleNo } = stage;
    const result = await engine.act({ saleNo, acts: [stage.claim('amy'), lifecycleOf('pause')] });
    same(
      result.items.map(({ sku, free, held }) => [sku, free, held]),
      [['tee', 9, 1]],
      'items',
    );
    same(result.sale?.phase, 'paused', 'the sale');
    const nothing = await engine.act({ saleNo, acts: [stage.claim('bob')] });
    same([nothing.items, nothing.sale], [[], null], 'what a refusal changes');
    check(nothing.atMs >= result.atMs, 'the books’ time does not go back');
  }),
  onStage(
    'batch: those handed over one after another, unawaited, are each whole, and in order where the engine says so',
    { items: [exampleItem('tee', { stock: 10 })], needs: ['shared'] },
    async (stage) => {
      const { engine, saleNo } = stage;
      const claims = stage.claims(30);
      const answered: number[] = [];
      const results = await Promise.all(
        claims.map(async (claim, at) => {
          const { verdicts } = await engine.act({ saleNo, acts: [claim, cancelOf('none')] });
          answered.push(at);
          return verdicts.map(said);
        }),
      );
      same(
        results.map(([, second]) => second),
        Array(30).fill('not_found'),
        'the second act of each',
      );
      const first = results.map(([verdict]) => verdict ?? '');
      same(countsOf(first), { held: 10, sold_out: 20 }, 'the first act of each');
      if (engine.keepsOrder !== true) return;
      same(answered, Array.from(claims.keys()), 'the order of the answers');
      same(first, [...Array(10).fill('held'), ...Array(20).fill('sold_out')], 'the order of the effects');
    },
  ),
  onStage('batch: none at all is answered with nothing', {}, async (stage) => {
    same(await stage.batch([]), [], 'verdicts');
  }),
  onStage('batch: 2,000 acts in one', { items: [exampleItem('tee', { stock: 900 })] }, async (stage) => {
    const verdicts = await stage.said(stage.claims(2000));
    same(verdicts, [...Array(900).fill('held'), ...Array(1100).fill('sold_out')], 'verdicts');
  }),
];
