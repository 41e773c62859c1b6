/**
 * Which field case is tested where. All 109 cases are here: each names its test file and the configurations that it
 * runs on, or the work that it waits for, or both where only a part of it can exist yet (`part` says which).
 * `manifest.test.ts` fails when an entry promises a test that is not in its file, when a test is not promised here,
 * and when a case still waits for an issue that is built.
 */
import type { Configuration } from './support/field-server.ts';

/** Where tests of field cases are: beside this file, on the sale page, with several servers on each database, in a terminal. */
export const places = {
  file: { folder: '.', on: '' },
  page: { folder: '../browser', on: ' on the page' },
  database: { folder: '../databases', on: ' on databases' },
  terminal: { folder: '../cli', on: ' in a terminal' },
} as const;
export type Place = keyof typeof places;

/** By place, the file there that holds the tests of the case. */
export interface Entry extends Partial<Readonly<Record<Place, string>>> {
  readonly on?: readonly Configuration[];
  /** What of the case the tests cover, where it is not all of it. */
  readonly part?: string;
  /** `issue N: reason`, or `a later capability: reason`. */
  readonly later?: readonly string[];
}

/** The issues that are built: nothing may wait for them. Raise this with each issue, and the check names what is due. */
export const builtIssues: readonly number[] = [2, 3, 4];

/** The cases are numbered H001 to H109 without a gap. */
export const caseCount = 109;

/** `npm run test:matrix` runs the files of field cases on all of these; `npm test` runs a part of them on databases. */
const everywhere: readonly Configuration[] = ['embedded', 'postgres:1', 'postgres:4', 'mariadb:1', 'mariadb:4'];
const onDatabases = everywhere.filter((each) => each !== 'embedded');

const here = (file: string): Entry => ({ file, on: everywhere });
/** What is about the data folder, or about the machine and not the ledger. */
const inTheFolder = (file: string): Entry => ({ file, on: ['embedded'] });
const severalServers = (entry: Entry, database: string): Entry => ({ ...entry, database, on: entry.on ?? onDatabases });
const onThePage = (entry: Entry, file: string): Entry => ({ ...entry, page: file });
const inATerminal = (entry: Entry, file: string): Entry => ({ ...entry, terminal: file });
const partly = (file: string, part: string, ...later: string[]): Entry => ({ file, on: everywhere, part, later });
const later = (...reasons: string[]): Entry => ({ later: reasons });

const hotEngine = 'issue 5: needs the Redis engine';
const reconcile = 'issue 5: there is nothing to reconcile before there is a hot engine';
const room = 'issue 6: needs the waiting room';
const gate = 'issue 6: needs the gate';
const console = 'a later capability: the operator console';
const webhooks = 'a later capability: outgoing webhooks';
const live = 'a later capability: live connections';

