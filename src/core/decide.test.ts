/** What holds for every act: verdicts in order, refusals without a trace, keys that are remembered, broken books refused. */
import { describe, expect, it } from 'vitest';
import type { Act, RequestKey } from './act.ts';
import { decide } from './decide.ts';
import {
  cancelOf,
  claimOf,
  exampleItem,
  expireOf,
  lifecycleOf,
  paymentStartedOf,
  payOf,
  refundedOf,
  resolveOf,
  stockOf,
} from './example.ts';
import { ExampleShop } from './example-shop.ts';
import { InvariantError } from './invariants.ts';
import { type Change, changesNothing } from './state.ts';

const request = (key: string, fingerprint = 'body'): RequestKey => ({
  caller: 'merchant',
  route: '/cancel',
  key,
  fingerprint,
});

/** A shop that shows the difference each batch made. */
function watched(stock = 10): { shop: ExampleShop; last: () => Change } {
  let change: Change | null = null;
  const shop = ExampleShop.opened({
    items: [exampleItem('tee', { stock })],
    rules: (state, acts, now) => {
      const decision = decide(state, acts, now);
      change = decision.change;
      return decision;
    },
  });
  return { shop, last: () => change as unknown as Change };
}

it('answers each act in order, each judged after the ones before it', () => {
  const { shop } = watched(1);
  const verdicts = shop.batch([
    claimOf('a', { buyer: 'amy', sku: 'tee' }),
    claimOf('b', { buyer: 'bob', sku: 'tee' }),
    cancelOf('a'),
    claimOf('c', { buyer: 'cyd', sku: 'tee' }),
    lifecycleOf('pause'),
    claimOf('d', { buyer: 'dee', sku: 'tee' }),
    payOf('c', { paymentId: 'p' }),
    lifecycleOf('resume'),
    stockOf('tee', 1),
    claimOf('e', { buyer: 'bob', sku: 'tee' }),
  ]);
  expect(verdicts).toMatchObject([
    { order: { orderId: 'a', status: 'held' } },
    { code: 'sold_out' },
    { order: { orderId: 'a', status: 'cancelled' } },
    { order: { orderId: 'c', status: 'held' } },
    { sale: { phase: 'paused' } },
    { code: 'sale_paused' },
    { order: { orderId: 'c', status: 'paid' } },
    { sale: { phase: 'open' } },
    { outcome: 'sale' },
    { order: { orderId: 'e', status: 'held' } },
  ]);
  expect(shop.item()).toMatchObject({ total: 2, free: 0, held: 1, sold: 1 });
});

it('a batch in one is the same as its acts one by one', () => {
  const acts: Act[] = [
    claimOf('a', { buyer: 'amy', sku: 'tee' }),
    claimOf('b', { buyer: 'bob', sku: 'tee' }),
    claimOf('a2', { buyer: 'amy', sku: 'tee', key: 'key-a' }),
    payOf('a', { paymentId: 'p' }),
    payOf('a', { paymentId: 'q' }),
    cancelOf('b', { buyer: 'bob' }),
    payOf('b', { paymentId: 'r' }),
    refundedOf('b', 'r'),
    cancelOf('a', { returnToStock: true }),
  ];
  const whole = ExampleShop.opened();
  const single = ExampleShop.opened();
  expect(whole.batch(acts)).toEqual(acts.map((act) => single.act(act)));
  expect(whole.rows()).toEqual(single.rows());
});

describe('a refusal, and an act that finds its result there, leave no trace', () => {
  it.each<[string, Act]>([
    ['limit', claimOf('x', { buyer: 'bob', sku: 'tee' })],
    ['sold out', claimOf('x', { buyer: 'amy', sku: 'tee', quantity: 1 })],
    ['unknown sku', claimOf('x', { buyer: 'amy', sku: 'none' })],
    ['wrong purchase key', claimOf('x', { buyer: 'amy', sku: 'tee', purchaseKey: '' })],
    ['replay', claimOf('x', { buyer: 'bob', sku: 'tee', key: 'key-o' })],
    ['conflict', claimOf('x', { buyer: 'bob', sku: 'tee', key: 'key-o', quantity: 2 })],
    ['early timer', expireOf('o')],
    ['unknown order', cancelOf('none')],
    ['foreign order', cancelOf('o', { buyer: 'amy' })],
    ['unknown payment', refundedOf('o', 'none')],
    ['nothing parked', resolveOf('o', 'none', 'ignored')],
    ['open again', lifecycleOf('open')],
    ['resume an open sale', lifecycleOf('resume')],
    ['too much stock away', stockOf('tee', -2)],
    ['an unknown order is on the payment page', paymentStartedOf('none')],
  ])('%s', (_what, act) => {
    const { shop, last } = watched(1);
    shop.act(claimOf('o', { buyer: 'bob', sku: 'tee' }));
    shop.act({ ...act });
    expect(changesNothing(last())).toBe(true);
  });
});

