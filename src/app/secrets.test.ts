/** Secrets in the data folder: made once, whole, for the owner alone; a bad one is refused and never replaced. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SettingError } from '../kit/errors.ts';
import { isOpenToOthers, readOrMakeSecret, readSecret, rotateSecret, secretPath } from './secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('made once with mode 0600, then read again; two secrets differ; nothing else is left in the folder', () => {
  expect(readSecret(folder, 'merchant-key')).toBeNull();
  const { secret: key, isNew } = readOrMakeSecret(folder, 'merchant-key');
  expect(isNew).toBe(true);
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(readOrMakeSecret(folder, 'merchant-key')).toEqual({ secret: key, isNew: false });
  expect(readOrMakeSecret(folder, 'buyer-secret').secret).not.toBe(key);
  expect(statSync(secretPath(folder, 'merchant-key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).sort()).toEqual(['buyer-secret', 'merchant-key']);
});

test('a folder that is not there yet is made, for the owner alone', () => {
  const inside = path.join(folder, 'data');
  readOrMakeSecret(inside, 'merchant-key');
  expect(statSync(inside).mode & 0o777).toBe(0o700);
});

test('one that a person wrote, with a line end, is taken as it is', () => {
  writeFileSync(secretPath(folder, 'buyer-secret'), 'Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E\n');
  expect(readOrMakeSecret(folder, 'buyer-secret').secret).toBe('Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E');
});

test.each(['', ' \n', 'short', 'changemechangemechangemechangeme'])('%j is refused, and stays', (content) => {
  const file = secretPath(folder, 'merchant-key');
  writeFileSync(file, content);
  expect(() => readOrMakeSecret(folder, 'merchant-key')).toThrow(SettingError);
  expect(() => readOrMakeSecret(folder, 'merchant-key')).toThrow(file);
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test('rotated: a new one, whole, with mode 0600, whatever the old one was', () => {
  const file = secretPath(folder, 'merchant-key');
  writeFileSync(file, 'short', { mode: 0o644 });
  const rotated = rotateSecret(folder, 'merchant-key');
  expect(readSecret(folder, 'merchant-key')).toBe(rotated);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(rotateSecret(folder, 'merchant-key')).not.toBe(rotated);
});

test('a file that others may read is noticed', () => {
  readOrMakeSecret(folder, 'merchant-key');
  const file = secretPath(folder, 'merchant-key');
  expect(isOpenToOthers(file)).toBe(false);
  chmodSync(file, 0o640);
  expect(isOpenToOthers(file)).toBe(true);
  expect(isOpenToOthers(path.join(folder, 'none'))).toBe(false);
});

test('what a crash left of a secret that was being written is removed; nothing else is', () => {
  for (const name of ['merchant-key.4711.new', 'merchant-key.bak', 'buyer-secret.1.new'])
    writeFileSync(path.join(folder, name), 'half');
  readOrMakeSecret(folder, 'merchant-key');
  expect(readdirSync(folder).sort()).toEqual(['buyer-secret.1.new', 'merchant-key', 'merchant-key.bak']);
});
