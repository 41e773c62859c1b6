/** The scheduler under a clock of the test's own: exact openings, far ones, jumps, failures, restarts. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Act } from '../../core/act.ts';
import type { Verdict } from '../../core/outcomes.ts';
import { dueAct, type Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { Scheduler } from './scheduler.ts';

const startMs = Date.UTC(2026, 10, 27, 9);
const dayMs = 86_400_000;

const saleOf = (change: Partial<Sale>): Sale =>
  ({ saleNo: 1, saleId: 'drop', phase: 'scheduled', version: 1, opensAtMs: null, endsAtMs: null, ...change }) as Sale;

/** The wall clock is the faked one plus what the test adds: timers run by the faked one alone. */
let jumpMs: number;
const now = (): EpochMs => (Date.now() + jumpMs) as EpochMs;

let scheduler: Scheduler;
let submitted: { kind: string; atMs: number; purchaseKey: string }[];
let faults: unknown[];
let books: Map<number, Sale>;
/** What stands between the scheduler and the books; a test may put a failure here. */
let obstacle: () => void;

function submit(saleNo: number, act: Act): Promise<Verdict> {
  if (act.kind !== 'open' && act.kind !== 'end') throw new Error(`unexpected ${act.kind}`);
  submitted.push({ kind: act.kind, atMs: now(), purchaseKey: act.purchaseKey });
  obstacle();
  const sale = books.get(saleNo) as Sale;
  if (dueAct(sale, now()) !== act.kind)
    return Promise.resolve({ outcome: 'sale', sale, changed: false, replayed: false });
  const changed = { ...sale, phase: act.kind === 'open' ? 'open' : 'ended', version: sale.version + 1 } as Sale;
  books.set(saleNo, changed);
  return Promise.resolve({ outcome: 'sale', sale: changed, changed: true, replayed: false });
}

async function startWith(...sales: Sale[]): Promise<void> {
  for (const sale of sales) books.set(sale.saleNo, sale);
  await scheduler.start();
}

beforeEach(() => {
  vi.useFakeTimers({ now: startMs });
  jumpMs = 0;
  submitted = [];
  faults = [];
  books = new Map();
  obstacle = () => {};
  scheduler = new Scheduler({
    now,
    liveSales: () => Promise.resolve([...books.values()].map((sale) => ({ sale }))),
    saleByNo: (saleNo) => Promise.resolve(books.has(saleNo) ? { submit: (act) => submit(saleNo, act) } : null),
    onFault: (error) => faults.push(error),
  });
});

afterEach(async () => {
  await scheduler.stop();
  vi.useRealTimers();
});

