/**
 * What the server is told: flags, then the environment, then doorbuster.config.json, checked as a whole before
 * anything is opened. A setting that cannot be used, or that this build cannot honour, ends the start with one line
 * (SettingError); none is ignored (I8). The table of API.md, "Running it", is the contract.
 */
import path from 'node:path';
import { SettingError } from '../kit/errors.ts';
import type { LogLevel } from '../kit/log.ts';
import { LOG_LEVELS } from '../kit/log.ts';
import type { Environment, Flags } from '../kit/setting-sources.ts';
import { type RawSetting, type SettingName, SettingSources, settingError } from '../kit/setting-sources.ts';
import { SECRET_RULE, weaknessOf } from './secret-strength.ts';
import { addressRange, httpOrigin, httpUrl, isHost, type Reading, wholeNumber } from './setting-values.ts';

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Absolute. */
  readonly dataFolder: string;
  /** Null: kept in the data folder. */
  /** Null: SQLite in the data folder. */
  readonly database: DatabaseSettings | null;
  readonly roles: ReadonlySet<Role>;
  /** Server processes on one port, under one supervisor. */
  readonly processes: number;
  readonly merchantKey: string | null;
  readonly buyerSecret: string | null;
  readonly jwks: { readonly url: string; readonly issuer: string; readonly audience: string } | null;
  readonly trustedProxies: readonly string[];
  readonly ackWaitMs: number;
  readonly queueWaitMs: number;
  readonly graceSeconds: number;
  readonly origins: readonly string[];
  readonly log: LogLevel;
  /** Variables that look like ours and are not: told in the log. */
  readonly unknownVariables: readonly string[];
}

export interface DatabaseSettings {
  readonly kind: 'postgres' | 'mysql';
  readonly url: string;
  /** Connections of one process. */
  readonly connectionsMax: number;
}

export const ROLES = ['web', 'worker'] as const;
export type Role = (typeof ROLES)[number];

export interface SettingsInput {
  readonly flags: Flags;
  readonly environment: Environment;
  /** The working directory. */
  readonly folder: string;
}

const QUARTER_HOUR_MS = 900_000;
const HOUR_SECONDS = 3600;

/** All settings of `serve`. Throws SettingError at the first that cannot be used. */
export function readSettings(input: SettingsInput): Settings {
  const sources = new SettingSources(input);
  const read = <T>(name: SettingName, parse: (text: string) => Reading<T>, otherwise: T): T => {
    const raw = sources.find(name);
    if (raw === null) return otherwise;
    const reading = parse(raw.text);
    if ('allowed' in reading) throw settingError(name, raw, reading.allowed);
    return reading.value;
  };
  refuseWhatThisBuildLacks(sources);
  const database = databaseOf(sources, read('databaseConnections', wholeNumber(2, 1000), CONNECTIONS));
  const settings: Settings = {
    host: read('host', isHost, '127.0.0.1'),
    port: read('port', wholeNumber(0, 65_535), 8080),
    dataFolder: path.resolve(input.folder, sources.find('data')?.text ?? './data'),
    database,
    roles: rolesOf(sources, database),
    processes: processesOf(sources, read('processes', wholeNumber(1, 64), 1), database),
    merchantKey: secretOf(sources, 'merchantKey', database),
    buyerSecret: secretOf(sources, 'buyerSecret', database),
    jwks: jwks(sources, read('buyerJwksUrl', httpUrl, null)),
    trustedProxies: list(sources, 'trustedProxies', addressRange),
    ackWaitMs: read('ackWaitMs', wholeNumber(0, QUARTER_HOUR_MS), 1000),
    queueWaitMs: read('queueWaitMs', wholeNumber(1, QUARTER_HOUR_MS), 100),
    graceSeconds: read('graceSeconds', wholeNumber(1, HOUR_SECONDS), 10),
    origins: list(sources, 'origins', httpOrigin),
    log: read('log', oneOf(LOG_LEVELS), 'info'),
    unknownVariables: sources.unknownVariables(),
  };
  if (settings.merchantKey !== null && settings.merchantKey === settings.buyerSecret)
    throw new SettingError('DOORBUSTER_MERCHANT_KEY and DOORBUSTER_BUYER_SECRET are the same; allowed: two secrets');
  return settings;
}

/** The folder alone, for commands that work on an installation without serving it. */
export function readDataFolder(input: SettingsInput): string {
  return path.resolve(input.folder, new SettingSources(input).find('data')?.text ?? './data');
}

