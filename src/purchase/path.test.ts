/** The path and the tree say the same: every step has its folder, every folder is a step. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PURCHASE_PATH } from './path.ts';

it('names the folders of this room', () => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const folders = readdirSync(here, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entry.name : [],
  );
  expect(folders.sort()).toEqual([...PURCHASE_PATH, 'schedule'].sort());
});
