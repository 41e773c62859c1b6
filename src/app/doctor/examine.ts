/**
 * The doctor's checklist, in the order in which it is read. Each check looks at one thing, changes nothing, and is
 * shown to turn red by a broken installation in test/doctor.
 */
import { bad, messageOf, type Result } from './finding.ts';
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

export async function examine(installation: Installation): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries<Check>(CHECKS))
    findings.push({ check, ...(await resultOf(run, installation)) });
  return findings;
}

/** A check that fails to look has found something too. */
async function resultOf(run: Check, installation: Installation): Promise<Result> {
  try {
    return await run(installation);
  } catch (error) {
    return bad(`could not be checked: ${messageOf(error)}`);
  }
}