describe('opening', () => {
  test.each([1, 7, 499, 500, 501, 1234, 60_001])('in %i ms: at that millisecond, once', async (inMs) => {
    await startWith(saleOf({ opensAtMs: (startMs + inMs) as EpochMs }));
    await vi.advanceTimersByTimeAsync(inMs - 1);
    expect(submitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(submitted).toMatchObject([{ kind: 'open', atMs: startMs + inMs }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(submitted).toHaveLength(1);
    expect(Buffer.from(submitted[0]?.purchaseKey ?? '', 'base64url')).toHaveLength(24);
  });

  test('40 days ahead, past what a timer can count: no early opening, no spinning, exact', async () => {
    const opensAtMs = (startMs + 40 * dayMs) as EpochMs;
    await startWith(saleOf({ opensAtMs }));
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(timers).not.toHaveBeenCalled();
    expect(submitted).toEqual([]);
    jumpMs = 40 * dayMs - 3_600_000 - 5000;
    await vi.advanceTimersByTimeAsync(4999);
    expect(submitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(submitted).toMatchObject([{ kind: 'open', atMs: opensAtMs }]);
  });

  test('a time that passed while the server was down: at the start', async () => {
    await startWith(saleOf({ opensAtMs: (startMs - 5000) as EpochMs }));
    await vi.advanceTimersByTimeAsync(0);
    expect(submitted).toMatchObject([{ kind: 'open' }]);
  });

  test('no time set: never by itself', async () => {
    await startWith(saleOf({}));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(submitted).toEqual([]);
  });

  test('moved later, then earlier: the last word counts', async () => {
    const sale = saleOf({ opensAtMs: (startMs + 1000) as EpochMs });
    await startWith(sale);
    const move = (inMs: number, version: number) => {
      const moved = { ...sale, opensAtMs: (startMs + inMs) as EpochMs, version };
      books.set(1, moved);
      scheduler.watch(moved);
    };
    move(9000, 2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(submitted).toEqual([]);
    move(3000, 3);
    await vi.advanceTimersByTimeAsync(999);
    expect(submitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(submitted).toMatchObject([{ kind: 'open', atMs: startMs + 3000 }]);
  });
});

describe('ending', () => {
  test('an open sale ends at its time; opening and ending of one sale are two acts', async () => {
    await startWith(saleOf({ opensAtMs: (startMs + 100) as EpochMs, endsAtMs: (startMs + 2100) as EpochMs }));
    await vi.advanceTimersByTimeAsync(3000);
    expect(submitted).toMatchObject([
      { kind: 'open', atMs: startMs + 100 },
      { kind: 'end', atMs: startMs + 2100 },
    ]);
  });

  test('both times passed while the server was down: it ends and never opens', async () => {
    await startWith(saleOf({ opensAtMs: (startMs - 9000) as EpochMs, endsAtMs: (startMs - 1000) as EpochMs }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(submitted.map(({ kind }) => kind)).toEqual(['end']);
  });

  test('a paused sale ends too; an ended one is left alone', async () => {
    const endsAtMs = (startMs + 700) as EpochMs;
    await startWith(
      saleOf({ saleNo: 1, phase: 'paused', endsAtMs }),
      saleOf({ saleNo: 2, phase: 'ended', endsAtMs: (startMs - 1) as EpochMs }),
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(submitted.map(({ kind }) => kind)).toEqual(['end']);
  });
});

describe('a wall clock that jumps', () => {
  test('forward past the opening: noticed within half a second', async () => {
    await startWith(saleOf({ opensAtMs: (startMs + dayMs) as EpochMs }));
    await vi.advanceTimersByTimeAsync(1250);
    jumpMs = dayMs;
    await vi.advanceTimersByTimeAsync(500);
    expect(submitted).toMatchObject([{ kind: 'open' }]);
  });

  test('forward to just before the opening: exact all the same', async () => {
    const opensAtMs = (startMs + dayMs) as EpochMs;
    await startWith(saleOf({ opensAtMs }));
    jumpMs = dayMs - 3000;
    await vi.advanceTimersByTimeAsync(3001);
    expect(submitted).toMatchObject([{ kind: 'open', atMs: opensAtMs }]);
  });

  test('back while the exact timer runs: not early', async () => {
    const opensAtMs = (startMs + 400) as EpochMs;
    await startWith(saleOf({ opensAtMs }));
    jumpMs = -10_000;
    await vi.advanceTimersByTimeAsync(10_399);
    expect(submitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(submitted).toMatchObject([{ kind: 'open', atMs: opensAtMs }]);
  });
});

describe('acts that do not succeed', () => {
  test('a failed one is tried again until it succeeds, and reported', async () => {
    let failures = 3;
    obstacle = () => {
      if (failures-- > 0) throw new Error('disk full');
    };
    await startWith(saleOf({ opensAtMs: (startMs + 10) as EpochMs }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(submitted).toHaveLength(4);
    expect(faults).toHaveLength(3);
    expect(books.get(1)).toMatchObject({ phase: 'open' });
  });

  test('a failed one is tried again though the clock went back an hour', async () => {
    let failures = 1;
    obstacle = () => {
      if (failures-- > 0) throw new Error('disk full');
    };
    await startWith(saleOf({ opensAtMs: (startMs - 2 * 3_600_000) as EpochMs }));
    await vi.advanceTimersByTimeAsync(1);
    jumpMs = -3_600_000;
    await vi.advanceTimersByTimeAsync(1100);
    expect(books.get(1)).toMatchObject({ phase: 'open' });
  });

  test('too early for the ledger, whose clock is behind: sent again, without spinning', async () => {
    const opensAtMs = (startMs + 100) as EpochMs;
    const parts = { behindMs: 40 };
    await startWith(saleOf({ opensAtMs: (startMs + 100) as EpochMs }));
    obstacle = () => {
      books.set(1, saleOf({ opensAtMs: (opensAtMs + parts.behindMs) as EpochMs }));
    };
    scheduler.watch(saleOf({ opensAtMs }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(books.get(1)).toMatchObject({ phase: 'open' });
    expect(submitted.length).toBeLessThan(10);
    expect(faults).toEqual([]);
  });

  test('one sale that cannot be opened does not hold up another', async () => {
    const opensAtMs = (startMs + 10) as EpochMs;
    await startWith(saleOf({ saleNo: 1, opensAtMs }), saleOf({ saleNo: 2, opensAtMs }));
    books.delete(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(books.get(2)).toMatchObject({ phase: 'open' });
    expect(faults.length).toBeGreaterThan(0);
  });

  test('stop waits for the act that is with the engine, and no more come', async () => {
    await startWith(saleOf({ opensAtMs: (startMs + 10) as EpochMs, endsAtMs: (startMs + 20) as EpochMs }));
    await vi.advanceTimersByTimeAsync(10);
    await scheduler.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(submitted).toMatchObject([{ kind: 'open' }]);
  });
});
