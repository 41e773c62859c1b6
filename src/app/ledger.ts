/**
 * The ledger that the settings name: SQLite in the data folder, PostgreSQL or MySQL behind an address. Drivers are
 * loaded only where they are used. What several processes need of each other is there only where they can share.
 */
import type { Books, Desk, Leases, Reads, Watch } from '../core/books.ts';
import { OperatingError, SettingError } from '../kit/errors.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { ServerLedger } from '../ledger/server/open.ts';
import type { Settings } from './settings.ts';

export interface OpenLedger {
  readonly books: Books;
  readonly keepsOrder: boolean;
  readonly desk: Desk;
  readonly reads: Reads;
  readonly keys: LedgerKeys;
  readonly migrated: { readonly from: number; readonly to: number };
  /** Null where this process owns the ledger. */
  readonly shared: { readonly watch: Watch; readonly leases: Leases; readonly holder: string } | null;
  /** The time of the last commit, epoch milliseconds, where the wall clock of this machine is the ledger's. */
  readonly lastMs: number;
  close(): Promise<void>;
}

export interface LedgerEvents {
  /** Nobody can say what the disk holds: the process must end without another answer. */
  readonly onFatal: (error: Error) => void;
  readonly onBroken: (message: string, actKind: string) => void;
}

type LedgerSettings = Pick<Settings, 'dataFolder' | 'database'>;

/** Throws SettingError where it cannot be opened because of how it was set up. */
export function openLedger(settings: LedgerSettings, events: LedgerEvents): Promise<OpenLedger> {
  return settings.database === null ? openEmbedded(settings.dataFolder, events) : openShared(settings.database, events);
}

async function openEmbedded(folder: string, events: LedgerEvents): Promise<OpenLedger> {
  const { openSqliteLedger } = await import('../ledger/dialects/sqlite/open.ts');
  try {
    return { ...(await openSqliteLedger({ folder, ...events })), shared: null };
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new Error(`the ledger in ${folder} cannot be opened: ${reasonOf(error)}; is the disk full or failing?`, {
      cause: error,
    });
  }
}

async function openShared(database: NonNullable<Settings['database']>, events: LedgerEvents): Promise<OpenLedger> {
  const { kind, url, connectionsMax } = database;
  const options = { url, connectionsMax, onBroken: events.onBroken };
  try {
    const ledger = await (kind === 'postgres' ? openPostgres(options) : openMysql(options));
    const { watch, leases, holder } = ledger;
    return { ...ledger, keepsOrder: false, shared: { watch, leases, holder }, lastMs: 0 };
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new Error(`the ledger at ${addressOf(url)} cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}

type ServerOptions = Parameters<typeof import('../ledger/dialects/postgres/open.ts').openPostgresLedger>[0];

const openPostgres = async (options: ServerOptions): Promise<ServerLedger> =>
  (await import('../ledger/dialects/postgres/open.ts')).openPostgresLedger(options);

const openMysql = async (options: ServerOptions): Promise<ServerLedger> =>
  (await import('../ledger/dialects/mysql/open.ts')).openMysqlLedger(options);

/** Host, port and database; never the user and the password. */
export function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** The driver's own words are the cause's; some of them come as a list without a message of its own. */
function reasonOf(error: unknown): string {
  const cause = error instanceof OperatingError && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError) return cause.errors.map((each: unknown) => reasonOf(each)).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

const TRIES = 5;

/** A step of the start that reads: a database that was there a moment ago and is slow to answer is asked again. */
export async function patiently(step: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof OperatingError) || error.code !== 'unavailable' || tries === TRIES) throw error;
    }
  }
}
