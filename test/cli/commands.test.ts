/** The commands from the outside: help with an example, JSON for machines, exit codes; those of the API against a real server. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, runCommand } from '../support/command.ts';
import { newFolder, startServer, type TestServer } from '../support/server.ts';

const commands = [
  'serve',
  'demo',
  'sale create',
  'sale schedule',
  'sale open',
  'sale pause',
  'sale resume',
  'sale end',
  'sale show',
  'books',
  'keys show',
  'keys rotate',
  'migrate',
  'backup',
  'doctor',
  'completion',
];

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = newFolder();
  server = await startServer();
}, 30_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A command that finds the server by its flags, in a folder that has nothing to do with it. */
const run = (...args: string[]): Promise<Ran> => runCommand(args, { cwd: folder });
const ask = (...args: string[]): Promise<Ran> => run(...args, '--url', server.url, '--data', server.data);

const sale = (saleId: string) => ({
  saleId,
  title: 'Autumn drop',
  currency: 'EUR',
  items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 10 }],
});

/** One line on stderr, nothing on stdout. */
function expectFailure(ran: Ran, code: number, said: RegExp): void {
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  expect(ran.stderr).toMatch(said);
}

describe.concurrent('help', () => {
  test.each(commands)('%s --help: an example, --json, exit 0', async (command) => {
    const { code, stdout, stderr } = await run(...command.split(' '), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Examples?:\n\s+\$ .*doorbuster /);
    expect(stdout).toContain(`doorbuster ${command}`);
    expect(stdout).toContain('--json');
  });

  test('the list of commands here is that of the program', async () => {
    const root = (await run('--help')).stdout;
    for (const command of commands) expect(root).toMatch(new RegExp(`^ {2}${command.split(' ')[0]}\\b`, 'm'));
    const named = [...root.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect([...new Set(commands.map((command) => command.split(' ')[0])), 'help']).toEqual(named);
  });
});

describe.concurrent('wrong use: exit 2', () => {
  test.each([
    ['no command', []],
    ['an unknown command', ['sell']],
    ['an unknown act', ['sale', 'sell']],
    ['no act', ['sale']],
    ['an unknown option', ['books', 'x', '--colour']],
    ['a missing argument', ['books']],
    ['one argument too many', ['books', 'a', 'b']],
    ['a missing option', ['backup']],
    ['a number that is none', ['sale', 'create', '--stock', 'many']],
    ['a key that is none', ['keys', 'rotate', 'door']],
    ['no merchant key to be found', ['books', 'x']],
    ['an address that is none', ['books', 'x', '--url', 'localhost:8080']],
  ])('%s', async (_, args) => {
    const ran = await run(...args);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });
});

describe.concurrent('--json: what went wrong is JSON too, in one line on stderr', () => {
  const error = (ran: Ran): unknown => {
    expect(ran.stdout).toBe('');
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    return JSON.parse(ran.stderr);
  };

  test.each<[string, string[], number, string, RegExp]>([
    ['an unknown command', ['sell', '--json'], 2, 'wrong_use', /^unknown command 'sell'/],
    ['a missing argument', ['books', '--json'], 2, 'wrong_use', /saleId/],
    ['no key', ['books', 'x', '--json'], 2, 'no_key', /data folder/],
    ['a wrong setting', ['serve', '--port', 'x', '--json'], 2, 'wrong_setting', /--port/],
    ['nobody there', ['books', 'x', '--json', '--url', 'http://127.0.0.1:9'], 1, 'no_answer', /DOORBUSTER_URL/],
  ])('%s', async (_, args, exitCode, code, message) => {
    const env = code === 'no_answer' ? { DOORBUSTER_MERCHANT_KEY: server.merchantKey } : {};
    const ran = await runCommand(args, { cwd: folder, env });
    expect(error(ran)).toEqual({ error: { code, message: expect.stringMatching(message), exitCode } });
    expect(ran.code).toBe(exitCode);
  });

  test('a refusal of the server keeps its code', async () => {
    expect(error(await ask('sale', 'show', 'nobody', '--json'))).toMatchObject({
      error: { code: 'not_found', exitCode: 1 },
    });
  });
});

describe('sale and books', () => {
  test('from a few flags to the end, each act in words', async () => {
    const flags = ['--title', 'Autumn drop', '--sku', 'tee-m', '--stock', '10', '--price', '2500', '--currency', 'EUR'];
    const made = await ask('sale', 'create', '--id', 'flags', ...flags);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^flags is draft.*Autumn drop/);
    expect(made.stdout).toContain('tee-m: 10 at 25.00 EUR');
    for (const [act, phase] of [
      ['schedule', 'scheduled'],
      ['open', 'open'],
      ['pause', 'paused'],
      ['resume', 'open'],
      ['end', 'ended'],
    ] as const) {
      const done = await ask('sale', act, 'flags');
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect(done.stdout).toMatch(new RegExp(`^flags is ${phase} `));
    }
    expect((await ask('sale', 'show', 'flags')).stdout).toMatch(/^flags is ended /);
  });

  test('from a file and from standard input; --json is what the API answered', async () => {
    writeFileSync(path.join(folder, 'sale.json'), JSON.stringify(sale('file')));
    const made = await ask('sale', 'create', '--file', 'sale.json', '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ saleId: 'file', phase: 'draft' });
    const where = ['--url', server.url, '--data', server.data];
    const piped = await runCommand(['sale', 'create', '--file', '-', '--json', ...where], {
      cwd: folder,
      stdin: JSON.stringify(sale('piped')),
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ saleId: 'piped' });
    const shown = JSON.parse((await ask('sale', 'show', 'piped', '--json')).stdout);
    expect(shown).toEqual((await server.merchant('GET', '/v1/merchant/sales/piped')).body);
  });

  test('books: a table, JSON, exit 0 where they balance', async () => {
    const open = await server.openSale();
    expect((await server.order(open, 'ann', { quantity: 1 })).status).toBe(201);
    const said = await ask('books', open.saleId);
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toMatch(/tee-m +10 +9 +1 +0 +0\n/);
    expect(said.stdout).toMatch(/1 held\nthe books balance/);
    const json = JSON.parse((await ask('books', open.saleId, '--json')).stdout);
    expect(json).toEqual(await server.books(open.saleId));
  });

  test('the answer is no: exit 1, the code and the reason in one line', async () => {
    expectFailure(await ask('sale', 'show', 'nobody'), 1, /not_found/);
    expectFailure(await ask('books', 'nobody'), 1, /not_found/);
    await server.merchant('POST', '/v1/merchant/sales', sale('twice'));
    writeFileSync(path.join(folder, 'twice.json'), JSON.stringify(sale('twice')));
    expectFailure(await ask('sale', 'create', '--file', 'twice.json'), 1, /already_exists/);
    expectFailure(await ask('sale', 'pause', 'twice'), 1, /wrong_state/);
  });

  test('what was sent is not valid: exit 2, with the field', async () => {
    writeFileSync(path.join(folder, 'bad.json'), JSON.stringify({ ...sale('bad'), holdSeconds: 1 }));
    expectFailure(await ask('sale', 'create', '--file', 'bad.json'), 2, /invalid.*holdSeconds/);
    writeFileSync(path.join(folder, 'no.json'), '{');
    expectFailure(await ask('sale', 'create', '--file', 'no.json'), 2, /no\.json is no JSON/);
    expectFailure(await ask('sale', 'create', '--file', 'nowhere.json'), 2, /nowhere\.json cannot be read/);
    expectFailure(await ask('sale', 'create', '--file', 'no.json', '--stock', '1'), 2, /leave out --stock/);
    expectFailure(await ask('sale', 'create', '--title', 'x'), 2, /missing: --sku --stock --price --currency/);
  });
});

describe('finding the server', () => {
  test('by the environment, with the key of the environment', async () => {
    const env = { DOORBUSTER_URL: server.url, DOORBUSTER_MERCHANT_KEY: server.merchantKey };
    const open = await server.openSale();
    expect((await runCommand(['books', open.saleId], { cwd: folder, env })).code).toBe(0);
  });

  test('by doorbuster.config.json in the working directory', async () => {
    const here = path.join(folder, 'with-config');
    mkdirSync(here);
    writeFileSync(
      path.join(here, 'doorbuster.config.json'),
      JSON.stringify({ url: `${server.url}/`, data: server.data }),
    );
    const open = await server.openSale();
    expect((await runCommand(['books', open.saleId], { cwd: here })).code).toBe(0);
  });

  test('nobody there: exit 1, and what to do', async () => {
    const gone = await startServer();
    await gone.stop();
    const ran = await run('books', 'x', '--url', gone.url, '--data', server.data);
    expectFailure(ran, 1, /127\.0\.0\.1:\d+ does not answer: connection refused.*doorbuster serve.*DOORBUSTER_URL/);
  });

  test('a key that is not its key: exit 1, where the key came from, never the key', async () => {
    const key = 'Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E';
    const ran = await runCommand(['books', 'x', '--url', server.url], {
      cwd: folder,
      env: { DOORBUSTER_MERCHANT_KEY: key },
    });
    expectFailure(ran, 1, /does not accept the merchant key from DOORBUSTER_MERCHANT_KEY.*--data/);
    expect(ran.stderr).not.toContain(key);
  });
});

describe('keys', () => {
  test('show: not into a pipe unless told to; the server accepts what it prints', async () => {
    expectFailure(await run('keys', 'show', '--data', server.data), 2, /--reveal/);
    const shown = await run('keys', 'show', '--reveal', '--data', server.data);
    expect(shown).toEqual({ code: 0, stdout: `${server.merchantKey}\n`, stderr: '' });
    const json = await run('keys', 'show', 'buyer', '--reveal', '--json', '--data', server.data);
    expect(JSON.parse(json.stdout)).toEqual({
      name: 'buyer',
      value: server.buyerSecret,
      source: path.join(server.data, 'buyer-secret'),
    });
    expectFailure(await run('keys', 'show', '--reveal', '--data', path.join(folder, 'none')), 1, /first start/);
  });

  test('rotate: a new one in the folder; a running server goes on with the old one, the next start takes the new', async () => {
    const data = newFolder();
    const first = await startServer({ data });
    const rotated = await run('keys', 'rotate', 'merchant', '--data', data);
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    expect(rotated.stdout).toMatch(/until its restart/);
    const fresh = readFileSync(path.join(data, 'merchant-key'), 'utf8').trim();
    expect(fresh).not.toBe(first.merchantKey);
    expect(rotated.stdout).not.toContain(fresh);
    expect(statSync(path.join(data, 'merchant-key')).mode & 0o777).toBe(0o600);
    expect((await first.merchant('GET', '/v1/merchant/sales')).status).toBe(200);
    await first.stop();
    const second = await startServer({ data });
    expect(second.merchantKey).toBe(fresh);
    expect((await second.merchant('GET', '/v1/merchant/sales')).status).toBe(200);
    const old = await second.request('GET', '/v1/merchant/sales', {
      headers: { authorization: `Bearer ${first.merchantKey}` },
    });
    expect(old.status).toBe(401);
    await second.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test('rotate: refused where the variable would win, or where there is no folder', async () => {
    const env = { DOORBUSTER_BUYER_SECRET: server.buyerSecret };
    const set = await runCommand(['keys', 'rotate', 'buyer', '--data', server.data], { cwd: folder, env });
    expectFailure(set, 2, /DOORBUSTER_BUYER_SECRET is set/);
    expectFailure(await run('keys', 'rotate', 'buyer', '--data', path.join(folder, 'none')), 2, /no data folder/);
    expect(existsSync(path.join(folder, 'none'))).toBe(false);
  });
});

describe('migrate and backup', () => {
  test('migrate: from nothing, then nothing to do, refused while a server has the folder', async () => {
    const data = path.join(folder, 'migrated');
    expect(JSON.parse((await run('migrate', '--data', data, '--json')).stdout)).toMatchObject({ from: 0, to: 1 });
    expect(await run('migrate', '--data', data)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/nothing to do/),
    });
    const held = await run('migrate', '--data', server.data);
    expectFailure(held, 2, /in use by another doorbuster process/);
    expect((await server.request('GET', '/livez')).status).toBe(200);
  });

  test('backup while the server runs: what it printed restores the sale', async () => {
    const open = await server.openSale();
    const made = await server.order(open, 'ann');
    const file = path.join(folder, 'copy.db');
    const saved = await run('backup', '--to', 'copy.db', '--data', server.data);
    expect(saved).toMatchObject({ code: 0, stderr: '' });
    expect(saved.stdout).toContain('To restore');
    expect(statSync(file).mode & 0o077).toBe(0);
    expectFailure(await run('backup', '--to', 'copy.db', '--data', server.data), 2, /copy\.db exists already/);

    const data = newFolder();
    copyFileSync(file, path.join(data, 'doorbuster.db'));
    for (const secret of ['merchant-key', 'buyer-secret'])
      copyFileSync(path.join(server.data, secret), path.join(data, secret));
    const restored = await startServer({ data });
    const there = await restored.merchant('GET', `/v1/merchant/orders/${made.body.orderId}`);
    expect(there).toMatchObject({ status: 200, body: { status: 'held' } });
    await restored.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test('backup into a folder that is not there, or of a ledger that is not: exit 2, nothing is made', async () => {
    expectFailure(await run('backup', '--to', 'not/there.db', '--data', server.data), 2, /no folder/);
    const none = path.join(folder, 'no-ledger');
    expectFailure(await run('backup', '--to', 'none.db', '--data', none), 2, /no-ledger/);
    expect(existsSync(path.join(folder, 'none.db'))).toBe(false);
    expect(existsSync(none)).toBe(false);
  });
});

describe('a second process on the same folder', () => {
  test('is refused in one line, with exit 2; the first goes on', async () => {
    const second = await run('serve', '--port', '0', '--data', server.data);
    expectFailure(second, 2, /in use by another doorbuster process/);
    expect((await server.request('GET', '/livez')).status).toBe(200);
  });
});
