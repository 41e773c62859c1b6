import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './folders.ts';

it('makes what is missing, for its owner alone, and takes what is there', () => {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'doorbuster-test-')), 'a', 'b');
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it('says at once that a file is no folder', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'doorbuster-test-')), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow(/is not a folder/);
  expect(() => makeFolder(path.join(file, 'below'))).toThrow();
});

it.runIf(existsSync('/proc/self'))('ends where no folder can be made', () => {
  expect(() => makeFolder('/proc/self/nope/deeper')).toThrow(/ENOENT|EACCES/);
});
