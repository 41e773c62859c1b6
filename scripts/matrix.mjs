/**
 * `npm run test:matrix`: the full product of ledger × server processes × {conformance, transcripts, model, field, kills}
 * and the long forms of the tests on databases, printed as a table. Exit 1 unless every cell passed.
 * `npm run test:matrix -- field` runs the rows whose name contains a word.
 */
import { needs, obtain, thisSystem } from './lib/obtain.mjs';
import { exitOnSignals } from './lib/run-process.mjs';
import { build, root, runSteps } from './lib/steps.mjs';
import { runVitest } from './lib/vitest-run.mjs';

const CELL_LIMIT_MS = 60 * 60_000;
const COLUMNS = ['embedded', 'postgres:1', 'postgres:4', 'mariadb:1', 'mariadb:4'];

/** @typedef {{ files: string[], env?: Record<string, string> }} Run */

const only = (/** @type {string} */ column, /** @type {string[]} */ files) => ({
  files,
  env: { TEST_DATABASES: column.split(':')[0] ?? '', TEST_PROCESSES: column.split(':')[1] ?? '', TEST_WHOLE: '1' },
});

/** Each row says what it runs in a column; null: there is nothing of the kind. @type {Record<string, (column: string) => Run | null>} */
const ROWS = {
  'conformance and transcripts': (column) =>
    column === 'embedded'
      ? { files: ['test/conformance', 'test/transcripts'] }
      : only(column, ['test/databases/conformance.test.ts']),
  model: (column) =>
    column === 'embedded' ? { files: ['test/model'] } : only(column, ['test/databases/model.test.ts']),
  'field cases': (column) => ({ files: ['test/field'], env: column === 'embedded' ? {} : { FIELD_LEDGER: column } }),
  kills: (column) =>
    column === 'embedded' ? { files: ['test/crash'] } : only(column, ['test/databases/kills.test.ts']),
  'statements, leases, plans, starts': (column) =>
    column.endsWith(':4')
      ? only(
          column,
          ['clock', 'guards', 'leases', 'outage', 'plans', 'processes', 'schema', 'start', 'statements'].map(
            (name) => `test/databases/${name}.test.ts`,
          ),
        )
      : null,
};

exitOnSignals();
const got = obtain(needs, thisSystem);
if (!got.ready) {
  console.log(got.message);
  process.exit(1);
}
if ((await runSteps([build])).length > 0) process.exit(1);

const words = process.argv.slice(2);
const rows = Object.entries(ROWS).filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
const width = Math.max(...rows.map(([name]) => name.length));
const table = [['', ...COLUMNS]];
let failed = 0;
for (const [name, runOf] of rows) {
  const cells = [];
  for (const column of COLUMNS) {
    const run = runOf(column);
    if (run === null) {
      cells.push('-');
      continue;
    }
    console.log(`${name} on ${column}`);
    for (const key of ['FIELD_LEDGER', 'TEST_DATABASES', 'TEST_PROCESSES', 'TEST_WHOLE']) delete process.env[key];
    Object.assign(process.env, run.env ?? {});
    const done = await runVitest({ root, args: run.files, stream: true, limitMs: CELL_LIMIT_MS });
    failed += done.failed + done.problems.length;
    cells.push(done.failed + done.problems.length === 0 ? `${done.passed} passed` : `${done.failed} FAILED`);
  }
  table.push([name, ...cells]);
}
for (const [name = '', ...cells] of table)
  console.log([name.padEnd(width), ...cells.map((cell) => cell.padEnd(14))].join('  ').trimEnd());
process.exit(failed === 0 ? 0 : 1);
