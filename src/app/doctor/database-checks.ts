/**
 * Checks of the database that the ledger is on: pure functions from what the server says about itself to a finding, so
 * that each can be shown a broken one. What is bad here costs orders; what is doubtful costs sleep.
 */
import type { DatabaseFacts } from '../../ledger/server/facts.ts';
import { SKEW_ALARM_MS, SKEW_LIMIT_MS } from '../ledger-time.ts';
import type { DatabaseSettings } from '../settings.ts';
import { bad, doubtful, good, type Result } from './finding.ts';

export interface ExaminedDatabase {
  readonly facts: DatabaseFacts;
  readonly settings: DatabaseSettings;
  /** Server processes that one machine starts. */
  readonly processes: number;
}

/** The oldest that the guards in the schema work on: CHECK constraints, generated columns. */
const OLDEST = { PostgreSQL: [13, 0, 0], MySQL: [8, 0, 16], MariaDB: [10, 6, 0] } as const;

function checkVersion({ facts }: ExaminedDatabase): Result {
  const { product, version, numbers } = facts;
  const oldest = OLDEST[product];
  const differs = oldest.findIndex((floor, at) => numbers[at] !== floor);
  const isOld = differs !== -1 && (numbers[differs] ?? 0) < (oldest[differs] ?? 0);
  if (isOld) return bad(`${product} ${version} is too old`, `install ${oldest.join('.')} or newer`);
  if (facts.isMultiWriter)
    return bad(
      `${product} ${version} as a cluster in which all write: it can lose what it has committed`,
      'use one writer',
    );
  return facts.isReadOnly
    ? bad(
        `${product} ${version} takes no writes: is this a follower?`,
        'set DOORBUSTER_DATABASE_URL to the server that writes',
      )
    : good(`${product} ${version}`);
}

function checkIsolation({ facts }: ExaminedDatabase): Result {
  if (facts.logsStatements)
    return bad('the binary log keeps statements: every order would be refused', 'set binlog_format to ROW');
  return facts.isolation === 'read committed'
    ? good('read committed')
    : bad(`our connections are ${facts.isolation}: a proxy in between changes them`, 'connect without it');
}

function checkDurability({ facts }: ExaminedDatabase): Result {
  const wrong = facts.durability.filter(({ value, wanted }) => value !== wanted);
  if (wrong.length === 0) return good('a commit that was answered is on the disk');
  const found = wrong.map(({ name, value }) => `${name} is ${value}`).join(', ');
  const set = wrong.map(({ name, wanted }) => `${name} to ${wanted}`).join(', ');
  return bad(`an order that was confirmed can be lost by a crash: ${found}`, `set ${set}`);
}

function checkFailover({ facts }: ExaminedDatabase): Result {
  const { followers, waitsForFollower } = facts;
  if (followers === null)
    return doubtful(
      'our account may not see whether others follow this server',
      'grant it the right to see replication',
    );
  if (followers === 0) return good('no server follows this one: there is nothing to fail over to');
  return waitsForFollower
    ? good(`${followers} follow, and a commit waits for one of them`)
    : doubtful(
        `${followers} follow, but no commit waits for them: a fail-over loses the last orders that were confirmed`,
        'let commits wait for one of them (synchronous_standby_names, semi-synchronous replication)',
      );
}

function checkTimeZone({ facts }: ExaminedDatabase): Result {
  return facts.zoneOffsetMinutes === 0
    ? good('our connections use UTC')
    : bad(
        `our connections are ${facts.zoneOffsetMinutes} minutes from UTC: a proxy in between changes them`,
        'connect without it',
      );
}

function checkSkew({ facts }: ExaminedDatabase): Result {
  const ms = Math.round(facts.skewMs);
  const said = `this machine's clock is ${Math.abs(ms)} ms ${ms < 0 ? 'behind' : 'ahead of'} the database's`;
  if (Math.abs(ms) > SKEW_LIMIT_MS) return bad(`${said}: no sale can be opened from here`, 'set the clock');
  return Math.abs(ms) > SKEW_ALARM_MS ? bad(said, 'let a time service set both') : good(said);
}

function checkRights({ facts }: ExaminedDatabase): Result {
  return facts.missingRights.length === 0
    ? good('the account may do what it must')
    : bad(`the account lacks ${facts.missingRights.join(', ')}`, 'grant it on this database');
}

function checkConnections({ facts, settings, processes }: ExaminedDatabase): Result {
  const wanted = settings.connectionsMax * processes;
  const { max, used } = facts.connections;
  const said = `${wanted} wanted by this machine, ${max} allowed, ${used} in use by others`;
  if (wanted > max) return bad(said, 'lower DOORBUSTER_DATABASE_CONNECTIONS or raise max_connections');
  return wanted + used > max ? doubtful(`${said}: others may have to go without`, 'raise max_connections') : good(said);
}

function checkCollations({ facts }: ExaminedDatabase): Result {
  if (facts.looseColumns.length > 0)
    return bad(`ids do not compare byte for byte in ${facts.looseColumns.join(', ')}`, 'restore the schema');
  return /^utf8(?:mb4)?$/i.test(facts.encoding)
    ? good(`${facts.encoding}; ids compare byte for byte`)
    : bad(`texts are kept as ${facts.encoding}`, 'make the database with UTF-8');
}

function checkSchema({ facts }: ExaminedDatabase): Result {
  const { schemaVersion, knownVersion } = facts;
  if (schemaVersion === 0) return good('no ledger yet: the first start makes it');
  if (schemaVersion > knownVersion)
    return bad(`version ${schemaVersion}, this program knows ${knownVersion}`, 'run the newer doorbuster');
  return schemaVersion < knownVersion
    ? good(`version ${schemaVersion}; the next start (or migrate) brings it to ${knownVersion}`)
    : good(`version ${schemaVersion}`);
}

export const DATABASE_CHECKS = {
  database: checkVersion,
  isolation: checkIsolation,
  durability: checkDurability,
  'fail-over': checkFailover,
  'time zone': checkTimeZone,
  'clock skew': checkSkew,
  rights: checkRights,
  connections: checkConnections,
  collations: checkCollations,
  'database schema': checkSchema,
} as const satisfies Readonly<Record<string, (database: ExaminedDatabase) => Result>>;
