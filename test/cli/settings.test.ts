/** Settings from the outside: what cannot be used ends the start with exit code 2 and one line, and nothing is opened. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type FailedStart,
  newFolder,
  type ServerOptions,
  startServer,
  TestServer,
  tryStart,
} from '../support/server.ts';

let data: string;
beforeEach(() => {
  data = newFolder();
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

async function refusal(options: ServerOptions): Promise<FailedStart> {
  const started = await tryStart({ data, ...options });
  if (!(started instanceof TestServer)) return started;
  await started.stop();
  throw new Error('it started');
}

const strong = 'Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E';

describe('refused', () => {
  test.each<[string, ServerOptions, string[]]>([
    [
      'a wrong variable',
      { env: { DOORBUSTER_QUEUE_WAIT_MS: 'soon' } },
      ['DOORBUSTER_QUEUE_WAIT_MS', '"soon"', 'whole number'],
    ],
    ['a wrong flag', { args: ['--log', 'loud'] }, ['--log', '"loud"', 'debug']],
    ['a blank variable', { env: { DOORBUSTER_GRACE_SECONDS: '' } }, ['DOORBUSTER_GRACE_SECONDS', 'blank']],
    [
      'a database of another kind',
      { env: { DOORBUSTER_DATABASE_URL: 'oracle://me:pa55word@db/x' } },
      ['DOORBUSTER_DATABASE_URL', '***', 'postgres://', 'mysql://'],
    ],
    [
      'a database without the secrets that its servers share',
      { env: { DOORBUSTER_DATABASE_URL: 'postgres://db/x' } },
      ['DOORBUSTER_MERCHANT_KEY', 'not set'],
    ],
    ['several processes on a data folder', { args: ['--processes', '2'] }, ['--processes', 'one writer']],
    ['a Redis', { args: ['--redis', 'redis://cache'] }, ['--redis', 'redis://cache', 'no Redis engine']],
    ['one role', { env: { DOORBUSTER_ROLES: 'worker' } }, ['DOORBUSTER_ROLES', '"worker"', 'web,worker']],
    ['a key set alone', { env: { DOORBUSTER_BUYER_JWKS_URL: 'https://id.example/j' } }, ['DOORBUSTER_BUYER_ISSUER']],
    ['a port that is none', { args: ['--port', '99999'] }, ['--port', '"99999"', '65535']],
    ['an address of elsewhere', { args: ['--host', '192.0.2.1'] }, ['DOORBUSTER_HOST', '192.0.2.1']],
  ])('%s: exit 2, one line with name, value and what is allowed', async (_, options, said) => {
    const refused = await refusal(options);
    expect(refused.exit).toEqual({ code: 2, signal: null });
    expect(refused.stdout).toBe('');
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    for (const part of said) expect(refused.stderr).toContain(part);
  });

  test('a wrong setting opens nothing: the folder stays empty', async () => {
    await refusal({ env: { DOORBUSTER_LOG: 'loud' } });
    expect(existsSync(path.join(data, 'doorbuster.db'))).toBe(false);
    expect(existsSync(path.join(data, 'merchant-key'))).toBe(false);
  });

  test.each([
    ['{ "prot": 8080 }', 'unknown key "prot"'],
    ['{ "log": "loud" }', 'log (DOORBUSTER_LOG) in doorbuster.config.json is "loud"'],
    ['{ "log": "info" ', 'no valid JSON'],
  ])('a config file of %s', async (content, said) => {
    writeFileSync(path.join(data, 'doorbuster.config.json'), content);
    const refused = await refusal({});
    expect(refused.exit.code).toBe(2);
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    expect(refused.stderr).toContain(said);
  });

  test('a port that another program has', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const refused = await refusal({ args: ['--port', String(port)] });
    expect(refused.exit.code).toBe(2);
    expect(refused.stderr).toMatch(new RegExp(`DOORBUSTER_PORT.*${port} is in use`));
    await new Promise((resolve) => other.close(resolve));
  });

  test('a secret in the data folder that is blank or weak: named, not shown, not replaced', async () => {
    await (await startServer({ data })).stop();
    for (const content of ['\n', 'hunter2', 'change-me-change-me-change-me-change-me']) {
      writeFileSync(path.join(data, 'buyer-secret'), content);
      const refused = await refusal({});
      expect(refused.exit.code).toBe(2);
      expect(refused.stderr.trim().split('\n')).toHaveLength(1);
      expect(refused.stderr).toContain(path.join(data, 'buyer-secret'));
      if (content.trim() !== '') expect(refused.stderr).not.toContain(content);
    }
  });
});

describe('taken', () => {
  test('flags before the environment before the file; the folder and its files are for the owner alone', async () => {
    writeFileSync(
      path.join(data, 'doorbuster.config.json'),
      JSON.stringify({ log: 'silent', origins: ['https://a.example'] }),
    );
    const server = await startServer({ data, env: { DOORBUSTER_LOG: 'info' } });
    const answer = await server.request('GET', '/v1/time', { headers: { origin: 'https://a.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(server.logs()).toContain('listening');
    expect((await server.stop()).code).toBe(0);
    const quiet = await startServer({ data, env: { DOORBUSTER_LOG: 'info' }, args: ['--log', 'silent'] });
    expect((await quiet.stop()).code).toBe(0);
    expect(quiet.logs()).toBe('');
  });

  test('secrets that are set: no file is made, and only they open the doors', async () => {
    const env = { DOORBUSTER_MERCHANT_KEY: strong, DOORBUSTER_BUYER_SECRET: [...strong].reverse().join('') };
    const server = await startServer({ data, env });
    expect((await server.merchant('GET', '/v1/merchant/sales')).status).toBe(200);
    expect(existsSync(path.join(data, 'merchant-key'))).toBe(false);
    expect(existsSync(path.join(data, 'buyer-secret'))).toBe(false);
    await server.stop();
    expect(server.logs()).not.toContain(strong);
  });

  test('made secrets stay the same over a restart', async () => {
    const first = await startServer({ data });
    await first.stop();
    const second = await startServer({ data });
    expect(second.merchantKey).toBe(first.merchantKey);
    expect((await second.merchant('GET', '/v1/merchant/sales')).status).toBe(200);
    await second.stop();
  });

  test('a misspelt variable is told in the log', async () => {
    const server = await startServer({ data, env: { DOORBUSTER_QUEUE_WAIT: '50' } });
    await server.stop();
    expect(server.logs()).toMatch(/"variable":"DOORBUSTER_QUEUE_WAIT"/);
  });
});

/** A request whose body never comes. */
async function halfARequest(server: TestServer): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  const head = ['POST /v1/merchant/sales HTTP/1.1', 'host: x', 'content-type: application/json', 'content-length: 99'];
  const credential = `authorization: Bearer ${server.merchantKey}`;
  await new Promise<void>((resolve) => socket.write(`${[...head, credential].join('\r\n')}\r\n\r\n{`, () => resolve()));
  // Another request on another connection has been answered: this one has arrived.
  await server.request('GET', '/v1/time');
  return socket;
}

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s: exit 0', async (signal) => {
    const server = await startServer({ data });
    expect(await server.stop(signal)).toEqual({ code: 0, signal: null });
    expect(server.logs()).toContain('stopped');
  });

  test('a request that never ends does not keep it past the grace time: exit 0 all the same', async () => {
    const server = await startServer({ data, env: { DOORBUSTER_GRACE_SECONDS: '2' } });
    const socket = await halfARequest(server);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    socket.destroy();
  });

  test('a second signal ends it at once', async () => {
    const server = await startServer({ data, env: { DOORBUSTER_GRACE_SECONDS: '60' } });
    const socket = await halfARequest(server);
    server.child.kill('SIGTERM');
    while (!server.logs().includes('stopping')) await delay(20);
    expect(await server.stop('SIGINT')).toEqual({ code: 128 + constants.signals.SIGINT, signal: null });
    socket.destroy();
  });
});
