import { expect, it } from 'vitest';
import { HoldClock } from './hold-clock.ts';

// An hour in milliseconds: the size of the clock's jumps below.
const HOUR = 3_600_000;

it('lets a hold end when its time has passed on the monotonic clock', () => {
  const clock = new HoldClock(1_000_000);
  clock.note(1, 1_000_000);
  expect(clock.isDue(1, 1_000_000 + 5_000, 4_000)).toBe(false);
  expect(clock.isDue(1, 1_000_000 + 5_000, 5_010)).toBe(true);
});

it('keeps a hold through a forward jump until its seconds have really passed (I6)', () => {
  const clock = new HoldClock(0);
  clock.note(1, 0);
  clock.note(2, HOUR);
  // Order 1 was made at 0 and expires at 5 s; the wall clock then jumped an hour: by it the hold is long over.
  expect(clock.isDue(1, 5_000, 1_000)).toBe(false);
  expect(clock.isDue(1, 5_000, 5_010)).toBe(true);
  // Order 2 was made after the jump, at one second of monotonic time.
  expect(clock.isDue(2, HOUR + 6_000, 5_900)).toBe(false);
  expect(clock.isDue(2, HOUR + 6_000, 6_010)).toBe(true);
});

it('judges orders of an earlier process by the difference at its own start', () => {
  const clock = new HoldClock(HOUR);
  clock.note(100, HOUR);
  expect(clock.isDue(7, HOUR - 1, 10)).toBe(true);
});

it('forgets nothing that could end a hold early when it has noted more jumps than it keeps', () => {
  const clock = new HoldClock(0);
  for (let jump = 1; jump <= 10_000; jump++) clock.note(jump, jump * 100);
  expect(clock.isDue(9_999, 9_999 * 100 + 5_000, 4_000)).toBe(false);
  expect(clock.isDue(9_999, 9_999 * 100 + 5_000, 5_010)).toBe(true);
  expect(clock.isDue(1, 100 + 5_000, 5_000)).toBe(false);
});

it('knows a time past which nothing can be due', () => {
  const clock = new HoldClock(0);
  clock.note(1, HOUR);
  clock.note(2, 0);
  expect(clock.latestMs(1_000)).toBe(HOUR + 1_000);
});
