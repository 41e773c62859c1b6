/**
 * What the doctor examines: the settings as a start would read them, and the few facts of the machine that it asks
 * for. The facts are functions, so that a test can break one that cannot be broken for real.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { SettingError } from '../../kit/errors.ts';
import type { DatabaseFacts } from '../../ledger/server/facts.ts';
import { type DatabaseSettings, readDataFolder, readSettings, type Settings, type SettingsInput } from '../settings.ts';

export interface Installation {
  /** The settings, or why they cannot be used. */
  readonly settings: Settings | SettingError;
  readonly dataFolder: string;
  /** Like `process.version`. */
  readonly nodeVersion: string;
  readonly wallMs: () => number;
  readonly freeBytes: (folder: string) => Promise<number>;
  /** Milliseconds of each of some small writes with fsync. */
  readonly timeFsyncs: (folder: string) => readonly number[];
  /** Rejects where the database cannot be asked. */
  readonly inspectDatabase: (database: DatabaseSettings) => Promise<DatabaseFacts>;
}

const FSYNCS = 16;
const PAGE_BYTES = 4096;

export function realInstallation(input: SettingsInput): Installation {
  return {
    settings: settingsOf(input),
    dataFolder: folderOf(input),
    nodeVersion: process.version,
    wallMs: () => Date.now(),
    freeBytes: async (folder) => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    timeFsyncs,
    inspectDatabase: async ({ kind, url }) => {
      const dialect =
        kind === 'postgres'
          ? await import('../../ledger/dialects/postgres/inspect.ts')
          : await import('../../ledger/dialects/mysql/inspect.ts');
      return dialect.inspect(url, () => Date.now());
    },
  };
}

function settingsOf(input: SettingsInput): Settings | SettingError {
  try {
    return readSettings(input);
  } catch (error) {
    if (error instanceof SettingError) return error;
    throw error;
  }
}

/** Where the config file cannot be read, the folder that a start without it would use. */
function folderOf(input: SettingsInput): string {
  try {
    return readDataFolder(input);
  } catch {
    return path.resolve(input.folder, './data');
  }
}

function timeFsyncs(folder: string): readonly number[] {
  const file = path.join(folder, `.doctor-${process.pid}`);
  const handle = openSync(file, 'wx', 0o600);
  try {
    return Array.from({ length: FSYNCS }, () => {
      const startedMs = performance.now();
      writeSync(handle, Buffer.alloc(PAGE_BYTES));
      fsyncSync(handle);
      return performance.now() - startedMs;
    });
  } finally {
    closeSync(handle);
    rmSync(file, { force: true });
  }
}
