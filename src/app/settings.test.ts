/** Every setting: where it comes from, what is taken, and that a wrong one is one line naming it, its value, and what is allowed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SettingError } from '../kit/errors.ts';
import { readSettings } from './settings.ts';

const good = 'Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E';
const another = 'p0WmZr4KxTq8VbN2yLs6HdCj1Fg9Ae3U';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const config = (value: unknown) =>
  writeFileSync(path.join(folder, 'doorbuster.config.json'), typeof value === 'string' ? value : JSON.stringify(value));

const read = (environment: Record<string, string> = {}, flags: Record<string, string> = {}) =>
  readSettings({ flags, environment, folder });

function refusalOf(environment: Record<string, string>, flags: Record<string, string> = {}): string {
  try {
    read(environment, flags);
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  throw new Error('the settings were taken');
}

test('nothing set: the defaults of API.md', () => {
  expect(read()).toEqual({
    host: '127.0.0.1',
    port: 8080,
    dataFolder: path.join(folder, 'data'),
    database: null,
    roles: new Set(['web', 'worker']),
    processes: 1,
    merchantKey: null,
    buyerSecret: null,
    jwks: null,
    trustedProxies: [],
    ackWaitMs: 1000,
    queueWaitMs: 100,
    graceSeconds: 10,
    origins: [],
    log: 'info',
    unknownVariables: [],
  });
});

describe('a database', () => {
  const shared = {
    DOORBUSTER_DATABASE_URL: 'postgres://ann:hunter2@db.example/sales',
    DOORBUSTER_MERCHANT_KEY: 'Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E',
    DOORBUSTER_BUYER_SECRET: 'aWb7Lk2PdHs8Fm4Gu6EJq3vT9zLw0Xn5',
  };

  test.each([
    ['postgres://db/s', 'postgres', 'postgres://db/s'],
    ['postgresql://db/s', 'postgres', 'postgresql://db/s'],
    ['mysql://db:3307/s', 'mysql', 'mysql://db:3307/s'],
    ['mariadb://db/s', 'mysql', 'mysql://db/s'],
  ])('%s', (url, kind, taken) => {
    const { database } = read({ ...shared, DOORBUSTER_DATABASE_URL: url, DOORBUSTER_DATABASE_CONNECTIONS: '12' });
    expect(database).toEqual({ kind, url: taken, connectionsMax: 12 });
  });

  test('lets roles be apart and processes be many', () => {
    expect(read(shared, { roles: 'worker', processes: '4' })).toMatchObject({
      roles: new Set(['worker']),
      processes: 4,
    });
  });

  test.each(['DOORBUSTER_MERCHANT_KEY', 'DOORBUSTER_BUYER_SECRET'])('does not go without %s', (name) => {
    const { [name]: _, ...rest } = shared as Record<string, string>;
    const line = refusalOf(rest);
    expect(line).toContain(name);
    expect(line).not.toMatch(/hunter2/);
  });
});

test('a flag wins over the environment, the environment over the file', () => {
  config({ port: 1001, host: '::1', log: 'warn' });
  expect(read()).toMatchObject({ port: 1001, host: '::1', log: 'warn' });
  expect(read({ DOORBUSTER_PORT: '1002' })).toMatchObject({ port: 1002, host: '::1' });
  expect(read({ DOORBUSTER_PORT: '1002' }, { port: '1003' })).toMatchObject({ port: 1003 });
});

test('all of them at once', () => {
  config({ origins: ['https://one.example', 'http://localhost:5173'], graceSeconds: 3 });
  expect(
    read({
      DOORBUSTER_DATA: 'elsewhere',
      DOORBUSTER_MERCHANT_KEY: good,
      DOORBUSTER_BUYER_SECRET: another,
      DOORBUSTER_BUYER_JWKS_URL: 'https://id.example/jwks',
      DOORBUSTER_BUYER_ISSUER: 'https://id.example',
      DOORBUSTER_BUYER_AUDIENCE: 'shop',
      DOORBUSTER_TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7',
      DOORBUSTER_ACK_WAIT_MS: '0',
      DOORBUSTER_QUEUE_WAIT_MS: '30000',
      DOORBUSTER_ROLES: 'worker, web',
      DOORBUSTER_LOG: 'silent',
      DOORBUSTER_MERCHANTKEY: 'misspelt',
    }),
  ).toMatchObject({
    dataFolder: path.join(folder, 'elsewhere'),
    merchantKey: good,
    buyerSecret: another,
    jwks: { url: 'https://id.example/jwks', issuer: 'https://id.example', audience: 'shop' },
    trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.7'],
    ackWaitMs: 0,
    queueWaitMs: 30_000,
    graceSeconds: 3,
    origins: ['https://one.example', 'http://localhost:5173'],
    log: 'silent',
    unknownVariables: ['DOORBUSTER_MERCHANTKEY'],
  });
});

describe('refused, in one line with the name, the value and what is allowed', () => {
  test.each([
    ['DOORBUSTER_PORT', '65536', 'from 0 to 65535'],
    ['DOORBUSTER_PORT', '-1', 'from 0 to 65535'],
    ['DOORBUSTER_PORT', '80.5', 'from 0 to 65535'],
    ['DOORBUSTER_PORT', '0x50', 'from 0 to 65535'],
    ['DOORBUSTER_PORT', '8080 ', 'from 0 to 65535'],
    ['DOORBUSTER_HOST', 'http://localhost', 'IP address or a host name'],
    ['DOORBUSTER_HOST', '127.0.0.256', 'IP address or a host name'],
    ['DOORBUSTER_ACK_WAIT_MS', '1s', 'a whole number'],
    ['DOORBUSTER_QUEUE_WAIT_MS', '0', 'from 1'],
    ['DOORBUSTER_GRACE_SECONDS', '1e3', 'a whole number'],
    ['DOORBUSTER_LOG', 'verbose', 'trace, debug, info, warn, error, fatal, silent'],
    ['DOORBUSTER_ORIGINS', '*', 'https://shop.example'],
    ['DOORBUSTER_ORIGINS', 'https://one.example/', 'https://shop.example'],
    ['DOORBUSTER_ORIGINS', 'https://one.example,', 'https://shop.example'],
    ['DOORBUSTER_TRUSTED_PROXIES', 'all', 'IP addresses or ranges'],
    ['DOORBUSTER_TRUSTED_PROXIES', '10.0.0.0/33', 'IP addresses or ranges'],
    ['DOORBUSTER_BUYER_JWKS_URL', 'file:///etc/keys', 'https://'],
    ['DOORBUSTER_ROLES', 'web', 'web,worker'],
    ['DOORBUSTER_ROLES', 'web,worker,cron', 'web,worker'],
    ['DOORBUSTER_DATABASE_URL', 'postgres://db', 'postgres://user:password@host:port/database'],
    ['DOORBUSTER_DATABASE_URL', 'sqlite://sales', 'mysql://'],
    ['DOORBUSTER_DATABASE_CONNECTIONS', '1', 'a whole number from 2'],
    ['DOORBUSTER_PROCESSES', '2', 'one writer'],
    ['DOORBUSTER_ROLES', 'worker', 'one process does both'],
    ['DOORBUSTER_ROLES', 'web,cook', 'web, worker or both'],
    ['DOORBUSTER_REDIS_URL', 'redis://cache', 'no Redis engine'],
    ['DOORBUSTER_REDIS_PREFIX', 'shop', 'no Redis engine'],
  ])('%s=%s', (variable, value, allowed) => {
    const line = refusalOf({ [variable]: value });
    expect(line).toContain(variable);
    expect(line).toContain(JSON.stringify(value));
    expect(line).toContain(allowed);
    expect(line).not.toContain('\n');
  });

  test('a flag and a key of the file are called by their own names', () => {
    expect(refusalOf({}, { port: 'x' })).toMatch(/^--port is "x"/);
    config({ port: 'x' });
    expect(refusalOf({})).toMatch(/^port \(DOORBUSTER_PORT\) in doorbuster\.config\.json is "x"/);
  });

  test('a value of several lines stays on one, and a very long one is cut', () => {
    expect(refusalOf({ DOORBUSTER_PORT: '1\n2' })).not.toContain('\n');
    expect(refusalOf({ DOORBUSTER_PORT: '9'.repeat(5000) }).length).toBeLessThan(250);
  });

  test('user and password of an address are not shown', () => {
    const line = refusalOf({ DOORBUSTER_DATABASE_URL: 'oracle://ann:hunter2@db.example/sales' });
    expect(line).not.toMatch(/ann|hunter2/);
    expect(line).toContain('db.example/sales');
  });

  test.each(['', ' ', '\t\n'])('any setting that is blank (%j)', (blank) => {
    for (const variable of ['DOORBUSTER_PORT', 'DOORBUSTER_DATA', 'DOORBUSTER_MERCHANT_KEY', 'DOORBUSTER_BUYER_SECRET'])
      expect(refusalOf({ [variable]: blank })).toMatch(new RegExp(`^${variable} is blank`));
    expect(refusalOf({}, { data: blank })).toMatch(/^--data is blank/);
  });

  test('the key set without issuer or audience, and these without the key set', () => {
    const url = { DOORBUSTER_BUYER_JWKS_URL: 'https://id.example/jwks' };
    expect(refusalOf(url)).toContain('DOORBUSTER_BUYER_ISSUER');
    expect(refusalOf({ ...url, DOORBUSTER_BUYER_ISSUER: 'i' })).toContain('DOORBUSTER_BUYER_AUDIENCE');
    expect(refusalOf({ DOORBUSTER_BUYER_ISSUER: 'i' })).toContain('DOORBUSTER_BUYER_JWKS_URL');
  });

  test.each([
    ['no JSON', '{ "port": 1', 'no valid JSON'],
    ['a list', [], 'no object'],
    ['an unknown key', { prot: 8080 }, 'unknown key "prot"'],
    ['a key of every object', '{ "__proto__": 1 }', 'unknown key "__proto__"'],
    ['null', { port: null }, 'is null'],
    ['an object', { port: {} }, 'is a object'],
    ['a mixed list', { origins: ['https://one.example', 1] }, 'is a list of other things'],
  ])('a file with %s', (_, content, said) => {
    config(content);
    expect(refusalOf({})).toContain(said);
  });

  test('a file that is no JSON is not quoted: it may hold secrets', () => {
    config(`{ "merchantKey": "${good}" `);
    expect(refusalOf({})).not.toContain(good.slice(0, 8));
  });
});

describe('secrets', () => {
  const weak = [
    'short',
    'a'.repeat(31),
    'a'.repeat(40),
    'abcabcabcabcabcabcabcabcabcabcabcabc',
    'changemechangemechangemechangeme',
    'change-me-change-me-change-me-change-me!',
    'CHANGE_ME_TO_A_LONG_RANDOM_STRING_0123',
    'your-secret-key-of-at-least-32-characters',
    'my-super-secret-doorbuster-merchant-key',
    '0123456789abcdefghijklmnopqrstuvwxyz',
    '12345678901234567890123456789012',
    'correct horse battery staple and more of it',
    `${'é'.repeat(8)}abcdefghijklmnopqrstuvwxyzABCDEF`,
  ];
  test.each(weak)('%s is refused, and masked', (value) => {
    for (const variable of ['DOORBUSTER_MERCHANT_KEY', 'DOORBUSTER_BUYER_SECRET']) {
      const line = refusalOf({ [variable]: value });
      expect(line).toContain(variable);
      expect(line).toContain('at least 32');
      expect(line).not.toContain(value);
    }
  });

  test('random ones are taken: base64, base64url, hexadecimal, with a name in front', () => {
    for (const value of [
      good,
      'q+YtN1Zl/0sXbW8vJ2kH5mPcR7dAe4uG9oLfTiK3nE=',
      'f3a91c07be5d2846a0917fce3b58d2406d1e',
      'canary-merchant-0b6bc1a5-8a3f-4a51-9f0f-3f1c2ad7c2b1',
    ])
      expect(read({ DOORBUSTER_MERCHANT_KEY: value }).merchantKey).toBe(value);
  });

  test('one secret for both purposes is refused', () => {
    const line = refusalOf({ DOORBUSTER_MERCHANT_KEY: good, DOORBUSTER_BUYER_SECRET: good });
    expect(line).toContain('DOORBUSTER_MERCHANT_KEY and DOORBUSTER_BUYER_SECRET');
    expect(line).not.toContain(good);
  });
});
