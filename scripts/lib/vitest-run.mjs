/**
 * Runs vitest once and says how many tests passed and failed. Nothing that went wrong can read as success: a crash, a
 * time-out, a run that ended early, an exit code without a failed test, and no test at all each count as one failed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProcess } from './run-process.mjs';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const reporter = fileURLToPath(new URL('./tally-reporter.mjs', import.meta.url));

/**
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped
 * @property {string[]} problems what is wrong beside failed tests, in words
 * @property {string} output empty when it was streamed
 */

/** @param {string} file @returns {import('./tally-reporter.mjs').Tally} */
const readTally = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: [], finished: false };
  }
};

/**
 * @param {{ root: string, args: string[], stream: boolean, limitMs: number }} options
 * @returns {Promise<Outcome>}
 */
export const runVitest = async ({ root, args, stream, limitMs }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-tally-'));
  const file = path.join(folder, 'tally.json');
  try {
    const { code, timedOut, output } = await runProcess({
      command: [process.execPath, vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...args],
      cwd: root,
      env: { DOORBUSTER_TALLY_FILE: file },
      stream,
      limitMs,
    });
    const tally = readTally(file);
    /** @type {string[]} */
    const problems = [];
    if (timedOut) problems.push(`vitest did not end within ${Math.round(limitMs / 1000)} s and was killed`);
    else if (!tally.finished) problems.push(`vitest ended before its tests did (${code})`);
    else if (tally.passed + tally.failed === 0) problems.push('no test was executed');
    else if (code !== 0 && tally.failed === 0) problems.push(`vitest ended with ${code}, but no test failed`);
    return { passed: tally.passed, failed: tally.failed + problems.length, skipped: tally.skipped, problems, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
