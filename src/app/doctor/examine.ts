/**
 * The doctor's checklist, in the order in which it is read. Each check looks at one thing, changes nothing, and is
 * shown to turn red by a broken installation in test/doctor.
 */
import { SettingError } from '../../kit/errors.ts';
import { addressOf } from '../ledger.ts';
import { DATABASE_CHECKS } from './database-checks.ts';
import { bad, messageOf, type Result, skipped } from './finding.ts';
import { checkClock, checkDataFolder, checkLedger, checkSchema, checkSecrets, checkSettings } from './folder-checks.ts';
import type { Installation } from './installation.ts';
import { checkDiskSpace, checkFsync, checkNode, checkPort } from './machine-checks.ts';

export interface Finding extends Result {
  readonly check: string;
}

type Check = (installation: Installation) => Result | Promise<Result>;

export const CHECKS = {
  node: checkNode,
  settings: checkSettings,
  'data folder': checkDataFolder,
  secrets: checkSecrets,
  'disk space': checkDiskSpace,
  fsync: checkFsync,
  ledger: checkLedger,
  schema: checkSchema,
  clock: checkClock,
  port: checkPort,
} as const satisfies Readonly<Record<string, Check>>;

/** The checks that look at an installation on a database, besides those of the database itself. */
const BESIDE_A_DATABASE = ['node', 'settings', 'port'] as const;

export async function examine(installation: Installation): Promise<readonly Finding[]> {
  const { settings } = installation;
  if (!(settings instanceof SettingError) && settings.database !== null) return examineOnDatabase(installation);
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries<Check>(CHECKS))
    findings.push({ check, ...(await resultOf(run, installation)) });
  return findings;
}

async function examineOnDatabase(installation: Installation): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of BESIDE_A_DATABASE) findings.push({ check, ...(await resultOf(CHECKS[check], installation)) });
  return [...findings, ...(await databaseFindings(installation))];
}

/** A server that cannot be asked is one finding; the others have then nothing to look at. */
async function databaseFindings({ settings, inspectDatabase }: Installation): Promise<readonly Finding[]> {
  if (settings instanceof SettingError || settings.database === null) return [];
  const { database, processes } = settings;
  const checks = Object.entries(DATABASE_CHECKS);
  try {
    const examined = { facts: await inspectDatabase(database), settings: database, processes };
    return checks.map(([check, judge]) => ({ check, ...judge(examined) }));
  } catch (error) {
    const unreachable = bad(
      `${addressOf(database.url)} cannot be asked: ${messageOf(error)}`,
      'start the database, or set DOORBUSTER_DATABASE_URL to where it is',
    );
    return checks.map(([check], at) => ({
      check,
      ...(at === 0 ? unreachable : skipped('the database cannot be asked')),
    }));
  }
}

/** A check that fails to look has found something too. */
async function resultOf(run: Check, installation: Installation): Promise<Result> {
  try {
    return await run(installation);
  } catch (error) {
    return bad(`could not be checked: ${messageOf(error)}`, 'make it readable for this user, then ask again');
  }
}