export const manifest: Readonly<Record<string, Entry>> = {
  H001: here('a-stock.test.ts'),
  H002: here('a-stock.test.ts'),
  H003: here('a-stock.test.ts'),
  H004: here('a-stock.test.ts'),
  H005: here('a-stock.test.ts'),
  H006: here('a-stock.test.ts'),
  H007: here('a-stock.test.ts'),
  H008: partly('a-stock.test.ts', '`segments` is accepted and works as one share', hotEngine),
  H009: here('b-holds.test.ts'),
  H010: here('b-holds.test.ts'),
  H011: onThePage(here('b-holds.test.ts'), 'purchase.test.ts'),
  H012: here('b-holds.test.ts'),
  H013: here('b-holds.test.ts'),
  H014: here('b-holds.test.ts'),
  H015: here('b-holds.test.ts'),
  H016: here('b-holds.test.ts'),
  H017: partly('c-payments.test.ts', 'all but the webhook', webhooks),
  H018: partly('c-payments.test.ts', 'API and export', console, webhooks),
  H019: here('c-payments.test.ts'),
  H020: here('c-payments.test.ts'),
  H021: partly('c-payments.test.ts', 'a payment for an order that is not known is parked, not lost', hotEngine),
  H022: partly('c-payments.test.ts', 'all but the webhook', webhooks),
  H023: severalServers(here('d-idempotency.test.ts'), 'processes.test.ts'),
  H024: here('d-idempotency.test.ts'),
  H025: onThePage(here('d-idempotency.test.ts'), 'purchase.test.ts'),
  H026: here('d-idempotency.test.ts'),
  H027: here('d-idempotency.test.ts'),
  H028: here('d-idempotency.test.ts'),
  H029: severalServers(here('d-idempotency.test.ts'), 'processes.test.ts'),
  H030: here('e-limits.test.ts'),
  H031: partly('e-limits.test.ts', 'all but what a guest token costs', gate),
  H032: here('e-limits.test.ts'),
  H033: here('e-limits.test.ts'),
  H034: here('e-limits.test.ts'),
  H035: later(gate),
  H036: onThePage(here('f-clock.test.ts'), 'clock.test.ts'),
  H037: onThePage(here('f-clock.test.ts'), 'clock.test.ts'),
  H038: onThePage(here('f-clock.test.ts'), 'clock.test.ts'),
  H039: inATerminal(partly('f-clock.test.ts', 'API and questions of `sale create`', console), 'terminal.test.ts'),
  H040: later(console),
  H041: onThePage(here('f-clock.test.ts'), 'clock.test.ts'),
  H042: here('f-clock.test.ts'),
  H043: severalServers(partly('f-clock.test.ts', 'all but the webhook', webhooks), 'processes.test.ts'),
  H044: severalServers(here('f-clock.test.ts'), 'clock.test.ts'),
  H045: partly('g-edits.test.ts', 'the API', console),
  H046: here('g-edits.test.ts'),
  H047: later(console),
  H048: here('h-input.test.ts'),
  H049: here('h-input.test.ts'),
  H050: partly('h-input.test.ts', 'order, callback comparison and export', webhooks),
  H051: partly('h-input.test.ts', 'API, callback and export', webhooks),
  H052: severalServers(here('h-input.test.ts'), 'guards.test.ts'),
  H053: here('h-input.test.ts'),
  H054: later(room),
  H055: later(room),
  H056: later(room),
  H057: later(room),
  H058: later(room),
  H059: later(room),
  H060: later(gate),
  H061: later(gate),
  H062: later(gate),
  H063: later(gate),
  H064: later('issue 6: needs challenges'),
  H065: partly('q-running.test.ts', 'the ledger cannot be written', hotEngine),
  H066: onThePage(partly('j-gate.test.ts', 'token, hold and page', room), 'phases.test.ts'),
  H067: later(hotEngine),
  H068: later(hotEngine),
  H069: later(hotEngine),
  H070: later(hotEngine),
  H071: later(hotEngine),
  H072: later(hotEngine),
  H073: severalServers({}, 'leases.test.ts'),
  H074: later(hotEngine),
  H075: later(hotEngine),
  H076: partly('l-writer.test.ts', 'an order is accepted and stored in one commit', hotEngine),
  H077: later(hotEngine),
  H078: later(hotEngine),
  H079: later(hotEngine, webhooks),
  H080: later(hotEngine),
  H081: later(hotEngine),
  H082: later(webhooks),
  H083: severalServers({}, 'outage.test.ts'),
  H084: severalServers({}, 'outage.test.ts'),
  H085: inTheFolder('m-databases.test.ts'),
  H086: here('m-databases.test.ts'),
  H087: severalServers(inTheFolder('m-databases.test.ts'), 'start.test.ts'),
  H088: later(reconcile),
  H089: later(reconcile),
  H090: later(reconcile),
  H091: later(webhooks),
  H092: later(webhooks),
  H093: later(webhooks),
  H094: later(webhooks),
  H095: onThePage(here('p-pages.test.ts'), 'serving.test.ts'),
  H096: { page: 'phases.test.ts', on: ['embedded'] },
  H097: later('issue 6: reconnects of many pages'),
  H098: later(live),
  H099: later('issue 6: queue updates by polling behind nginx'),
  H100: here('q-running.test.ts'),
  H101: partly('q-running.test.ts', 'keep-alive traffic', live),
  H102: severalServers(partly('q-running.test.ts', 'the ledger', hotEngine), 'outage.test.ts'),
  H103: partly(
    'q-memory.test.ts',
    '60,000 visitors; FIELD_VISITORS=2000000 sends all',
    'issue 6: windows of rate limits',
  ),
  H104: partly('q-running.test.ts', 'keys, buyer tokens and purchase keys', room, webhooks),
  H105: here('r-access.test.ts'),
  H106: later(console),
  H107: inTheFolder('r-access.test.ts'),
  H108: here('r-access.test.ts'),
  H109: later('issue 8: needs the load tool'),
};
