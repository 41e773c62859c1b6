/** The batcher on a fake clock, before an engine that answers when it is told to. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Act } from '../core/act.ts';
import type { BatchResult } from '../core/books.ts';
import { cancelOf, claimOf, exampleItem, payOf, said } from '../core/example.ts';
import { ExampleShop } from '../core/example-shop.ts';
import { refuse, type Verdict } from '../core/outcomes.ts';
import type { EpochMs } from '../core/scalars.ts';
import { OperatingError } from '../kit/errors.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';

const QUEUE_WAIT_MS = 100;

/** Keeps each batch until it is told to answer it; says `sold_out` to claims and `not_found` to the rest. */
class FakeEngine {
  readonly batches: (readonly Act[])[] = [];
  readonly #open: { answer: (result: BatchResult) => void; fail: (error: Error) => void }[] = [];
  most = 0;

  act({ acts }: { acts: readonly Act[] }): Promise<BatchResult> {
    this.batches.push(acts);
    return new Promise((answer, fail) => {
      this.#open.push({ answer, fail });
      this.most = Math.max(this.most, this.#open.length);
    });
  }

  /** Answers the oldest batch. */
  async answer(result: Partial<BatchResult> = {}): Promise<void> {
    const acts = this.batches[this.batches.length - this.#open.length] ?? [];
    const verdicts = acts.map((act): Verdict => refuse(act.kind === 'claim' ? 'sold_out' : 'not_found', ''));
    this.#open.shift()?.answer({ verdicts, atMs: 0 as EpochMs, sale: null, items: [], ...result });
    await settle();
  }

  async fail(error: Error): Promise<void> {
    this.#open.shift()?.fail(error);
    await settle();
  }

  get ids(): string[][] {
    return this.batches.map((acts) => acts.map((act) => ('orderId' in act ? act.orderId : act.kind)));
  }
}

/** Lets a turn of the event loop pass, and no time. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function batcherOf(engine: BatcherOptions['engine'], options: Partial<BatcherOptions> = {}): Batcher {
  const clock = { wallMs: () => Date.now(), monotonicMs: () => Date.now() };
  return new Batcher({ saleNo: 1, engine, clock, queueWaitMs: QUEUE_WAIT_MS, ...options });
}

/** What has become of an act: its verdict, its error's code, or `waiting`. */
function watch(promise: Promise<Verdict>): () => string {
  let fate = 'waiting';
  promise.then(
    (verdict) => {
      fate = said(verdict);
    },
    (error: unknown) => {
      fate = error instanceof OperatingError ? `${error.code}, effect ${error.effect}` : String(error);
    },
  );
  return () => fate;
}

const claim = (orderId: string, sku = 'tee') => claimOf(orderId, { buyer: orderId, sku });
const BUSY = 'busy, effect none';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('batches', () => {
  it('what comes in one turn goes as one; nothing waits when the engine is idle', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    const fates = ['a', 'b', 'c'].map((id) => watch(batcher.submit(claim(id))));
    expect(batcher.waiting).toBe(3);
    await settle();
    expect(engine.ids).toEqual([['a', 'b', 'c']]);
    await engine.answer();
    expect(fates.map((fate) => fate())).toEqual(['sold_out', 'sold_out', 'sold_out']);
  });

  it('what comes while a batch is in flight goes as the next, and never are two in flight', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    void batcher.submit(claim('a'));
    await settle();
    for (const id of ['b', 'c']) void batcher.submit(claim(id));
    await pass(10);
    void batcher.submit(claim('d'));
    await settle();
    expect(engine.ids).toEqual([['a']]);
    await engine.answer();
    expect(engine.ids).toEqual([['a'], ['b', 'c', 'd']]);
    await engine.answer();
    expect(engine.most).toBe(1);
  });

  it('each act gets the verdict of its place', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    const fates = ['a', 'b'].map((id) => watch(batcher.submit(claim(id))));
    await settle();
    await engine.answer({ verdicts: [refuse('limit_reached', ''), refuse('not_enough', '')] });
    expect(fates.map((fate) => fate())).toEqual(['limit_reached', 'not_enough']);
  });

