/** The sweep against books that are a list: everything that is due ends, and nothing that cannot end holds it up. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Act } from '../../core/act.ts';
import type { Verdict } from '../../core/outcomes.ts';
import type { OrderId } from '../../core/scalars.ts';
import { type DueOrder, Sweep } from './sweep.ts';

let due: DueOrder[];
let sent: string[];
let reads: number;
let setAside: string[];
let faults: { error: unknown; orders: number }[];
/** What becomes of an order's act; the default ends it. */
let fate: (orderId: string) => 'ends' | 'set_aside' | 'unchanged' | 'fails';
let readFails: boolean;
let sweep: Sweep;

const orders = (count: number, prefix = 'o', saleNo = 1): DueOrder[] =>
  Array.from({ length: count }, (_, at) => ({ saleNo, orderId: `${prefix}${at}` as OrderId }));

function submit(act: Act): Promise<Verdict> {
  if (act.kind !== 'expire') throw new Error(`unexpected ${act.kind}`);
  sent.push(act.orderId);
  const its = fate(act.orderId);
  if (its === 'fails') return Promise.reject(new Error('disk full'));
  if (its !== 'unchanged') due = due.filter((order) => order.orderId !== act.orderId);
  if (its === 'set_aside') return Promise.resolve({ outcome: 'set_aside', reason: 'its quantity is -1' });
  return Promise.resolve({ outcome: 'order', changed: its === 'ends' } as Verdict);
}

beforeEach(() => {
  vi.useFakeTimers();
  due = [];
  sent = [];
  reads = 0;
  setAside = [];
  faults = [];
  fate = () => 'ends';
  readFails = false;
  sweep = new Sweep({
    kind: 'expire',
    due: (limit) => {
      reads++;
      return readFails ? Promise.reject(new Error('cannot read')) : Promise.resolve(due.slice(0, limit));
    },
    saleByNo: (saleNo) => Promise.resolve(saleNo === 404 ? null : { submit }),
    monotonicMs: () => performance.now(),
    onSetAside: (order, reason) => setAside.push(`${order.orderId}: ${reason}`),
    onFault: (error, count) => faults.push({ error, orders: count }),
  });
});

afterEach(async () => {
  await sweep.stop();
  vi.useRealTimers();
});

describe('one pass', () => {
  test.each([0, 1, 511, 512, 513, 2000])('ends all of %i due orders, each by one act', async (count) => {
    due = orders(count);
    await sweep.pass();
    expect(due).toEqual([]);
    expect(sent).toHaveLength(count);
    expect(new Set(sent).size).toBe(count);
    expect(faults).toEqual([]);
  });

  test('99 good records and a corrupt one: 99 end in this pass, the one is set aside and reported', async () => {
    due = orders(100);
    fate = (orderId) => (orderId === 'o37' ? 'set_aside' : 'ends');
    await sweep.pass();
    expect(due).toEqual([]);
    expect(setAside).toEqual(['o37: its quantity is -1']);
  });

  test('a sale whose acts all fail does not hold up another, however many are due in it', async () => {
    due = [...orders(1500, 'bad'), ...orders(20, 'good')];
    fate = (orderId) => (orderId.startsWith('bad') ? 'fails' : 'ends');
    await sweep.pass();
    expect(due.filter((order) => order.orderId.startsWith('good'))).toEqual([]);
    expect(sent.filter((orderId) => orderId === 'bad0')).toHaveLength(1);
    expect(faults.reduce((sum, fault) => sum + fault.orders, 0)).toBe(1500);
  });

  test('an order of no known sale is reported, the others end', async () => {
    due = [...orders(1, 'lost', 404), ...orders(3)];
    await sweep.pass();
    expect(sent).toHaveLength(3);
    expect(faults).toHaveLength(1);
  });

  test('orders that do not change do not make it spin', async () => {
    due = orders(512);
    fate = () => 'unchanged';
    await sweep.pass();
    expect(sent).toHaveLength(512);
    expect(reads).toBeLessThan(10);
  });
});

describe('by itself', () => {
  test('what becomes due ends within half a second, without traffic', async () => {
    sweep.start();
    await vi.advanceTimersByTimeAsync(10_000);
    due = orders(3);
    await vi.advanceTimersByTimeAsync(500);
    expect(due).toEqual([]);
  });

  test('a failed act is tried again within 2 s; a failed read at the next look', async () => {
    sweep.start();
    due = orders(1);
    let failures = 1;
    fate = () => (failures-- > 0 ? 'fails' : 'ends');
    await vi.advanceTimersByTimeAsync(300);
    expect(faults).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1700);
    expect(due).toEqual([]);

    readFails = true;
    due = orders(1);
    await vi.advanceTimersByTimeAsync(600);
    expect(due).toHaveLength(1);
    readFails = false;
    await vi.advanceTimersByTimeAsync(600);
    expect(due).toEqual([]);
  });

  test('stop: no look afterwards', async () => {
    sweep.start();
    await vi.advanceTimersByTimeAsync(1000);
    await sweep.stop();
    const before = reads;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reads).toBe(before);
  });
});
