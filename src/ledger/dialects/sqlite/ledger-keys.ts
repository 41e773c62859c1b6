/**
 * The keys that Doorbuster itself signs with, made once and kept in the ledger, so that all servers of an
 * installation share them: the MAC key of order ids and the Ed25519 key of receipts.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Database } from './driver.ts';

export interface LedgerKeys {
  readonly orderId: Uint8Array;
  readonly receipt: { readonly kid: string; readonly privateKeyPem: string };
}

const ORDER_ID_KEY_BYTES = 32;

export function loadKeys(db: Database, nowMs: number): LedgerKeys {
  const orderId = Buffer.from(
    keep(db, 'order_id', nowMs, () => randomBytes(ORDER_ID_KEY_BYTES).toString('base64')),
    'base64',
  );
  const privateKeyPem = keep(db, 'receipt', nowMs, newReceiptKey);
  const kid = createHash('sha256').update(publicKeyOf(privateKeyPem)).digest('base64url').slice(0, 16);
  return { orderId, receipt: { kid, privateKeyPem } };
}

const publicKeyOf = (privateKeyPem: string): Buffer =>
  createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });

const newReceiptKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The stored value, or the one just made; the first to insert wins. */
function keep(db: Database, name: string, nowMs: number, make: () => string): string {
  const find = () => db.prepare('SELECT value FROM keys WHERE name = ?').get(name) as { value: string } | undefined;
  const known = find();
  if (known !== undefined) return known.value;
  db.prepare('INSERT INTO keys (name, value, created_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(
    name,
    make(),
    nowMs,
  );
  return (find() as { value: string }).value;
}
