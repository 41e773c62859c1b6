/**
 * Where a setting's text comes from: a flag, else the environment, else doorbuster.config.json in the working
 * directory. Knows the names of all settings and nothing of their meaning; `app` and the commands give it that.
 * A blank setting is refused rather than taken for "not set": half-filled deployments must not start.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SettingError } from './errors.ts';

const CONFIG_FILE = 'doorbuster.config.json';

/** Key in the config file → environment variable, and the flag without its dashes where there is one. */
const SETTINGS = {
  host: { variable: 'DOORBUSTER_HOST', flag: 'host' },
  port: { variable: 'DOORBUSTER_PORT', flag: 'port' },
  data: { variable: 'DOORBUSTER_DATA', flag: 'data' },
  database: { variable: 'DOORBUSTER_DATABASE_URL', flag: 'database' },
  databaseConnections: { variable: 'DOORBUSTER_DATABASE_CONNECTIONS', flag: null },
  redis: { variable: 'DOORBUSTER_REDIS_URL', flag: 'redis' },
  redisPrefix: { variable: 'DOORBUSTER_REDIS_PREFIX', flag: null },
  merchantKey: { variable: 'DOORBUSTER_MERCHANT_KEY', flag: null },
  buyerSecret: { variable: 'DOORBUSTER_BUYER_SECRET', flag: null },
  buyerJwksUrl: { variable: 'DOORBUSTER_BUYER_JWKS_URL', flag: null },
  buyerIssuer: { variable: 'DOORBUSTER_BUYER_ISSUER', flag: null },
  buyerAudience: { variable: 'DOORBUSTER_BUYER_AUDIENCE', flag: null },
  trustedProxies: { variable: 'DOORBUSTER_TRUSTED_PROXIES', flag: 'trusted-proxies' },
  ackWaitMs: { variable: 'DOORBUSTER_ACK_WAIT_MS', flag: null },
  queueWaitMs: { variable: 'DOORBUSTER_QUEUE_WAIT_MS', flag: null },
  graceSeconds: { variable: 'DOORBUSTER_GRACE_SECONDS', flag: null },
  origins: { variable: 'DOORBUSTER_ORIGINS', flag: null },
  url: { variable: 'DOORBUSTER_URL', flag: 'url' },
  roles: { variable: 'DOORBUSTER_ROLES', flag: 'roles' },
  processes: { variable: 'DOORBUSTER_PROCESSES', flag: 'processes' },
  log: { variable: 'DOORBUSTER_LOG', flag: 'log' },
} as const;

export type SettingName = keyof typeof SETTINGS;

export interface RawSetting {
  readonly text: string;
  /** As an operator would call it: `--port`, `DOORBUSTER_PORT`, `port in doorbuster.config.json`. */
  readonly source: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;
/** Flags as given, by their name without dashes. */
export type Flags = Readonly<Record<string, string | undefined>>;

const SECRETS: ReadonlySet<SettingName> = new Set(['merchantKey', 'buyerSecret']);
const SHOWN_LENGTH_MAX = 80;

export class SettingSources {
  readonly #flags: Flags;
  readonly #environment: Environment;
  readonly #config: ReadonlyMap<string, string>;

  /** Reads the config file of `folder`. Throws SettingError where it cannot be used. */
  constructor(options: { flags: Flags; environment: Environment; folder: string }) {
    this.#flags = options.flags;
    this.#environment = options.environment;
    this.#config = configOf(options.folder);
  }

  /** The setting, or null where nobody set it. Throws SettingError for a blank one. */
  find(name: SettingName): RawSetting | null {
    const { variable, flag } = SETTINGS[name];
    const found =
      raw(flag === null ? undefined : this.#flags[flag], `--${flag}`) ??
      raw(this.#environment[variable], variable) ??
      raw(this.#config.get(name), `${name} (${variable}) in ${CONFIG_FILE}`);
    if (found !== null && found.text.trim() === '')
      throw new SettingError(`${found.source} is blank; set it or leave it out`);
    return found;
  }

  /** Variables that begin like ours and name no setting: likely misspelt. */
  unknownVariables(): readonly string[] {
    const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
    return Object.keys(this.#environment).filter((name) => name.startsWith('DOORBUSTER_') && !known.has(name));
  }
}

/** The one line of a refusal: the setting, its value (a secret's is masked) and what is allowed. */
export function settingError(name: SettingName, { text, source }: RawSetting, allowed: string): SettingError {
  return new SettingError(`${source} is ${SECRETS.has(name) ? masked(text) : shown(text)}; allowed: ${allowed}`);
}

const raw = (text: string | undefined, source: string): RawSetting | null =>
  text === undefined ? null : { text, source };

const masked = (text: string): string => `*** (${text.length} characters)`;

/** In quotes, on one line, without what an address carries as user and password. */
function shown(text: string): string {
  const open = text.replace(/\/\/[^/@\s]*@/, '//***@');
  return JSON.stringify(open.length > SHOWN_LENGTH_MAX ? `${open.slice(0, SHOWN_LENGTH_MAX)}…` : open);
}

function configOf(folder: string): ReadonlyMap<string, string> {
  const config = parsedConfig(folder);
  const settings = new Map<string, string>();
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(SETTINGS, name)) {
      const known = Object.keys(SETTINGS).join(', ');
      throw new SettingError(`${CONFIG_FILE} has the unknown key ${JSON.stringify(name)}; allowed: ${known}`);
    }
    settings.set(name, textOf(name as SettingName, value));
  }
  return settings;
}

function parsedConfig(folder: string): object {
  let text: string;
  try {
    text = readFileSync(path.join(folder, CONFIG_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new SettingError(`${CONFIG_FILE} cannot be read: ${(error as Error).message}`);
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    // The parser's message quotes the file, which may hold secrets.
    throw new SettingError(`${CONFIG_FILE} is no valid JSON; allowed: an object of settings`);
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new SettingError(`${CONFIG_FILE} holds no object; allowed: an object of settings`);
  return config;
}

/** Numbers and lists may be written as such; a list becomes what a variable would say. */
function textOf(name: SettingName, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(',')))
    return value.join(',');
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'a list of other things than texts' : `a ${typeof value}`;
  throw new SettingError(`${name} in ${CONFIG_FILE} is ${kind}; allowed: a text, a number or a list of texts`);
}