  it('are bounded, and claims keep a quarter of each', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { batchActsMax: 8 });
    for (let at = 0; at < 20; at++) void batcher.submit(cancelOf(`end-${at}`));
    for (let at = 0; at < 20; at++) void batcher.submit(claim(`c-${at}`));
    await settle();
    const kinds = () => engine.batches.map((acts) => acts.map((act) => act.kind[1]).join(''));
    // `cancel` shows as a, `claim` as l: six and two, until the ends are through.
    expect(kinds()).toEqual(['aaaaaall']);
    for (let at = 0; at < 3; at++) await engine.answer({ verdicts: Array(8).fill(refuse('limit_reached', '')) });
    expect(kinds()).toEqual(['aaaaaall', 'aaaaaall', 'aaaaaall', 'aallllll']);
  });

  it('claims of one lane keep their order, and payments overtake them', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    void batcher.submit(claim('first'));
    await settle();
    void batcher.submit(claim('a'));
    void batcher.submit(payOf('p', { paymentId: 'p' }));
    void batcher.submit(claim('b'));
    void batcher.submit(cancelOf('e'));
    await engine.answer();
    expect(engine.ids[1]).toEqual(['p', 'e', 'a', 'b']);
  });
});

describe('an engine that keeps the order of its calls', () => {
  const ordered = () => Object.assign(new FakeEngine(), { keepsOrder: true });
  const submitMany = (batcher: Batcher, from: number, count: number) =>
    Array.from({ length: count }, (_, at) => watch(batcher.submit(claim(`c-${from + at}`))));
  const limitReached = (count: number) => ({ verdicts: Array(count).fill(refuse('limit_reached', '')) });

  it('gets a full batch while the one before is on its way, and no more than two at once', async () => {
    const engine = ordered();
    const batcher = batcherOf(engine, { batchActsMax: 4 });
    submitMany(batcher, 0, 14);
    await settle();
    expect(engine.ids).toEqual([
      ['c-0', 'c-1', 'c-2', 'c-3'],
      ['c-4', 'c-5', 'c-6', 'c-7'],
    ]);
    await engine.answer(limitReached(4));
    expect(engine.ids[2]).toEqual(['c-8', 'c-9', 'c-10', 'c-11']);
    // Two are left: not a full batch, so they wait for the engine to be idle.
    await engine.answer(limitReached(4));
    expect(engine.batches).toHaveLength(3);
    await engine.answer(limitReached(4));
    expect(engine.ids[3]).toEqual(['c-12', 'c-13']);
    expect(engine.most).toBe(2);
  });

  it('gets what makes a batch full when it comes while one is on its way', async () => {
    const engine = ordered();
    const batcher = batcherOf(engine, { batchActsMax: 4 });
    submitMany(batcher, 0, 1);
    await settle();
    submitMany(batcher, 1, 3);
    await settle();
    expect(engine.batches).toHaveLength(1);
    submitMany(batcher, 4, 1);
    await settle();
    expect(engine.ids[1]).toEqual(['c-1', 'c-2', 'c-3', 'c-4']);
  });

  it('is idle when both are answered', async () => {
    const engine = ordered();
    const batcher = batcherOf(engine, { batchActsMax: 2 });
    submitMany(batcher, 0, 4);
    let isIdle = false;
    void batcher.idle().then(() => {
      isIdle = true;
    });
    await settle();
    await engine.answer();
    expect(isIdle).toBe(false);
    await engine.answer();
    expect(isIdle).toBe(true);
  });
});

