/** Waiting without hope: a probe is asked until it has an answer, or the deadline passes and says what was missing. */
import { setTimeout as delay } from 'node:timers/promises';

/** Asks `probe` every 20 ms until it hands back something other than undefined or false; throws after `withinMs`. */
export async function until<T>(
  what: string,
  withinMs: number,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadlineMs = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what}`, { cause: last });
    await delay(20);
  }
}

/** Small seeded generator (mulberry32): the same seed, the same choices. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed of this run: `CRASH_SEED`, else one made from the clock; every test prints the one it used. */
export const runSeed = (): number => Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

/** Runs `act` over `items`, `lanes` at a time. */
export async function inLanes<T>(items: readonly T[], lanes: number, act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of queue) await act(item);
    }),
  );
}