describe('an Idempotency-Key on any other act', () => {
  const cancel = (key: string, fingerprint?: string): Act => ({ ...cancelOf('o'), request: request(key, fingerprint) });

  function shop(): ExampleShop {
    const ours = ExampleShop.opened();
    ours.act(claimOf('o', { buyer: 'bob', sku: 'tee' }));
    return ours;
  }

  it('again: the thing as it now stands, marked as replayed', () => {
    const ours = shop();
    expect(ours.act(cancel('k'))).toMatchObject({ changed: true, replayed: false, order: { status: 'cancelled' } });
    expect(ours.act(cancel('k'))).toMatchObject({ changed: false, replayed: true, order: { status: 'cancelled' } });
    ours.act(payOf('o', { paymentId: 'p' }));
    expect(ours.act(cancel('k'))).toMatchObject({
      replayed: true,
      order: { status: 'refund_due' },
      refundsDue: [{ paymentId: 'p' }],
    });
  });

  it('with another body: a conflict, in the same batch too', () => {
    const [first, second] = shop().batch([cancel('k'), cancel('k', 'other')]);
    expect(first).toMatchObject({ outcome: 'order' });
    expect(second).toMatchObject({ outcome: 'refused', code: 'idempotency_conflict' });
  });

  it('of another caller or route is another key', () => {
    const ours = shop();
    ours.act(cancel('k'));
    const other = { ...cancelOf('o'), request: { ...request('k', 'other'), caller: 'shopper:bob' } };
    expect(ours.act(other)).toMatchObject({ outcome: 'order', replayed: false });
  });

  it('of a refusal, and of an act that changed nothing, is not remembered', () => {
    const ours = shop();
    expect(ours.act({ ...stockOf('tee', -10), request: request('k') })).toMatchObject({ code: 'not_enough' });
    expect(ours.act({ ...stockOf('tee', -1), request: request('k', 'other') })).toMatchObject({ changed: true });
    expect(ours.act({ ...lifecycleOf('open'), request: request('l') })).toMatchObject({ changed: false });
    expect(ours.act({ ...lifecycleOf('pause'), request: request('l', 'other') })).toMatchObject({ changed: true });
  });

  it('counts stock once', () => {
    const ours = shop();
    const act = { ...stockOf('tee', 5), request: request('k') };
    ours.batch([act, act]);
    ours.act(act);
    expect(ours.item().total).toBe(15);
  });
});

describe('books that cannot be right stop the batch before anything is written', () => {
  it.each<[string, Act]>([
    ['a hold ends that the item does not have', cancelOf('o')],
    ['a hold is paid that the item does not have', payOf('o', { paymentId: 'p' })],
  ])('%s', (_what, act) => {
    const shop = ExampleShop.opened({
      rules: (state, acts, now) => {
        if (acts[0]?.kind === 'claim') return decide(state, acts, now);
        const items = new Map([...state.items].map(([sku, item]) => [sku, { ...item, free: 10, held: 0 }]));
        return decide({ ...state, items }, acts, now);
      },
    });
    shop.act(claimOf('o', { buyer: 'bob', sku: 'tee' }));
    const before = shop.rows();
    expect(() => shop.batch([expireOf('none'), act])).toThrow(InvariantError);
    expect(shop.rows()).toEqual(before);
  });

  it('an order id that is used twice (I3)', () => {
    const shop = ExampleShop.opened();
    shop.act(claimOf('o', { buyer: 'bob', sku: 'tee' }));
    expect(() => shop.act(claimOf('o', { buyer: 'amy', sku: 'tee' }))).toThrow(/I3/);
  });
});
