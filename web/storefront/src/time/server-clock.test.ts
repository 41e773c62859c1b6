import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ServerClock } from './server-clock.ts';

/** Unequal ways, an answer that the server gave at some instant in between, a monotonic clock of its own. */
const trips = fc.array(fc.record({ waitMs: fc.nat(5_000), outMs: fc.nat(3_000), backMs: fc.nat(3_000) }), {
  minLength: 1,
  maxLength: 8,
});

it('is within half the shortest round trip of the truth, however unequal the ways', () => {
  fc.assert(
    fc.property(trips, fc.integer({ min: 0, max: 2e12 }), fc.nat(1e7), (given, epochMs, startMs) => {
      const clock = new ServerClock();
      let atMs = startMs;
      let bestMs = Number.POSITIVE_INFINITY;
      for (const { waitMs, outMs, backMs } of given) {
        const sentMs = atMs + waitMs;
        atMs = sentMs + outMs + backMs;
        clock.add({ sentMs, gotMs: atMs, serverMs: epochMs + sentMs + outMs });
        bestMs = Math.min(bestMs, (outMs + backMs) / 2);
      }
      const wrongMs = Math.abs((clock.at(atMs) as number) - (epochMs + atMs));
      // An older reading may lose to a slightly longer, fresher one: by no more than the drift allowed for it.
      expect(wrongMs).toBeLessThanOrEqual(bestMs + (atMs - startMs) * 0.0001 + 1e-3);
    }),
  );
});

it('is within a second where one of the round trips took less than two', () => {
  fc.assert(
    fc.property(trips, fc.nat(1_900), fc.double({ min: 0, max: 1, noNaN: true }), (given, tripMs, share) => {
      const clock = new ServerClock();
      let atMs = 0;
      for (const { outMs, backMs } of [...given, { outMs: tripMs * share, backMs: tripMs * (1 - share) }]) {
        clock.add({ sentMs: atMs, gotMs: atMs + outMs + backMs, serverMs: 1e12 + atMs + outMs });
        atMs += outMs + backMs;
      }
      expect(Math.abs((clock.at(atMs) as number) - (1e12 + atMs))).toBeLessThan(1_000);
    }),
  );
});

it('notices a sleep and a set clock, and is right again after one reading', () => {
  fc.assert(
    fc.property(fc.integer({ min: 501, max: 1e9 }), fc.boolean(), fc.nat(1_900), (byMs, isSleep, tripMs) => {
      const clock = new ServerClock();
      clock.add({ sentMs: 0, gotMs: 2, serverMs: 1e12 + 1 });
      expect(clock.hasSlept(1_000, 5e11)).toBe(false);
      expect(clock.hasSlept(2_000, 5e11 + 1_000)).toBe(false);
      // A sleep moves the wall clock forward while the monotonic one stands; a set clock may go either way.
      expect(clock.hasSlept(3_000, 5e11 + 2_000 + (isSleep ? byMs : -byMs))).toBe(true);
      const truthMs = 1e12 + 3_000 + (isSleep ? byMs : 0);
      clock.add({ sentMs: 3_000, gotMs: 3_000 + tripMs, serverMs: truthMs + tripMs });
      const wrongMs = Math.abs((clock.at(3_000 + tripMs) as number) - (truthMs + tripMs));
      expect(wrongMs).toBeLessThanOrEqual(tripMs / 2);
      expect(clock.hasSlept(4_000, 5e11 + 3_000 + (isSleep ? byMs : -byMs))).toBe(false);
    }),
  );
});

it('says nothing while it knows nothing', () => {
  const clock = new ServerClock();
  expect(clock.at(5)).toBeNull();
});
