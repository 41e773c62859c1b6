/** Nothing that goes wrong in a run of tests may be counted as success: each way to fail, provoked in a small folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runVitest } from '../../scripts/lib/vitest-run.mjs';

/** @type {string[]} */
const folders = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs vitest over these files. @param {Record<string, string>} files @param {number} [limitMs] */
const outcomeOf = async (files, limitMs = 60_000) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-vitest-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const outcome = await runVitest({ root: folder, args: ['--globals', '--maxWorkers=1'], stream: false, limitMs });
  return { counts: [outcome.passed, outcome.failed], skipped: outcome.skipped, problems: outcome.problems.join() };
};

/** @param {number} pid @returns {boolean} */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const good = "it('holds', () => {});";

/** @type {{ what: string, files: Record<string, string>, limitMs?: number, counts: number[], problem: string | RegExp }[]} */
const cases = [
  { what: 'good tests', files: { 'a.test.js': good, 'b.test.js': good }, counts: [2, 0], problem: '' },
  {
    what: 'a failed test',
    files: { 'a.test.js': `${good}; it('fails', () => { throw new Error('no'); });` },
    counts: [1, 1],
    problem: '',
  },
  {
    what: 'a file that does not load',
    files: { 'a.test.js': good, 'b.test.js': "import './absent.js';" },
    counts: [1, 1],
    problem: '',
  },
  {
    what: 'a beforeAll that throws',
    files: { 'a.test.js': `beforeAll(() => { throw new Error('no'); }); ${good}` },
    counts: [0, 1],
    problem: '',
  },
  {
    what: 'an error outside the tests',
    files: {
      'a.test.js': `it('waits', async () => { setTimeout(() => { throw new Error('no'); }, 1); await new Promise((r) => setTimeout(r, 50)); });`,
    },
    counts: [1, 1],
    problem: '',
  },
  { what: 'no test file', files: {}, counts: [0, 1], problem: /no test was executed|before its tests/ },
  {
    what: 'only skipped tests',
    files: { 'a.test.js': "it.skip('later', () => {});" },
    counts: [0, 1],
    problem: 'no test was executed',
  },
  {
    what: 'a worker that dies',
    files: { 'a.test.js': good, 'b.test.js': "it('dies', () => { process.kill(process.pid, 'SIGKILL'); });" },
    counts: [1, 1],
    problem: '',
  },
  {
    what: 'a run that hangs',
    files: { 'a.test.js': "it('hangs', () => { for (;;); });" },
    limitMs: 4_000,
    counts: [0, 1],
    problem: 'did not end within 4 s',
  },
];

describe('runVitest', () => {
  for (const { what, files, limitMs, counts, problem } of cases) {
    it(`counts ${what}`, async () => {
      const outcome = await outcomeOf(files, limitMs);
      expect(outcome.counts).toEqual(counts);
      if (problem === '') expect(outcome.problems).toBe('');
      else expect(outcome.problems).toMatch(problem);
    });
  }

  it('leaves nothing running that a test forgot', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-vitest-'));
    folders.push(folder);
    const pidFile = path.join(folder, 'pid');
    const forgets = `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      it('forgets', () => {
        const child = spawn('sleep', ['60'], { stdio: 'inherit' });
        child.unref();
        writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      });`;
    expect((await outcomeOf({ 'a.test.js': forgets })).counts).toEqual([1, 0]);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  });

  it('names what was skipped', async () => {
    const { skipped } = await outcomeOf({ 'a.test.js': `${good}; it.skip('later', () => {});` });
    expect(skipped).toEqual(['a.test.js: later']);
  });
});
