/** What a broken engine is: a name, what is wrong with it, and the cases that must catch it. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Act } from '../../../src/core/act.ts';
import { decide } from '../../../src/core/decide.ts';
import type { MemoryBooks } from '../../../src/core/memory-books.ts';
import type { Decision, State } from '../../../src/core/state.ts';
import { createMemoryEngine, type MemoryParts } from '../../../src/inventory/conformance/memory-engine.ts';
import type { Engine } from '../../../src/inventory/contract.ts';

export interface BrokenEngine {
  readonly name: string;
  /** How shops come to have this fault. */
  readonly what: string;
  readonly parts: MemoryParts;
  /** Names of cases, in full: each must fail. */
  readonly caughtBy: readonly string[];
}

type Rules = typeof decide;

/** `decide`, shown a state that is not the true one. */
export const rulesOver =
  (seen: (state: State, acts: readonly Act[]) => Partial<State>): Rules =>
  (state, acts, now) =>
    decide({ ...state, ...seen(state, acts) }, acts, now);

/** `decide`, and then something done to the difference. */
export const rulesThen =
  (done: (decision: Decision, state: State, acts: readonly Act[]) => Decision): Rules =>
  (state, acts, now) =>
    done(decide(state, acts, now), state, acts);

/**
 * An engine that looks first and acts a moment later: what `look` read is what its rules go by, whatever has
 * happened since. The classic race, with its pause made long enough to be sure.
 */
export function lookThenAct<T>(
  look: (books: MemoryBooks, saleNo: number) => T,
  seen: (looked: T) => Partial<State>,
): MemoryParts {
  let goBy: T | null = null;
  const rules: Rules = (state, acts, now) => decide(goBy === null ? state : { ...state, ...seen(goBy) }, acts, now);
  const engineOver = (books: MemoryBooks): Engine => ({
    ...createMemoryEngine(books),
    act: async ({ saleNo, acts }) => {
      const looked = look(books, saleNo);
      await turn();
      goBy = looked;
      try {
        return books.run(saleNo, acts);
      } finally {
        goBy = null;
      }
    },
  });
  return { rules, engineOver };
}
