/** Buyer tokens: those that are right, and every way we know of making a wrong one look right. */
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, exportJWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BuyerId } from '../../core/scalars.ts';
import { OperatingError } from '../../kit/errors.ts';
import { BuyerTokens, newGuestId } from './buyer-tokens.ts';

const SECRET = 'a-secret-of-the-shop-with-40-characters!';
const NOW_MS = 1_790_000_000_000;
const now = NOW_MS / 1000;

const tokens = new BuyerTokens({ secrets: [SECRET], jwks: null, now: () => NOW_MS });

const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function forge(parts: { header?: unknown; claims?: unknown; secret?: string; hash?: string }): string {
  const { header = { alg: 'HS256', typ: 'JWT' }, claims = { sub: 'ann', exp: now + 60 } } = parts;
  const { secret = SECRET, hash = 'sha256' } = parts;
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

describe('a token with the shared secret', () => {
  it('says who the buyer is, for limits too', () => {
    const claims = { sub: ' Ann@X.com', exp: now + 60, level: 3 };
    expect(tokens.verify(forge({ claims }))).toMatchObject({
      buyerId: ' Ann@X.com',
      buyerKey: 'ann@x.com',
      saleId: null,
    });
  });

  it('is found again in memory, until it expires', () => {
    let at = NOW_MS;
    const own = new BuyerTokens({ secrets: [SECRET], jwks: null, now: () => at });
    const token = forge({ claims: { sub: 'ann', exp: now + 60 } });
    expect(own.verify(token)).not.toBeNull();
    at += 59_999;
    expect(own.verify(token)).not.toBeNull();
    at += 1;
    expect(own.verify(token)).toBeNull();
  });

  it('verifies with the old secret too while secrets are rotated; the new one signs', () => {
    const rotated = new BuyerTokens({
      secrets: ['the-new-secret-with-over-32-characters', SECRET],
      jwks: null,
      now: () => NOW_MS,
    });
    expect(rotated.verify(forge({}))).not.toBeNull();
    const minted = rotated.mint({ buyerId: 'ann' as BuyerId, expiresInSeconds: 60 });
    expect(rotated.verify(minted)).not.toBeNull();
    expect(tokens.verify(minted)).toBeNull();
  });

  it('that was minted carries attributes, sale and expiry, and no attribute becomes the buyer', () => {
    const attributes = { level: 2, sub: 'other', exp: now + 9999 };
    const token = tokens.mint({ buyerId: newGuestId(), attributes, expiresInSeconds: 60, saleId: 'drop' });
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ level: 2, exp: now + 60, sale: 'drop' });
    expect(claims.sub).toMatch(/^guest:/);
    expect(tokens.verify(token)).toMatchObject({ buyerId: claims.sub, saleId: 'drop' });
  });

  const valid = forge({});
  const [header = '', claims = '', signature = ''] = valid.split('.');
  // The last of 43 characters carries 4 bits: three more spellings decode to the same bytes.
  const last = signature.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const respelt = signature.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1];

  it.each([
    ['nothing', ''],
    ['no dots', 'abc'],
    ['one dot', 'a.b'],
    ['four parts', `${valid}.x`],
    ['dots alone', '..'],
    ['another secret', forge({ secret: 'another-secret-with-over-32-characters' })],
    ['an empty secret', forge({ secret: '' })],
    ['alg none', forge({ header: { alg: 'none' } })],
    ['alg none without a signature', `${encoded({ alg: 'none' })}.${claims}.`],
    ['alg nOnE', `${encoded({ alg: 'nOnE' })}.${claims}.`],
    ['alg hs256 in small letters', forge({ header: { alg: 'hs256' } })],
    ['HS512', forge({ header: { alg: 'HS512' }, hash: 'sha512' })],
    ['HS256 signed as SHA-512', forge({ hash: 'sha512' })],
    ['a list of algs', forge({ header: { alg: ['HS256'] } })],
    ['no alg', forge({ header: { typ: 'JWT' } })],
    ['a header that is null', forge({ header: 'null' })],
    ['a header that is no JSON', forge({ header: '{' })],
    ['crit', forge({ header: { alg: 'HS256', crit: ['exp'] } })],
    ['b64', forge({ header: { alg: 'HS256', b64: false } })],
    ['RS256 without a key set', forge({ header: { alg: 'RS256' } })],
    ['claims of another token', `${header}.${encoded({ sub: 'eve', exp: now + 60 })}.${signature}`],
    ['no signature', `${header}.${claims}.`],
    ['half a signature', `${header}.${claims}.${signature.slice(0, 20)}`],
    ['a padded signature', `${header}.${claims}.${signature}=`],
    ['another spelling of the signature', `${header}.${claims}.${respelt}`],
    ['a space', `${header}.${claims}.${signature} `],
    ['expired', forge({ claims: { sub: 'ann', exp: now } })],
    ['no exp', forge({ claims: { sub: 'ann' } })],
    ['exp as text', forge({ claims: { sub: 'ann', exp: String(now + 60) } })],
    ['exp null', forge({ claims: { sub: 'ann', exp: null } })],
    ['exp past every number', forge({ claims: '{"sub":"ann","exp":1e999}' })],
    ['not yet', forge({ claims: { sub: 'ann', exp: now + 60, nbf: now + 6 } })],
    ['nbf as text', forge({ claims: { sub: 'ann', exp: now + 60, nbf: '0' } })],
    ['no sub', forge({ claims: { exp: now + 60 } })],
    ['sub a number', forge({ claims: { sub: 7, exp: now + 60 } })],
    ['sub empty', forge({ claims: { sub: '', exp: now + 60 } })],
    ['sub too long', forge({ claims: { sub: 'x'.repeat(129), exp: now + 60 } })],
    ['sub with a control character', forge({ claims: { sub: 'a\nb', exp: now + 60 } })],
    ['sub with NUL', forge({ claims: { sub: 'a\u0000', exp: now + 60 } })],
    ['sub with half a character', forge({ claims: '{"sub":"\\ud800","exp":9999999999}' })],
    ['sale a list', forge({ claims: { sub: 'ann', exp: now + 60, sale: ['drop'] } })],
    ['claims a list', forge({ claims: [{ sub: 'ann', exp: now + 60 }] })],
    ['claims that are no JSON', forge({ claims: 'x' })],
    ['a megabyte', forge({ claims: { sub: 'ann', exp: now + 60, x: 'x'.repeat(1_000_000) } })],
  ])('is refused: %s', async (_, token) => {
    expect(await tokens.verify(token)).toBeNull();
  });

  it('may be five seconds ahead of our clock', () => {
    expect(tokens.verify(forge({ claims: { sub: 'ann', exp: now + 60, nbf: now + 5 } }))).not.toBeNull();
  });
});

