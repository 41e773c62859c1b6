/** The model test tested: faults put into `decide`, each of which it must notice, on seeds that the true one passes. */
import { afterAll, describe, expect, it } from 'vitest';
import { textOfFailure } from './failure-text.ts';
import { CoreCopies } from './mutants/load.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { run, shrink } from './simulate.ts';

const SEED = 20;
/** Most die within a few hundred; those that need a rare meeting get time. */
const OPERATIONS_MAX = 60_000;
/** A failure is there to be read. */
const SHRUNK_ACTS_MAX = 15;

const copies = new CoreCopies();
const lines: string[] = [];
afterAll(() => {
  copies.close();
  console.log(`mutant: operations until it was noticed, acts of the shrunk history, by what\n${lines.join('\n')}`);
});

it('there are at least ten, told apart', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(10);
});

it('the rules as they are, copied the same way, pass the same seed for as long as any mutant gets', async () => {
  const { failure, operations } = run({ operations: OPERATIONS_MAX, seed: SEED, rules: await copies.asItIs() });
  expect(failure === null ? null : textOfFailure(failure)).toBeNull();
  expect(operations).toBeGreaterThanOrEqual(OPERATIONS_MAX);
});

it('a mutant whose text is gone is an error, not a pass', async () => {
  const gone = { name: 'gone', file: 'decide.ts', find: 'no such text', replace: '' };
  await expect(copies.with(gone)).rejects.toThrow('stands 0 times');
});

describe('each is noticed', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s', async (name, mutant) => {
    const rules = await copies.with(mutant);
    const { failure, operations } = run({ operations: OPERATIONS_MAX, seed: SEED, rules });
    if (failure === null) return expect.fail(`not noticed in ${operations} operations`);
    const short = shrink(failure, rules);
    const acts = short.history.reduce((sum, step) => sum + step.acts.length, 0);
    lines.push(`${name}: ${operations}, ${acts}, ${short.what}`);
    expect(acts, textOfFailure(short)).toBeLessThanOrEqual(SHRUNK_ACTS_MAX);
  });
});
