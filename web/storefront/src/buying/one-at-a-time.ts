/** Runs a step so that no other tab of this origin is in the middle of it. */
import { sleep } from '../time/waits.ts';
import type { Kept } from './attempt.ts';

/** Longer than two tabs need to see what the other has written. */
const SETTLE_MS = 60;

/**
 * With Web Locks where there are some (secure contexts). Elsewhere the step is run, and after a moment once more: the
 * tab that wrote last has won, and the step of the other one finds what it wrote.
 */
export async function oneAtATime<T>(name: string, kept: Kept, step: () => T): Promise<T> {
  if (typeof navigator !== 'undefined' && navigator.locks) return navigator.locks.request(name, async () => step());
  step();
  await sleep(SETTLE_MS);
  kept.getItem(name);
  return step();
}
