/**
 * The demo as a show: at a pseudo-terminal, in both languages, with the second sale tried by the very commands that it
 * prints, and ended by Ctrl-C. Small, so that it takes seconds.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { widthOf } from '../../src/cli/terminal/text-width.ts';
import { CTRL_C, hangUpAll, PseudoTerminal } from '../cli/support/pseudo-terminal.ts';
import { framesOf } from '../cli/support/screen.ts';
import { cliPath } from '../support/server.ts';

const SMALL = ['--shoppers', '300', '--stock', '20', '--seed', '5'];

afterAll(hangUpAll);

/** Each test has a folder of its own: they run side by side. */
async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-show-test-'));
  try {
    await test(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(await processesOf(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const show = (folder: string, args: readonly string[], columns = 80): PseudoTerminal =>
  new PseudoTerminal(['demo', ...SMALL, ...args], { cwd: folder, env: { TMPDIR: folder }, columns });

/** Processes whose command line names the folder: the demo's server has it as its data folder. */
async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  return stdout.split('\n').filter((line) => line.includes(folder));
}

/** Two at a time: a demo mostly waits, but four at once would starve each other. */
describe('at a terminal, to the end', () => {
  it.concurrent('draws the stampede, tells the verdict, and leaves a sale that can be tried by what it prints, until Ctrl-C', () =>
    inFolder(async (folder) => {
      const at = show(folder, []);
      await at.shows('Ctrl-C stops the server');
      await at.shows('opens in');
      expect(await processesOf(folder)).not.toEqual([]);
      const lines = at.screen.lines;
      for (const line of lines.filter((each) => !each.startsWith('    '))) expect(widthOf(line)).toBeLessThan(80);
      expect(lines.join('\n')).toMatch(/Verdict: yes, all 12\./);
      expect(lines.join('\n')).toMatch(/Shoppers {2}█+ {2}300 of 300 came/);
      const bars = framesOf(at.output).map((frame) => frame.lines.find((line) => line.includes('Stock')) ?? '');
      expect(bars.some((bar) => bar.includes('▒'))).toBe(true);
      expect(at.screen).toMatchObject({ isCursorShown: false, hasColours: true });

      const url = /http:\S+(?=\/sales\/try-it)/.exec(lines.join('\n'))?.[0] ?? '';
      const page = await fetch(`${url}/sales/try-it`);
      expect(page.status, await page.clone().text()).toBe(200);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(await (await fetch(`${url}/v1/sales/try-it/state`)).json()).toMatchObject({
        phase: 'scheduled',
        guests: true,
        demoPayment: true,
        limitPerBuyer: 1,
      });
      const exported = /export (DOORBUSTER_URL=\S+) (DOORBUSTER_DATA=\S+)/.exec(lines.join('\n'));
      const env = Object.fromEntries((exported?.slice(1) ?? []).map((each) => each.split('=') as [string, string]));
      const run = (...args: string[]) =>
        promisify(execFile)(process.execPath, [cliPath, ...args], { cwd: folder, env });
      // Opened before its minute is over: a test need not wait.
      await run('sale', 'open', 'try-it');
      const from = lines.findIndex((line) => line.includes('SALE='));
      const tour = lines.slice(from, from + 5).join('\n');
      const { stdout } = await promisify(execFile)('sh', ['-c', tour]);
      expect(JSON.parse(stdout)).toMatchObject({ saleId: 'try-it', status: 'held', quantity: 1 });
      expect((await run('books', 'demo-drop')).stdout).toContain('the books balance');
      expect((await run('sale', 'show', 'try-it')).stdout).toMatch(/bag +5 +4 +1 +0 /);
      await at.shows('0 sold, 1 held, 4 free');

      at.type(CTRL_C);
      expect(await at.ended(), at.output).toBe(0);
      expect(at.screen.isCursorShown).toBe(true);
      expect(at.screen.lines.join('\n')).toContain('Nothing was left behind');
    }));

  it.concurrent('in Chinese by --lang, with --once: ends by itself, every bar ends in one column', () =>
    inFolder(async (folder) => {
      const at = show(folder, ['--once', '--lang', 'zh'], 120);
      expect(await at.ended(), at.output).toBe(0);
      const { lines, isCursorShown } = at.screen;
      expect(isCursorShown).toBe(true);
      const text = lines.join('\n');
      expect(text).toMatch(/结论：是的，12 项全部兑现。/);
      expect(text).not.toContain('try-it');
      // Only names and figures are Latin.
      const latin = text.match(/[A-Za-z]{2,}/g) ?? [];
      expect([...new Set(latin)].sort()).toEqual(['Doorbuster', 'EUR', 'demo', 'drop', 'http', 'sneaker'].sort());
      for (const frame of framesOf(at.output)) {
        const bars = frame.lines.filter((line) => /^ {2}(?:顾客|库存) /.test(line));
        const ends = bars.map((line) => widthOf(/^.*[█▒░]/.exec(line)?.[0] ?? ''));
        expect(new Set(ends).size).toBeLessThanOrEqual(1);
      }
    }));
});

describe('cut short, and into a pipe', () => {
  it.concurrent('Ctrl-C in the middle of the stampede: exit 1, the cursor is back, no process and no folder stay', () =>
    inFolder(async (folder) => {
      const at = show(folder, []);
      await at.shows('Open for');
      at.type(CTRL_C);
      expect(await at.ended(), at.output).toBe(1);
      expect(at.screen.isCursorShown).toBe(true);
      expect(at.screen.lines.join('\n')).not.toContain('could not be run');
    }));

  it.concurrent('into a pipe it speaks the language of the locale, in plain lines', () =>
    inFolder(async (folder) => {
      const child = spawn(process.execPath, [cliPath, 'demo', ...SMALL], {
        env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder, LANG: 'zh_CN.UTF-8', LC_ALL: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stderr.setEncoding('utf8').on('data', (piece: string) => {
        stderr += piece;
      });
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        stdout += piece;
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code, stdout + stderr).toBe(0);
      expect(stderr).toBe('');
      expect(stdout).toMatch(/结论：是的/);
      expect(stdout).not.toContain(String.fromCharCode(27));
    }));
});
