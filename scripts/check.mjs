/**
 * `npm run check`: everything that needs no server and no installation, in under a minute. One line a step; the output
 * of a step that failed; exit 1 if any did.
 */
import { performance } from 'node:perf_hooks';
import { exitOnSignals } from './lib/run-process.mjs';
import { build, quickTests, runSteps, staticSteps } from './lib/steps.mjs';

exitOnSignals();
const failed = await runSteps([build, ...staticSteps, quickTests]);
const seconds = (performance.now() / 1000).toFixed(1);
console.log(failed.length === 0 ? `all is well (${seconds} s)` : `failed: ${failed.join(', ')} (${seconds} s)`);
process.exitCode = failed.length === 0 ? 0 : 1;
