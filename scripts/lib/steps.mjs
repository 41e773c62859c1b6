/**
 * The steps of a check: what each runs, what it waits for, and how they are run: two at a time, a line each when done,
 * a failed one with its output. Used by check.mjs and test.mjs.
 */
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { checkArchitecture } from './architecture.mjs';
import { judgePageSize } from './page-size.mjs';
import { runProcess } from './run-process.mjs';
import { runVitest } from './vitest-run.mjs';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Two cores are what a small machine has, and what CI has. */
const AT_ONCE = 2;
const STEP_LIMIT_MS = 5 * 60_000;

/**
 * @typedef {object} Result
 * @property {boolean} ok
 * @property {string} detail one line said beside the step's name
 * @property {string} output shown when it failed
 */
/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} after steps whose success it needs
 * @property {() => Promise<Result>} run
 */

const bin = (/** @type {string} */ file) => fileURLToPath(new URL(`../../node_modules/${file}`, import.meta.url));

/** @param {string} name @param {string[]} after @param {string[][]} commands run by node, one after another @returns {Step} */
const commandStep = (name, after, ...commands) => ({
  name,
  after,
  run: async () => {
    let output = '';
    for (const command of commands) {
      const done = await runProcess({
        command: [process.execPath, ...command],
        cwd: root,
        stream: false,
        limitMs: STEP_LIMIT_MS,
      });
      output += done.output;
      if (done.timedOut) output += `\nkilled after ${STEP_LIMIT_MS / 1000} s\n`;
      if (done.code !== 0) return { ok: false, detail: '', output };
    }
    return { ok: true, detail: '', output };
  },
});

/** @param {string} name @param {string[]} projects vitest projects @returns {Step} */
const vitestStep = (name, projects) => ({
  name,
  after: ['build'],
  run: async () => {
    const args = projects.map((project) => `--project=${project}`);
    const { passed, failed, problems, output } = await runVitest({ root, args, stream: false, limitMs: STEP_LIMIT_MS });
    const detail = [`${passed} tests passed`, ...(failed > 0 ? [`${failed} failed`] : []), ...problems].join(', ');
    return { ok: failed === 0, detail, output };
  },
});

/** @type {Step} */
const architecture = {
  name: 'architecture',
  after: [],
  run: async () => {
    const { faults, summary } = await checkArchitecture(root);
    return { ok: faults.length === 0, detail: summary, output: faults.join('\n') };
  },
};

/** @type {Step} */
const pageSize = { name: 'page size', after: ['build'], run: judgePageSize };

const biome = bin('@biomejs/biome/bin/biome');
const tsc = bin('typescript/bin/tsc');
/** Makes the second check of the types a matter of seconds. */
const typesSeen = bin('.cache/doorbuster-types.tsbuildinfo');

/** Some tests import the compiled product, and their types with it. */
export const build = commandStep('build', [], ['scripts/build.mjs']);

/** Everything that reads the code without running it. */
export const staticSteps = [
  commandStep(
    'types',
    ['build'],
    [tsc, '-p', 'tsconfig.json', '--noEmit', '--incremental', '--tsBuildInfoFile', typesSeen],
    [tsc, '-p', 'scripts/tsconfig.json'],
    [tsc, '-p', 'web/storefront/tsconfig.json', '--noEmit'],
  ),
  commandStep('format', [], [biome, 'format', '.']),
  commandStep('lint', [], [biome, 'lint', '--diagnostic-level=warn', '--error-on-warnings', '.']),
  architecture,
  pageSize,
  commandStep('dead code', [], [bin('knip/bin/knip.js'), '--no-progress', '--no-config-hints']),
  commandStep('promises', ['build'], [bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings']),
];

/** The tests that need no server: one run, since each start of vitest costs a second. */
export const quickTests = vitestStep('quick tests', ['core', 'embedded']);

/** @param {Step} step @returns {Promise<Result>} */
const runOne = async (step) => {
  const startedAt = performance.now();
  const result = await step.run().catch((error) => ({ ok: false, detail: '', output: String(error?.stack ?? error) }));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${result.ok ? 'ok    ' : 'FAILED'} ${step.name.padEnd(13)} ${seconds.padStart(5)} s  ${result.detail}`);
  if (!result.ok) console.log(`${result.output.trimEnd()}\n`);
  return result;
};

/**
 * Runs the steps, two at a time, in their order where nothing holds them back. A step whose predecessor failed is not run
 * and counts as failed.
 * @param {Step[]} steps
 * @param {string[]} [alreadyDone] names of steps that succeeded before
 * @returns {Promise<string[]>} the names of those that failed
 */
export const runSteps = async (steps, alreadyDone = []) => {
  const waiting = [...steps];
  const done = new Set(alreadyDone);
  /** @type {string[]} */
  const failed = [];
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  const start = (/** @type {Step} */ step) => {
    const run = runOne(step).then(({ ok }) => {
      running.delete(run);
      if (ok) done.add(step.name);
      else failed.push(step.name);
    });
    running.add(run);
  };
  while (waiting.length > 0 || running.size > 0) {
    for (const step of waiting.filter(({ after }) => after.some((name) => failed.includes(name)))) {
      waiting.splice(waiting.indexOf(step), 1);
      failed.push(step.name);
      console.log(`FAILED ${step.name.padEnd(13)}      not run: it needs ${step.after.join(', ')}`);
    }
    const ready = waiting.filter(({ after }) => after.every((name) => done.has(name))).slice(0, AT_ONCE - running.size);
    for (const step of ready) {
      waiting.splice(waiting.indexOf(step), 1);
      start(step);
    }
    if (running.size > 0) await Promise.race(running);
    else if (ready.length === 0 && waiting.length > 0) throw new Error(`steps wait for nothing: ${waiting[0]?.name}`);
  }
  return failed;
};
