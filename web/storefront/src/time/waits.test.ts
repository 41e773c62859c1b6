import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs, type PollFacts, pollMs } from './waits.ts';

const facts = (change: Partial<PollFacts> = {}): PollFacts => ({
  phase: 'open',
  toOpeningMs: null,
  toEndMs: null,
  poll: { afterMs: 1_000, jitterMs: 500 },
  isHidden: false,
  failures: 0,
  ...change,
});

it.each([
  ['open', facts(), 0, 1_000],
  ['open, spread', facts(), 1, 1_500],
  ['a moment before the opening', facts({ phase: 'scheduled', toOpeningMs: 800 }), 0.5, 1_050],
  ['at the opening, while the file is late', facts({ phase: 'scheduled', toOpeningMs: -20 }), 0, 1_000],
  ['40 days ahead', facts({ phase: 'scheduled', toOpeningMs: 40 * 86_400_000 }), 0, 10_000],
  ['opened by hand', facts({ phase: 'scheduled' }), 0, 4_000],
  ['hidden', facts({ isHidden: true }), 0, 15_000],
  ['the end is near', facts({ toEndMs: 300 }), 0, 300],
  ['ended', facts({ phase: 'ended', poll: { afterMs: 30_000, jitterMs: 15_000 }, toEndMs: 300 }), 0, 30_000],
  ['after a failure', facts({ failures: 1 }), 0.5, 1_000],
])('%s', (_name, given, chance, expected) => {
  expect(pollMs(given, chance)).toBeCloseTo(expected);
});

it('backs off to half a minute, spread over as much again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
      const waitMs = backoffMs(failures, chance);
      expect(waitMs).toBeGreaterThanOrEqual(500);
      expect(waitMs).toBeLessThanOrEqual(45_000);
    }),
  );
  expect(backoffMs(4, 0.5)).toBe(8_000);
});

it('never sets a timer that a browser would fire at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e12, max: 1e14 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (toOpeningMs, chance) => {
        const waitMs = pollMs(facts({ phase: 'scheduled', toOpeningMs }), chance);
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThan(2 ** 31);
      },
    ),
  );
});
