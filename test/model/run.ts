/**
 * The model test by hand: `node --import tsx test/model/run.ts [--operations 1000000] [--seed 1]`. Runs sales on the
 * core until that many operations are done; a failure prints its seed and a shrunk transcript, and exits 1.
 */
import { parseArgs } from 'node:util';
import { textOfFailure } from './failure-text.ts';
import { run, shrink } from './simulate.ts';

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
});
const [operations, seed] = [Number(values.operations), Number(values.seed)];
if (!Number.isSafeInteger(operations) || operations < 1 || !Number.isSafeInteger(seed)) {
  console.error('--operations and --seed are whole numbers');
  process.exit(2);
}

const startedAt = performance.now();
const result = run({ operations, seed });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
if (result.failure === null) {
  console.log(
    `${result.operations} operations in ${result.sales} sales, seed ${seed}: nothing to object to (${seconds} s)`,
  );
} else {
  const { saleSeed } = result.failure;
  console.log(`seed ${seed}, sale seed ${saleSeed}, after ${result.operations} operations:\n`);
  console.log(textOfFailure(shrink(result.failure)));
  process.exit(1);
}
