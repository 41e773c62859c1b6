/**
 * The keys that Doorbuster itself signs with, made once and kept in the ledger, so that all servers of an
 * installation share them: the MAC key of order ids and the Ed25519 key of receipts. Each dialect stores them by
 * name; the first to insert wins.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';

export interface LedgerKeys {
  readonly orderId: Uint8Array;
  readonly receipt: { readonly kid: string; readonly privateKeyPem: string };
}

const ORDER_ID_KEY_BYTES = 32;

/** What makes each key, as the text that is stored. */
export const NEW_KEYS = {
  order_id: (): string => randomBytes(ORDER_ID_KEY_BYTES).toString('base64'),
  receipt: (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
} as const;

export type KeyName = keyof typeof NEW_KEYS;
export const KEY_NAMES = Object.keys(NEW_KEYS) as readonly KeyName[];

export function keysOf(stored: Readonly<Record<KeyName, string>>): LedgerKeys {
  const { order_id: orderId, receipt: privateKeyPem } = stored;
  const kid = createHash('sha256').update(publicKeyOf(privateKeyPem)).digest('base64url').slice(0, 16);
  return { orderId: Buffer.from(orderId, 'base64'), receipt: { kid, privateKeyPem } };
}

const publicKeyOf = (privateKeyPem: string): Buffer =>
  createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });
