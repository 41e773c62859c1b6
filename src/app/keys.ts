/** What `keys show` and `keys rotate` do: the secret that a start would use, and a new one in its place. */
import { existsSync } from 'node:fs';
import { SettingError } from '../kit/errors.ts';
import { SettingSources } from '../kit/setting-sources.ts';
import { readSecret, rotateSecret, type SecretName, secretPath } from './secrets.ts';
import { readDataFolder, type SettingsInput } from './settings.ts';

export type KeyKind = 'merchant' | 'buyer';

const KINDS: Readonly<Record<KeyKind, { file: SecretName; setting: 'merchantKey' | 'buyerSecret' }>> = {
  merchant: { file: 'merchant-key', setting: 'merchantKey' },
  buyer: { file: 'buyer-secret', setting: 'buyerSecret' },
};

export interface FoundKey {
  readonly value: string;
  /** Where it comes from: a variable, a key of the config file, a file. */
  readonly source: string;
}

/** The secret that a server started here would use, or null where the first start would make one. */
export function findKey(input: SettingsInput, kind: KeyKind): FoundKey | null {
  const { file, setting } = KINDS[kind];
  const set = new SettingSources(input).find(setting);
  if (set !== null) return { value: set.text, source: set.source };
  const folder = readDataFolder(input);
  const value = readSecret(folder, file);
  return value === null ? null : { value, source: secretPath(folder, file) };
}

/** Writes a new secret into the data folder; a server that runs goes on with the old one until it is restarted. */
export function rotateKey(input: SettingsInput, kind: KeyKind): FoundKey {
  const { file, setting } = KINDS[kind];
  const set = new SettingSources(input).find(setting);
  if (set !== null)
    throw new SettingError(
      `${set.source} is set, so a new file would change nothing; allowed: rotate it where it is set`,
    );
  const folder = readDataFolder(input);
  if (!existsSync(folder)) throw new SettingError(`there is no data folder ${folder}; allowed: one that a server made`);
  return { value: rotateSecret(folder, file), source: secretPath(folder, file) };
}
