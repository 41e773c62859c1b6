/**
 * The merchant key and the buyer secret of an embedded installation: made once, kept in the data folder with mode
 * 0600, used where no setting names one. Called by `serve` (which may make them), `keys` and `doctor`.
 *
 * A file that is there is used or refused: blank or weak, the start ends (I8). A new one appears whole or not at all.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { SettingError } from '../kit/errors.ts';
import { makeFolder } from '../kit/folders.ts';
import { SECRET_RULE, weaknessOf } from './secret-strength.ts';

export type SecretName = 'merchant-key' | 'buyer-secret';
export const SECRET_NAMES: readonly SecretName[] = ['merchant-key', 'buyer-secret'];

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

export const secretPath = (folder: string, name: SecretName): string => path.join(folder, name);

/** The secret in the folder, or null where there is none. Throws SettingError for one that must not be used. */
export function readSecret(folder: string, name: SecretName): string | null {
  const file = secretPath(folder, name);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new SettingError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const secret = text.trim();
  const weakness = weaknessOf(secret);
  if (weakness !== null)
    throw new SettingError(`${file} cannot be used: ${weakness}; allowed: ${SECRET_RULE}, or no file: one is made`);
  return secret;
}

/** The secret in the folder; made where there is none. To be called by the one process that holds the folder. */
export function readOrMakeSecret(folder: string, name: SecretName): { secret: string; isNew: boolean } {
  const known = readSecret(folder, name);
  removeHalfWritten(folder, name);
  return known === null ? { secret: rotateSecret(folder, name), isNew: true } : { secret: known, isNew: false };
}

/** What a crash left of a secret that was being written: it is in use nowhere. */
function removeHalfWritten(folder: string, name: SecretName): void {
  const isHalf = new RegExp(`^${name}\\.\\d+\\.new$`);
  for (const file of existsSync(folder) ? readdirSync(folder) : [])
    if (isHalf.test(file)) rmSync(path.join(folder, file), { force: true });
}

/** Puts a new secret in the place of the old one, if any, in one step, and returns it. */
export function rotateSecret(folder: string, name: SecretName): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const file = secretPath(folder, name);
  const beside = `${file}.${process.pid}.new`;
  try {
    makeFolder(folder);
    rmSync(beside, { force: true });
    writeSynced(beside, `${secret}\n`);
    renameSync(beside, file);
    syncFolder(folder);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new SettingError(`${file} cannot be written: ${(error as Error).message}`);
  }
  return secret;
}

/** Whether others than the owner may read or write the file. False where it is not there. */
export function isOpenToOthers(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

function writeSynced(file: string, text: string): void {
  const handle = openSync(file, 'wx', OWNER_ONLY);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Without it a power cut could take the name of the file away again. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
