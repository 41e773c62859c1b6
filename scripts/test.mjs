/**
 * `npm test`: everything. First what the tests need beyond npm, then the build, the check's steps, and all tests of all
 * groups. The last line is `N passed, N failed`: tests, plus one failed for each step that failed and for a run of tests
 * that broke off or executed none. Exit 1 unless nothing failed.
 */
import { needs, obtain, thisSystem } from './lib/obtain.mjs';
import { exitOnSignals } from './lib/run-process.mjs';
import { build, root, runSteps, staticSteps } from './lib/steps.mjs';
import { runVitest } from './lib/vitest-run.mjs';

/** Far above what the tests take, below what a CI run may take. */
const TESTS_LIMIT_MS = 70 * 60_000;

/** @param {number} passed @param {number} failed @returns {never} */
const end = (passed, failed) => {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
};

exitOnSignals();
const got = obtain(needs, thisSystem);
if (!got.ready) {
  console.log(got.message);
  end(0, 1);
} else if (got.installed.length > 0) {
  console.log(`installed: ${got.installed.join(' ')}`);
}

if ((await runSteps([build])).length > 0) end(0, 1);
const failedSteps = await runSteps(staticSteps, [build.name]);
const { passed, failed, skipped, problems } = await runVitest({
  root,
  args: process.argv.slice(2),
  stream: true,
  limitMs: TESTS_LIMIT_MS,
});
for (const test of skipped) console.log(`skipped: ${test}`);
for (const step of failedSteps) console.log(`failed step: ${step}`);
for (const problem of problems) console.log(`failed: ${problem}`);
end(passed, failed + failedSteps.length);
