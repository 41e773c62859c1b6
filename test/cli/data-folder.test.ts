/** A data folder that cannot serve ends the start with exit code 2 and one line, before anything listens. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cliPath, newFolder, startServer } from '../support/server.ts';

const NOBODY = 65_534;

const serve = (data: string, who: { uid?: number; gid?: number } = {}) =>
  spawnSync(process.execPath, [cliPath, 'serve', '--port', '0', '--data', data], {
    cwd: '/',
    encoding: 'utf8',
    timeout: 60_000,
    ...who,
  });

it.each(existsSync('/proc/self') ? ['/proc/self/nope', '/dev/null'] : ['/dev/null'])(
  '%s is no place for one',
  (data) => {
    const { status, stderr, stdout } = serve(data);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(data);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  },
);

it('a ledger that this user may read but not write, as a backup restored by root is', async () => {
  const data = newFolder();
  const server = await startServer({ data });
  await server.stop();
  const isRoot = process.getuid?.() === 0;
  const [folderMode, fileMode] = isRoot ? [0o755, 0o644] : [0o755, 0o444];
  chmodSync(data, folderMode);
  for (const name of readdirSync(data)) chmodSync(path.join(data, name), fileMode);
  const { status, stderr, stdout } = serve(data, isRoot ? { uid: NOBODY, gid: NOBODY } : {});
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/may not be written by this user/);
});
