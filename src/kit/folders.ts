/**
 * Makes a folder and those above it that are missing, one by one. Node's own recursive way never ends below /proc,
 * where a folder can neither be found nor made. Throws what the system says about the first that cannot be made.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The owner alone may look into what it makes. */
export function makeFolder(folder: string): void {
  const parent = path.dirname(path.resolve(folder));
  if (!existsSync(folder)) {
    if (!existsSync(parent)) makeFolder(parent);
    mkdirSync(folder, { mode: 0o700 });
  }
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
}
