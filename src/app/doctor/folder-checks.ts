/** Checks of the installation itself: settings, data folder, secrets, ledger, schema, and the clock against it. */
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { SettingError } from '../../kit/errors.ts';
import { inspectLedger } from '../../ledger/dialects/sqlite/inspect.ts';
import { OPEN_SECRET, OPEN_SECRET_TODO } from '../open-secret.ts';
import { isOpenToOthers, readSecret, SECRET_NAMES, secretPath } from '../secrets.ts';
import { bad, doubtful, good, messageOf, type Result, skipped } from './finding.ts';
import type { Installation } from './installation.ts';

export function checkSettings({ settings }: Installation): Result {
  if (settings instanceof SettingError) return bad(settings.message, 'set it to what is allowed, or leave it out');
  const { unknownVariables } = settings;
  if (unknownVariables.length > 0)
    return doubtful(
      `these variables name no setting: ${unknownVariables.join(', ')}`,
      'mend the spelling, or leave them out',
    );
  return good('all settings can be used');
}

export function checkDataFolder({ dataFolder }: Installation): Result {
  const stats = statSync(dataFolder, { throwIfNoEntry: false });
  if (stats === undefined) return checkParent(dataFolder);
  if (!stats.isDirectory()) return bad(`${dataFolder} is no folder`, 'set DOORBUSTER_DATA to one');
  if (!isWritable(dataFolder))
    return bad(`${dataFolder} cannot be written by this user`, 'give it to the user of the server');
  const owner = process.getuid?.();
  if (owner !== undefined && stats.uid !== owner)
    return doubtful(`${dataFolder} belongs to user ${stats.uid}, this is user ${owner}`, 'run the server as its owner');
  if ((stats.mode & 0o022) !== 0) return bad(`others may write in ${dataFolder}`, 'chmod 700 it');
  return (stats.mode & 0o055) === 0 ? good(dataFolder) : doubtful(`others may look into ${dataFolder}`, 'chmod 700 it');
}

function checkParent(dataFolder: string): Result {
  let parent = path.dirname(dataFolder);
  while (!existsSync(parent)) parent = path.dirname(parent);
  const fault = faultOfMaking(parent);
  return fault === null
    ? good(`${dataFolder} is not there yet: the first start makes it`)
    : bad(
        `${dataFolder} is not there and cannot be made: ${fault}`,
        'make it yourself, or set DOORBUSTER_DATA to another',
      );
}

/** Tried and undone: what permissions promise, a file system like /proc or a full one need not keep. */
function faultOfMaking(parent: string): string | null {
  try {
    rmdirSync(mkdtempSync(path.join(parent, '.doctor-')));
    return null;
  } catch (error) {
    return `${parent} takes no new folder (${(error as NodeJS.ErrnoException).code ?? messageOf(error)})`;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

export function checkSecrets({ dataFolder, settings }: Installation): Result {
  const set = settings instanceof SettingError ? null : settings;
  const here = SECRET_NAMES.filter((name) => (name === 'merchant-key' ? set?.merchantKey : set?.buyerSecret) == null);
  try {
    const missing = here.filter((name) => readSecret(dataFolder, name) === null);
    const open = here.map((name) => secretPath(dataFolder, name)).filter(isOpenToOthers);
    if (open.length > 0) return bad(`${OPEN_SECRET}: ${open.join(', ')}`, OPEN_SECRET_TODO);
    return good(
      missing.length === 0 ? 'strong, for the owner alone' : `${missing.join(' and ')}: made at the first start`,
    );
  } catch (error) {
    return bad(messageOf(error), 'restore it from a backup, or make a new one (doorbuster keys rotate)');
  }
}

export function checkLedger({ dataFolder }: Installation): Result {
  const ledger = inspectLedger(dataFolder);
  switch (ledger.found) {
    case 'none':
      return existsSync(path.join(dataFolder, 'lock.db'))
        ? bad(`the ledger in ${dataFolder} is missing`, 'restore a backup as doorbuster.db')
        : good('no ledger yet: the first start makes it');
    case 'broken':
      return bad(ledger.fault, 'restore a backup as doorbuster.db');
    case 'whole':
      return good(`the file is whole, ${ledger.bytes} bytes`);
  }
}

export function checkSchema({ dataFolder }: Installation): Result {
  const ledger = inspectLedger(dataFolder);
  if (ledger.found !== 'whole') return skipped('no ledger that can be read');
  const { version, knownVersion, isTooNew } = ledger;
  if (isTooNew) return bad(`version ${version}, this program knows ${knownVersion}`, 'run the newer doorbuster');
  if (version < knownVersion)
    return good(`version ${version}; the next start (or migrate) brings it to ${knownVersion}`);
  return good(`version ${version}`);
}

/** The ledger's time never goes back: until the clock has caught up, order times stand still. */
const BEHIND_MAX_MS = 2000;
/** Before this program was written. */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

export function checkClock({ dataFolder, wallMs }: Installation): Result {
  const now = wallMs();
  const said = new Date(now).toISOString();
  if (now < EARLIEST_MS) return bad(`the clock says ${said}`, 'set it (a time service does)');
  const ledger = inspectLedger(dataFolder);
  const behindMs = ledger.found === 'whole' ? ledger.lastMs - now : 0;
  if (behindMs <= BEHIND_MAX_MS) return good(said);
  const behind = `${Math.round(behindMs / 1000)} s before the last commit of the ledger`;
  return bad(`the clock says ${said}, ${behind}: sales would open late`, 'set the clock');
}