describe('busy', () => {
  it('a claim that waits for a slow batch leaves after queueWaitMs, and is never handed over', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    const handed = watch(batcher.submit(claim('handed')));
    await settle();
    const late = watch(batcher.submit(claim('late')));
    await pass(QUEUE_WAIT_MS - 1);
    expect(late()).toBe('waiting');
    await pass(2);
    expect(late()).toBe(BUSY);
    // The one that the engine has is not called back, however long it takes.
    await pass(60_000);
    expect(handed()).toBe('waiting');
    await engine.answer();
    expect(handed()).toBe('sold_out');
    await pass(1000);
    expect(engine.ids).toEqual([['handed']]);
  });

  it('each by its own waiting time', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    void batcher.submit(claim('handed'));
    await settle();
    const first = watch(batcher.submit(claim('a')));
    await pass(60);
    const second = watch(batcher.submit(claim('b')));
    await pass(41);
    expect([first(), second()]).toEqual([BUSY, 'waiting']);
    await engine.answer();
    expect(engine.ids).toEqual([['handed'], ['b']]);
  });

  it('also those that came before the batch did, and found no place in it', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { batchActsMax: 2 });
    const fates = ['a', 'b', 'c', 'd'].map((id) => watch(batcher.submit(claim(id))));
    await settle();
    expect(engine.ids).toEqual([['a', 'b']]);
    await pass(QUEUE_WAIT_MS + 1);
    expect(fates.map((fate) => fate())).toEqual(['waiting', 'waiting', BUSY, BUSY]);
  });

  it('never for what is no claim: payments and ends wait as long as it takes', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    void batcher.submit(claim('handed'));
    await settle();
    const fates = [payOf('p', { paymentId: 'p' }), cancelOf('e')].map((act) => watch(batcher.submit(act)));
    await pass(60_000);
    expect(fates.map((fate) => fate())).toEqual(['waiting', 'waiting']);
    await engine.answer();
    await engine.answer();
    expect(fates.map((fate) => fate())).toEqual(['not_found', 'not_found']);
  });

  it('at once, past the bound of the queue', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { queueClaimsMax: 3 });
    const fates = ['a', 'b', 'c', 'd'].map((id) => watch(batcher.submit(claim(id))));
    const payment = watch(batcher.submit(payOf('p', { paymentId: 'p' })));
    await Promise.resolve();
    await Promise.resolve();
    expect(fates.map((fate) => fate())).toEqual(['waiting', 'waiting', 'waiting', BUSY]);
    await settle();
    expect(engine.ids).toEqual([['p', 'a', 'b', 'c']]);
    await engine.answer();
    expect(payment()).toBe('not_found');
  });
});

describe('when the stock ends', () => {
  it('all claims that wait for the item are answered from one batch; those for others keep their turn', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { batchActsMax: 4 });
    const fates = Array.from({ length: 40 }, (_, at) => watch(batcher.submit(claim(`t-${at}`))));
    for (let at = 0; at < 6; at++) void batcher.submit(claim(`c-${at}`, 'cap'));
    await settle();
    expect(engine.batches.map((acts) => acts.length)).toEqual([4]);
    await engine.answer();
    // Four by their turn, and the other 32.
    expect(engine.batches.map((acts) => acts.length)).toEqual([4, 36]);
    expect(engine.ids[1]).toEqual(Array.from({ length: 36 }, (_, at) => `t-${at + 4}`));
    await engine.answer();
    expect(fates.every((fate) => fate() === 'sold_out')).toBe(true);
    expect(engine.ids[2]).toEqual(['c-0', 'c-1', 'c-2', 'c-3']);
  });

  it('also where the last unit was the last act of its batch', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { batchActsMax: 2 });
    for (let at = 0; at < 9; at++) void batcher.submit(claim(`t-${at}`));
    await settle();
    const gone = { ...exampleItem('tee', { stock: 2 }), free: 0, held: 2 };
    await engine.answer({ verdicts: Array(2).fill(refuse('limit_reached', '')), items: [gone] });
    expect(engine.batches.map((acts) => acts.length)).toEqual([2, 7]);
  });

  it('but not when units have come back meanwhile', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { batchActsMax: 2 });
    for (let at = 0; at < 9; at++) void batcher.submit(claim(`t-${at}`));
    await settle();
    await engine.answer({ items: [{ ...exampleItem('tee', { stock: 5 }) }] });
    expect(engine.batches.map((acts) => acts.length)).toEqual([2, 2]);
  });

  it('a retry in that batch still gets its order', async () => {
    const shop = ExampleShop.opened({ items: [exampleItem('tee', { stock: 2 })] });
    const engine = {
      act: async ({ acts }: { acts: readonly Act[] }): Promise<BatchResult> => ({
        verdicts: shop.batch(acts),
        atMs: shop.now,
        sale: null,
        items: [shop.item()],
      }),
    };
    const batcher = batcherOf(engine, { batchActsMax: 2 });
    const ids = ['a', 'b', ...Array.from({ length: 50 }, (_, at) => `late-${at}`)];
    const fates = ids.map((id) => watch(batcher.submit(claim(id))));
    const retry = watch(batcher.submit(claimOf('again', { buyer: 'a', sku: 'tee', key: 'key-a' })));
    await settle();
    await batcher.idle();
    expect(fates.map((fate) => fate())).toEqual(['held', 'held', ...Array(50).fill('sold_out')]);
    expect(retry()).toBe('held again');
  });
});