function refuseWhatThisBuildLacks(sources: SettingSources): void {
  for (const name of ['redis', 'redisPrefix'] as const) {
    const redis = sources.find(name);
    if (redis !== null) throw settingError(name, redis, 'nothing yet: this build has no Redis engine');
  }
}

/** Enough for the batches of a dozen sales at once, and for lists and polls beside them. */
const CONNECTIONS = 8;

/** The database alone, for commands that work on it without serving. */
export function readDatabase(input: SettingsInput): DatabaseSettings | null {
  return databaseOf(new SettingSources(input), CONNECTIONS);
}

const DATABASES: Readonly<Record<string, DatabaseSettings['kind']>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

function databaseOf(sources: SettingSources, connectionsMax: number): DatabaseSettings | null {
  const raw = sources.find('database');
  if (raw === null) return null;
  const url = URL.parse(raw.text);
  const kind = url === null ? undefined : DATABASES[url.protocol];
  const isWhole = url !== null && url.hostname !== '' && url.pathname.length > 1;
  if (kind === undefined || !isWhole)
    throw settingError('database', raw, 'postgres://user:password@host:port/database or mysql://...');
  // The driver knows one name for both.
  return { kind, url: raw.text.replace(/^mariadb:/, 'mysql:'), connectionsMax };
}

function rolesOf(sources: SettingSources, database: DatabaseSettings | null): ReadonlySet<Role> {
  const roles = sources.find('roles');
  if (roles === null) return new Set(ROLES);
  const named = roles.text.split(',').map((role) => role.trim());
  const known = ROLES.filter((role) => named.includes(role));
  if (known.length === 0 || known.length !== new Set(named).size)
    throw settingError('roles', roles, 'web, worker or both');
  if (database === null && known.length < ROLES.length)
    throw settingError('roles', roles, 'web,worker: with the ledger in the data folder one process does both');
  return new Set(known);
}

function processesOf(sources: SettingSources, processes: number, database: DatabaseSettings | null): number {
  const raw = sources.find('processes');
  if (raw !== null && processes > 1 && database === null)
    throw settingError(
      'processes',
      raw,
      '1: a ledger in the data folder has one writer; set DOORBUSTER_DATABASE_URL for more',
    );
  return processes;
}

const SECRET_VARIABLES = { merchantKey: 'DOORBUSTER_MERCHANT_KEY', buyerSecret: 'DOORBUSTER_BUYER_SECRET' } as const;

/** Servers that share a database share their secrets: none may make its own. */
function secretOf(
  sources: SettingSources,
  name: 'merchantKey' | 'buyerSecret',
  database: DatabaseSettings | null,
): string | null {
  const value = secret(sources, name);
  if (value === null && database !== null)
    throw new SettingError(`${SECRET_VARIABLES[name]} is not set; with a database it must be: ${SECRET_RULE}`);
  return value;
}

function secret(sources: SettingSources, name: 'merchantKey' | 'buyerSecret'): string | null {
  const raw = sources.find(name);
  if (raw === null) return null;
  const weakness = weaknessOf(raw.text);
  if (weakness !== null) throw settingError(name, raw, `${SECRET_RULE}; ${weakness}`);
  return raw.text;
}

/** The address of a key set alone would take tokens that were made for somebody else. */
function jwks(sources: SettingSources, url: string | null): Settings['jwks'] {
  const issuer = sources.find('buyerIssuer');
  const audience = sources.find('buyerAudience');
  if (url === null) {
    const useless = issuer ?? audience;
    if (useless === null) return null;
    throw new SettingError(`${useless.source} is set without DOORBUSTER_BUYER_JWKS_URL; allowed: all three or none`);
  }
  if (issuer !== null && audience !== null) return { url, issuer: issuer.text, audience: audience.text };
  const missing = issuer === null ? 'DOORBUSTER_BUYER_ISSUER' : 'DOORBUSTER_BUYER_AUDIENCE';
  throw new SettingError(`${missing} is not set; DOORBUSTER_BUYER_JWKS_URL needs an issuer and an audience`);
}

function list(sources: SettingSources, name: SettingName, parse: (text: string) => Reading<string>): readonly string[] {
  const raw: RawSetting | null = sources.find(name);
  if (raw === null) return [];
  return raw.text.split(',').map((part) => {
    const reading = parse(part.trim());
    if ('allowed' in reading) throw settingError(name, raw, `a list, by commas, of ${reading.allowed}`);
    return reading.value;
  });
}

const oneOf =
  <T extends string>(allowed: readonly T[]) =>
  (text: string): Reading<T> => {
    const value = allowed.find((one) => one === text);
    return value === undefined ? { allowed: allowed.join(', ') } : { value };
  };