describe('a token of a key set', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ed = generateKeyPairSync('ed25519');
  const jwks = { url: 'http://127.0.0.1:9/keys', issuer: 'https://id.example', audience: 'doorbuster' };
  let own: BuyerTokens;

  const published = async (key: KeyObject, kid: string, alg: string) => ({ ...(await exportJWK(key)), kid, alg });
  const sign = (
    change: { alg?: string; kid?: string; key?: KeyObject; issuer?: string; audience?: string; exp?: number } = {},
  ) =>
    new SignJWT({ level: 1 })
      .setProtectedHeader({ alg: change.alg ?? 'RS256', kid: change.kid ?? 'rsa' })
      .setSubject('ann')
      .setIssuer(change.issuer ?? jwks.issuer)
      .setAudience(change.audience ?? jwks.audience)
      .setExpirationTime(change.exp ?? now + 60)
      .sign(change.key ?? rsa.privateKey);

  beforeAll(async () => {
    const keys = [await published(rsa.publicKey, 'rsa', 'RS256'), await published(ed.publicKey, 'ed', 'EdDSA')];
    own = new BuyerTokens({ secrets: [SECRET], jwks, now: () => NOW_MS, keySet: createLocalJWKSet({ keys }) });
  });

  it('is taken, with RSA and with Ed25519, and then from memory', async () => {
    const token = await sign();
    expect(await own.verify(token)).toMatchObject({ buyerId: 'ann' });
    expect(own.verify(token)).toMatchObject({ buyerId: 'ann' });
    expect(await own.verify(await sign({ alg: 'EdDSA', kid: 'ed', key: ed.privateKey }))).toMatchObject({
      buyerId: 'ann',
    });
  });

  it('stands beside those of the shared secret', () => {
    expect(own.verify(forge({}))).toMatchObject({ buyerId: 'ann' });
  });

  it.each([
    ['another issuer', () => sign({ issuer: 'https://evil.example' })],
    ['another audience', () => sign({ audience: 'somebody-else' })],
    ['expired', () => sign({ exp: now - 1 })],
    ['another key', () => sign({ key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey })],
    ['an unknown kid', () => sign({ kid: 'lost' })],
    ['an algorithm that is not the key’s', () => sign({ alg: 'PS256' })],
    [
      'HS256 over the public key',
      async () => {
        const pem = createPublicKey(rsa.privateKey).export({ type: 'spki', format: 'pem' }).toString();
        return forge({ header: { alg: 'HS256', kid: 'rsa' }, secret: pem });
      },
    ],
  ])('is refused: %s', async (_, make) => {
    expect(await own.verify(await make())).toBeNull();
  });

  it('cannot be judged while the keys cannot be read: unavailable, not unauthenticated', async () => {
    const lost = new BuyerTokens({ secrets: [SECRET], jwks, now: () => NOW_MS });
    await expect(lost.verify(await sign())).rejects.toSatisfy(
      (error: unknown) => error instanceof OperatingError && error.code === 'unavailable' && error.effect === 'none',
    );
  });
});