describe('faults', () => {
  it('an error of the engine is that of the whole batch, and the next one goes on', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    const lost = ['a', 'b'].map((id) => watch(batcher.submit(claim(id))));
    await settle();
    const next = watch(batcher.submit(claim('c')));
    await engine.fail(new OperatingError('unavailable', 'gone', { effect: 'unknown' }));
    expect(lost.map((fate) => fate())).toEqual(['unavailable, effect unknown', 'unavailable, effect unknown']);
    await engine.answer();
    expect(next()).toBe('sold_out');
  });

  it('a verdict that is missing is an error with effect unknown', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    const fates = ['a', 'b'].map((id) => watch(batcher.submit(claim(id))));
    await settle();
    await engine.answer({ verdicts: [refuse('sold_out', '')] });
    expect(fates.map((fate) => fate())).toEqual(['sold_out', 'internal, effect unknown']);
  });
});

describe('idle', () => {
  it('resolves when nothing waits and nothing is in flight, at once where that is so', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine, { batchActsMax: 1 });
    await batcher.idle();
    let isIdle = false;
    for (const id of ['a', 'b']) void batcher.submit(claim(id));
    void batcher.idle().then(() => {
      isIdle = true;
    });
    await settle();
    await engine.answer({ verdicts: [refuse('limit_reached', '')] });
    expect(isIdle).toBe(false);
    await engine.answer();
    expect(isIdle).toBe(true);
    expect(batcher.waiting).toBe(0);
  });

  it('also when the last that waited left as busy, and when the last batch failed', async () => {
    const engine = new FakeEngine();
    const batcher = batcherOf(engine);
    watch(batcher.submit(claim('a')));
    await settle();
    watch(batcher.submit(claim('b')));
    await pass(QUEUE_WAIT_MS + 1);
    const idle = batcher.idle();
    await engine.fail(new OperatingError('unavailable', 'gone', { effect: 'none' }));
    await idle;
    expect(engine.ids).toEqual([['a']]);
  });
});

it('tells of a batch before its acts are answered', async () => {
  const engine = new FakeEngine();
  const told: string[] = [];
  const batcher = batcherOf(engine, {
    onBatch: (result, acts, tookMs) => told.push(`batch of ${acts.length}, ${result.verdicts.length}, ${tookMs} ms`),
  });
  void batcher.submit(claim('a')).then((verdict) => told.push(said(verdict)));
  await settle();
  await pass(7);
  await engine.answer();
  expect(told).toEqual(['batch of 1, 1, 7 ms', 'sold_out']);
});
