/** The factory itself: what every other case takes for granted. */
import { claimOf, exampleItem, exampleSale, lifecycleOf, said } from '../../../core/example.ts';
import type { ConformanceCase } from '../case.ts';
import { onStage } from '../case.ts';
import { check, same } from '../check.ts';

export const FACTORY_CASES: readonly ConformanceCase[] = [
  {
    name: 'factory: a sale stands in the books as it was handed over, a draft, all units free',
    needs: [],
    run: async (factory) => {
      const subject = await factory();
      try {
        const items = [exampleItem('tee', { stock: 7 }), exampleItem('cap', { stock: 0, priceMinor: 0 })];
        const saleNo = await subject.createSale(exampleSale({}, items));
        const books = await subject.books(saleNo);
        same(books.orders, [], 'orders of a new sale');
        same([...books.items], items, 'items of a new sale');
        const { verdicts } = await subject.engine.act({ saleNo, acts: [lifecycleOf('pause')] });
        same(verdicts.map(said), ['wrong_state'], 'a draft that is paused');
      } finally {
        await subject.close();
      }
    },
  },
  {
    name: 'factory: each subject has books of its own',
    needs: [],
    run: async (factory) => {
      const [one, other] = [await factory(), await factory()];
      try {
        const items = [exampleItem('tee', { stock: 3 })];
        const saleNo = await one.createSale(exampleSale({}, items));
        const otherNo = await other.createSale(exampleSale({}, items));
        await one.engine.act({ saleNo, acts: [lifecycleOf('open'), claimOf('o', { buyer: 'amy', sku: 'tee' })] });
        same((await other.books(otherNo)).orders, [], 'orders in the other books');
        const { verdicts } = await other.engine.act({ saleNo: otherNo, acts: [lifecycleOf('open')] });
        same(verdicts.map(said), ['open'], 'the sale of the other subject is opened');
      } finally {
        await one.close();
        await other.close();
      }
    },
  },
  onStage('factory: time passes as it is told', {}, async ({ subject }) => {
    const before = subject.nowMs();
    check(Number.isInteger(before), 'the time is a whole number of milliseconds');
    await subject.pass(50);
    check(subject.nowMs() >= before + 50, 'at least 50 ms have passed');
  }),
  onStage('factory: the engine can be opened again, and nothing changes', {}, async (stage) => {
    same(await stage.said([stage.claim('amy')]), ['held'], 'an order');
    const before = await stage.books();
    await stage.engine.open(stage.saleNo);
    await stage.engine.open(stage.saleNo);
    same(await stage.books(), before, 'the books after opening twice');
    same(await stage.said([stage.claim('amy')]), ['limit_reached'], 'one more');
  }),
];
