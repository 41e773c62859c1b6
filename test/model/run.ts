/**
 * The model test by hand: `node --import tsx test/model/run.ts [--operations 1000000] [--seed 1] [--engine core|sqlite]`.
 * Runs sales until that many operations are done; a failure prints its seed and a shrunk transcript, and exits 1.
 * `sqlite` needs the build (`npm run build`).
 */
import { parseArgs } from 'node:util';
import { textOfEngineFailure, textOfFailure } from './failure-text.ts';
import { run, shrink } from './simulate.ts';

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    engine: { type: 'string', default: 'core' },
  },
});
const { engine } = values;
const [operations, seed] = [Number(values.operations), Number(values.seed)];
if (!Number.isSafeInteger(operations) || operations < 1 || !Number.isSafeInteger(seed)) {
  console.error('--operations and --seed are whole numbers');
  process.exit(2);
}
if (engine !== 'core' && engine !== 'sqlite') {
  console.error('--engine is core or sqlite');
  process.exit(2);
}

interface Outcome {
  readonly operations: number;
  readonly sales: number;
  readonly failure: { readonly saleSeed: number; readonly text: string } | null;
}

function onCore(): Outcome {
  const { failure, ...counts } = run({ operations, seed });
  if (failure === null) return { ...counts, failure };
  return { ...counts, failure: { saleSeed: failure.saleSeed, text: textOfFailure(shrink(failure)) } };
}

async function onSqlite(): Promise<Outcome> {
  const { LedgerEngines, sqliteSource } = await import('../support/ledger-engines.ts');
  const { runOnEngine } = await import('./engine.ts');
  const engines = new LedgerEngines(sqliteSource());
  try {
    const { failure, ...counts } = await runOnEngine({ operations, seed, subject: () => engines.subject() });
    if (failure === null) return { ...counts, failure };
    return { ...counts, failure: { saleSeed: failure.saleSeed, text: textOfEngineFailure(failure) } };
  } finally {
    await engines.close();
  }
}

const startedAt = performance.now();
const done = engine === 'core' ? onCore() : await onSqlite();
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
const counted = `${done.operations} operations in ${done.sales} sales on ${engine}, seed ${seed}`;
if (done.failure === null) console.log(`${counted}: nothing to object to (${seconds} s)`);
else {
  console.log(`${counted}, sale seed ${done.failure.saleSeed}:\n\n${done.failure.text}`);
  process.exitCode = 1;
}
