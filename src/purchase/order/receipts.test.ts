/** A receipt can be verified with the published key alone, and not after a single change. */
import { generateKeyPairSync } from 'node:crypto';
import { compactVerify, createLocalJWKSet } from 'jose';
import { expect, it } from 'vitest';
import type { OrderRow } from '../../core/books.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { Receipts } from './receipts.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const receipts = new Receipts({
  kid: 'k1',
  privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const row = {
  saleId: 'drop',
  currency: 'EUR',
  refundsDue: [],
  order: { orderId: 'o1', sku: 'tee-m', quantity: 2, unitPriceMinor: 5, status: 'held', placedAtMs: 0, updatedAtMs: 0 },
} as unknown as OrderRow;

it('is a compact JWS over order, item, quantity, status and time', async () => {
  const keys = createLocalJWKSet(structuredClone(receipts.jwks()) as never);
  const receipt = receipts.sign(row, 1_790_000_000_000 as EpochMs);
  const { payload, protectedHeader } = await compactVerify(receipt, keys, { algorithms: ['EdDSA'] });
  expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: 'k1' });
  expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
    orderId: 'o1',
    saleId: 'drop',
    sku: 'tee-m',
    quantity: 2,
    status: 'held',
    at: '2026-09-21T14:13:20.000Z',
  });
  const [header, , signature] = receipt.split('.');
  const other = Buffer.from('{"status":"paid"}').toString('base64url');
  await expect(compactVerify(`${header}.${other}.${signature}`, keys)).rejects.toThrow();
});

it('publishes no private part', () => {
  expect(JSON.stringify(receipts.jwks())).not.toContain('"d"');
});
