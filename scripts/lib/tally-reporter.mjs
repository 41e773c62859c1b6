/**
 * A vitest reporter that counts tests into the file named by DOORBUSTER_TALLY_FILE, anew after every test file, so that
 * a run that dies leaves what it had counted. Read by vitest-run.mjs.
 *
 * A test file that fails without a failed test (it does not load, its beforeAll threw) counts as one failed; so does
 * every error outside a test. `finished` is true only when vitest came to its regular end.
 */
import { writeFileSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: string[], finished: boolean }} Tally */

/** @typedef {import('vitest/node').Reporter} Reporter */
/** @implements {Reporter} */
export default class TallyReporter {
  /** @type {Tally} */
  tally = { passed: 0, failed: 0, skipped: [], finished: false };

  onTestRunStart() {
    this.write();
  }

  /** @param {import('vitest/node').TestModule} testModule */
  onTestModuleEnd(testModule) {
    let failed = 0;
    for (const test of testModule.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') this.tally.passed += 1;
      else if (state === 'skipped') this.tally.skipped.push(`${testModule.relativeModuleId}: ${test.fullName}`);
      else failed += 1;
    }
    if (failed === 0 && !testModule.ok()) failed = 1;
    this.tally.failed += failed;
    this.write();
  }

  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} _modules
   * @param {ReadonlyArray<unknown>} unhandledErrors
   * @param {import('vitest/node').TestRunEndReason} reason
   */
  onTestRunEnd(_modules, unhandledErrors, reason) {
    this.tally.failed += unhandledErrors.length;
    this.tally.finished = reason !== 'interrupted';
    this.write();
  }

  write() {
    const file = process.env.DOORBUSTER_TALLY_FILE;
    if (file) writeFileSync(file, JSON.stringify(this.tally));
  }
}
