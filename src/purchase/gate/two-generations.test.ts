/** The memory is bounded, and what is used stays. */
import { expect, it } from 'vitest';
import { TwoGenerations } from './two-generations.ts';

it('forgets what nobody asked for, and never holds more than twice its bound', () => {
  const memory = new TwoGenerations<number, number>(10);
  for (let at = 0; at < 100; at++) {
    memory.set(at, at);
    expect(memory.get(0)).toBe(0);
  }
  const kept = Array.from({ length: 100 }, (_, at) => memory.get(at)).filter((value) => value !== undefined);
  expect(kept.length).toBeLessThanOrEqual(20);
  expect(memory.get(50)).toBeUndefined();
});
