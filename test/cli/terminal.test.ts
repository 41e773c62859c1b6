/**
 * The commands as a person at a terminal meets them, on one server: sale create by questions, the live view of a sale,
 * colours where they belong, the first word of serve, completion in a real bash.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { cliPath, newFolder, startServer, type TestServer } from '../support/server.ts';
import { CTRL_C, CTRL_D, hangUpAll, PseudoTerminal } from './support/pseudo-terminal.ts';
import { framesOf } from './support/screen.ts';

const ESC = String.fromCharCode(27);

let server: TestServer;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = newFolder();
  server = await startServer();
  env = { DOORBUSTER_URL: server.url, DOORBUSTER_DATA: server.data };
});
afterAll(async () => {
  await hangUpAll();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const terminal = (...args: string[]): PseudoTerminal => new PseudoTerminal(args, { cwd: folder, env });

/** Answers each question once it is asked: `[what is asked, what is typed]`. */
async function answer(at: PseudoTerminal, answers: readonly (readonly [string | RegExp, string])[]): Promise<void> {
  let from = 0;
  for (const [question, typed] of answers) {
    from = (await at.shows(question, from)) + 1;
    at.type(`${typed}\r`);
  }
}

/** The questions up to the opening, answered. */
const untilOpening = (change: Record<string, string> = {}): [string, string][] =>
  Object.entries({
    'Title of the sale': 'Herbstverkauf: T-Shirts',
    'Its id [herbstverkauf-t-shirts]': '',
    'What is sold [Herbstverkauf: T-Shirts]': 'T-Shirt M',
    'Its article code [t-shirt-m]': '',
    Price: '25.50 eur',
    'Units for sale [100]': '40',
    'Time zone [': 'Europe/Berlin',
    ...change,
  });

/** Those after the end. */
const REST: [string, string][] = [
  ['Limit per buyer [1]', '2'],
  ['Seconds to pay [300]', ''],
  ['Guests [no]', 'yes'],
  ['Demo payment [no]', ''],
];

describe('sale create by questions', () => {
  it('H039 times that are not, or are twice, are refused at once, as are answers that cannot be; a summary; what is next', async () => {
    const at = terminal('sale', 'create');
    await answer(at, [
      ...untilOpening({ Price: '25,50' }).slice(0, 5),
      ['An amount and a currency', '25.50 eur'],
      ['Units for sale [100]', '40'],
      ['Time zone [', 'Berlin'],
      ['The name of a zone', 'Europe/Berlin'],
      ['Opens', '2031-03-30 02:30'],
      [/does not exist in Europe\/Berlin.*2031-03-30 01:59 and 2031-03-30 03:00/, '2031-10-26 02:30'],
      [/1 {2}2031-10-26 02:30 UTC\+02:00[\s\S]*2 {2}2031-10-26 02:30 UTC\+01:00[\s\S]*Which one/, '3'],
      ['1 for the earlier one', '2'],
      ['Ends', '2031-10-26 02:15'],
    ]);
    await at.shows('A time after the opening');
    at.type('\r');
    await answer(at, REST);
    const summary = await at.shows('Make it? [yes]');
    at.type('\r');
    expect(await at.ended()).toBe(0);
    const said = at.screen.lines.join('\n');
    expect(said).toMatch(/Opens +2031-10-26 02:30 UTC\+01:00, Europe\/Berlin/);
    expect(said).toContain('40 of T-Shirt M (t-shirt-m) at 25.50 EUR');
    expect(at.output.slice(summary)).toMatch(
      /herbstverkauf-t-shirts is draft[\s\S]*sale schedule herbstverkauf-t-shirts/,
    );
    expect(at.output).toContain(`${server.url}/sales/herbstverkauf-t-shirts`);
    const made = await server.merchant('GET', '/v1/merchant/sales/herbstverkauf-t-shirts');
    expect(made.body).toMatchObject({
      title: 'Herbstverkauf: T-Shirts',
      phase: 'draft',
      opensAt: '2031-10-26T01:30:00.000Z',
      endsAt: null,
      timeZone: 'Europe/Berlin',
      currency: 'EUR',
      items: [{ sku: 't-shirt-m', title: 'T-Shirt M', priceMinor: 2550, stock: 40 }],
      limitPerBuyer: 2,
      holdSeconds: 300,
      guests: true,
      demoPayment: false,
    });
  });

  test.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('%s in the middle: exit 1, nothing was made', async (_, key) => {
    const at = terminal('sale', 'create');
    await at.shows('Title of the sale');
    at.type('Never\r');
    await at.shows('Its id [never]');
    at.type(key);
    expect(await at.ended()).toBe(1);
    expect(at.output).toContain('nothing was made');
    expect((await server.merchant('GET', '/v1/merchant/sales/never')).status).toBe(404);
  });

  test('questions go to stderr, so that --json can go into a file', async () => {
    const file = path.join(folder, 'made.json');
    const at = new PseudoTerminal(['sale', 'create', '--json'], { cwd: folder, env, stdout: file });
    await answer(at, [
      ...untilOpening({ 'Its id [herbstverkauf-t-shirts]': 'by-json' }),
      ['Opens', ''],
      ['Ends', ''],
      ...REST,
      ['Make it?', 'y'],
    ]);
    expect(await at.ended()).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ saleId: 'by-json', opensAt: null });
  });

  test('no key is told before the first question', async () => {
    const at = new PseudoTerminal(['sale', 'create'], { cwd: folder });
    expect(await at.ended()).toBe(2);
    expect(at.output).toMatch(/no merchant key.*data folder/);
    expect(at.output).not.toContain('Title of the sale');
  });
});

describe('sale show', () => {
  test('--watch draws in place what changes, and ends with the sale; the cursor is back', async () => {
    const sale = await server.openSale({ saleId: 'watched' });
    const at = terminal('sale', 'show', 'watched', '--watch');
    await at.shows('0 sold, 0 held, 10 free');
    const made = await server.order(sale, 'ann', { quantity: 1 });
    await at.shows('0 sold, 1 held, 9 free');
    await server.pay(made.body);
    await at.shows('1 sold, 0 held, 9 free');
    expect(framesOf(at.output).at(-1)).toMatchObject({ isCursorShown: false, hasColours: true });
    await server.merchant('POST', '/v1/merchant/sales/watched/end');
    expect(await at.ended()).toBe(0);
    expect(at.screen.isCursorShown).toBe(true);
    expect(at.screen.lines.filter((line) => line.includes('sold,'))).toHaveLength(1);
    expect(at.screen.lines[0]).toMatch(/^watched is ended/);
  });

  test('Ctrl-C ends the view: exit 0, cursor back', async () => {
    await server.openSale({ saleId: 'left' });
    const at = terminal('sale', 'show', 'left', '--watch');
    await at.shows('10 free');
    at.type(CTRL_C);
    expect(await at.ended()).toBe(0);
    expect(at.screen.isCursorShown).toBe(true);
  });

  test('--watch into a pipe: a line for each change', async () => {
    await server.openSale({ saleId: 'piped' });
    await server.merchant('POST', '/v1/merchant/sales/piped/end');
    const ran = await runCommand(['sale', 'show', 'piped', '--watch'], { cwd: folder, env });
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      stdout: 'piped is ended; tee-m 0 sold, 0 held, 10 free; orders: none\n',
    });
  });

  test('colours on a terminal alone, and not with NO_COLOR', async () => {
    await server.openSale({ saleId: 'coloured' });
    const shown = terminal('sale', 'show', 'coloured');
    expect(await shown.ended()).toBe(0);
    expect(shown.screen.hasColours).toBe(true);
    const plain = new PseudoTerminal(['sale', 'show', 'coloured'], { cwd: folder, env: { ...env, NO_COLOR: '1' } });
    expect(await plain.ended()).toBe(0);
    expect(plain.output).not.toContain(ESC);
    const piped = await runCommand(['sale', 'show', 'coloured'], { cwd: folder, env });
    expect(piped.stdout).not.toContain(ESC);
    expect(piped.stdout).toMatch(/tee-m +10 +10 +0 +0 +25\.00 EUR {2}Tee M/);
  });
});

describe('serve', () => {
  test('a person at the terminal is told where things are and how to go on; stdout has its one line', async () => {
    const data = path.join(folder, 'first');
    const out = path.join(folder, 'stdout');
    const start = async (): Promise<string> => {
      const at = new PseudoTerminal(['serve', '--port', '0', '--data', data], { cwd: folder, stdout: out });
      await at.shows('openapi.json');
      await at.shows(' listening');
      at.type(CTRL_C);
      expect(await at.ended()).toBe(0);
      expect(readFileSync(out, 'utf8')).toMatch(/^doorbuster listening on http:\/\/127\.0\.0\.1:\d+\n$/);
      return at.output;
    };
    const first = await start();
    expect(first).toContain(path.join(data, 'merchant-key'));
    expect(first).toMatch(/http:\/\/127\.0\.0\.1:\d+\/sales\/\{saleId\}/);
    expect(first).toContain('doorbuster sale create');
    for (const name of ['merchant-key', 'buyer-secret'])
      expect(first).not.toContain(readFileSync(path.join(data, name), 'utf8').trim());
    const second = await start();
    expect(second).toContain(path.join(data, 'merchant-key'));
    expect(second).not.toContain('doorbuster sale create');
  });

  test('a log that is no terminal has none of it', () => {
    expect(server.logs()).not.toMatch(/merchant-key|sale create/);
  });
});

describe('completion', () => {
  const completed = async (line: string): Promise<string[]> => {
    const words = line.split(' ');
    const script = [
      `source <("${process.execPath}" "${cliPath}" completion bash)`,
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`,
      '[[ $(complete -p doorbuster) == *" -F _doorbuster "* ]] && _doorbuster && declare -p COMPREPLY',
    ].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], { cwd: folder });
    return [...stdout.matchAll(/\[\d+\]="([^"]*)"/g)].map(([, word = '']) => word);
  };

  test.each([
    ['doorbuster s', ['serve', 'sale']],
    ['doorbuster sale s', ['schedule', 'show']],
    ['doorbuster sale show x --w', ['--watch']],
    ['doorbuster demo --lang ', ['en', 'zh']],
    ['doorbuster keys rotate ', expect.arrayContaining(['merchant', 'buyer'])],
    ['doorbuster backup --t', ['--to']],
  ])('bash completes "%s"', async (line, expected) => expect(await completed(line)).toEqual(expected));

  test.each(['bash', 'zsh', 'fish'])('%s: every command and every option of the program is in it', async (shell) => {
    const { code, stdout } = await runCommand(['completion', shell], { cwd: folder });
    expect(code).toBe(0);
    for (const word of ['rotate', 'schedule', 'doctor', 'watch', 'reveal', 'trusted-proxies'])
      expect(stdout).toContain(word);
  });
});
