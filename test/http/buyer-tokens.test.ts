/**
 * Forged, bent and borrowed buyer tokens. A request for the buyer's own orders stands for all shopper routes (that
 * every route asks is shown in authorization.test.ts). What must be accepted is tested beside, so that no
 * refusal passes because the forging was clumsy.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem } from '../support/expecting.ts';
import { mintToken, type Reply, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let sale: { saleId: string; purchaseKey: string };

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
  sale = await server.openSale({ limitPerBuyer: null });
});
afterAll(async () => {
  await server.stop();
});

const own = (token: string, on: TestServer = server, saleId = sale.saleId): Promise<Reply> =>
  on.request('GET', `/v1/sales/${saleId}/orders`, { headers: { authorization: `Bearer ${token}` } });

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const nowSeconds = () => Math.floor(Date.now() / 1000);
const claims = (change: Record<string, unknown> = {}) => ({ sub: 'ann', exp: nowSeconds() + 3600, ...change });

/** header.payload, signed by HMAC of the hash with the secret, whatever the header says. */
function signed(header: unknown, payload: unknown, options: { hash?: string; secret?: string } = {}): string {
  const text = `${base64(header)}.${base64(payload)}`;
  const mac = createHmac(options.hash ?? 'sha256', options.secret ?? server.buyerSecret)
    .update(text)
    .digest('base64url');
  return `${text}.${mac}`;
}
const hs256 = { alg: 'HS256', typ: 'JWT' };

describe('accepted', () => {
  const good: [string, () => string][] = [
    ['a plain token', () => mintToken(server.buyerSecret, 'ann')],
    ['no typ', () => signed({ alg: 'HS256' }, claims())],
    ['typ before alg', () => signed('{"typ":"JWT","alg":"HS256"}', claims())],
    ['a kid, which HS256 does not need', () => signed({ ...hs256, kid: 'main' }, claims())],
    ['a past nbf', () => signed(hs256, claims({ nbf: nowSeconds() - 60 }))],
    ['attributes', () => signed(hs256, claims({ level: 7, phone: '+49', profileComplete: true, nested: { a: [1] } }))],
    ['a sub of 128 characters', () => signed(hs256, claims({ sub: 'x'.repeat(128) }))],
    ['a sub of any script', () => signed(hs256, claims({ sub: '买家-Ünï-👩‍🚀' }))],
    ['a fraction in exp', () => signed(hs256, claims({ exp: nowSeconds() + 60.5 }))],
  ];
  it.each(good)('%s', async (_, make) => {
    expectOk(await own(make()));
  });
});

describe('refused', () => {
  const bad: [string, () => string][] = [
    ...['none', 'None', 'NONE', 'nOnE', ''].map((alg): [string, () => string] => [
      `alg ${JSON.stringify(alg)}, no signature`,
      () => `${base64({ alg, typ: 'JWT' })}.${base64(claims())}.`,
    ]),
    ['alg none, signed all the same', () => signed({ alg: 'none' }, claims())],
    ['no alg', () => signed({ typ: 'JWT' }, claims())],
    ['alg hs256 in small letters', () => signed({ alg: 'hs256' }, claims())],
    ['alg a list', () => signed({ alg: ['HS256'] }, claims())],
    ['HS384 with the right secret', () => signed({ alg: 'HS384' }, claims(), { hash: 'sha384' })],
    ['HS512 with the right secret', () => signed({ alg: 'HS512' }, claims(), { hash: 'sha512' })],
    ['HS256 said, SHA-512 done', () => signed(hs256, claims(), { hash: 'sha512' })],
    ['HS512 said, SHA-256 done', () => signed({ alg: 'HS512' }, claims())],
    ...['RS256', 'ES256', 'EdDSA', 'PS256'].map((alg): [string, () => string] => [
      `${alg} said, HMAC done`,
      () => signed({ alg, typ: 'JWT' }, claims()),
    ]),
    ['an empty secret', () => signed(hs256, claims(), { secret: '' })],
    ['another secret', () => signed(hs256, claims(), { secret: 'x'.repeat(43) })],
    ['the secret with a newline', () => signed(hs256, claims(), { secret: `${server.buyerSecret}\n` })],
    ['crit, which nobody understands', () => signed({ ...hs256, crit: ['x'], x: 1 }, claims())],
    ['an unencoded payload', () => signed({ ...hs256, b64: false, crit: ['b64'] }, claims())],
    ['no signature', () => signed(hs256, claims()).replace(/\.[^.]*$/, '.')],
    ['no third part', () => signed(hs256, claims()).replace(/\.[^.]*$/, '')],
    ['a fourth part', () => `${signed(hs256, claims())}.x`],
    ['half a signature', () => signed(hs256, claims()).slice(0, -20)],
    ['a longer signature', () => `${signed(hs256, claims())}AAAA`],
    [
      'a signature in hex',
      () => {
        const [head, body, mac] = signed(hs256, claims()).split('.') as [string, string, string];
        return `${head}.${body}.${Buffer.from(mac, 'base64url').toString('hex')}`;
      },
    ],
    ['a header that is no JSON', () => signed('alg=HS256', claims())],
    ['a header that is a list', () => signed('["HS256"]', claims())],
    ['a payload that is no JSON', () => signed(hs256, 'sub=ann')],
    ['a payload that is a list', () => signed(hs256, '["ann"]')],
    ['a payload that is null', () => signed(hs256, 'null')],
    ['an empty payload', () => signed(hs256, '')],
    ['no exp', () => signed(hs256, { sub: 'ann' })],
    ['exp null', () => signed(hs256, claims({ exp: null }))],
    ['exp as text', () => signed(hs256, claims({ exp: '9999999999' }))],
    ['exp as a list', () => signed(hs256, claims({ exp: [9_999_999_999] }))],
    ['exp true', () => signed(hs256, claims({ exp: true }))],
    ['exp infinite', () => signed(hs256, '{"sub":"ann","exp":1e999}')],
    ['exp now', () => signed(hs256, claims({ exp: nowSeconds() }))],
    ['exp long past', () => signed(hs256, claims({ exp: 0 }))],
    ['exp negative', () => signed(hs256, claims({ exp: -1 }))],
    ['nbf to come', () => signed(hs256, claims({ nbf: nowSeconds() + 3600 }))],
    ['nbf as text', () => signed(hs256, claims({ nbf: 'soon' }))],
    ['no sub', () => signed(hs256, { exp: nowSeconds() + 60 })],
    ['sub empty', () => signed(hs256, claims({ sub: '' }))],
    ['sub null', () => signed(hs256, claims({ sub: null }))],
    ['sub a number', () => signed(hs256, claims({ sub: 7 }))],
    ['sub a list', () => signed(hs256, claims({ sub: ['ann'] }))],
    ['sub an object', () => signed(hs256, claims({ sub: { id: 'ann' } }))],
    ['sub of 129 characters', () => signed(hs256, claims({ sub: 'x'.repeat(129) }))],
    ...['\u0000', '\n', '\r', '\t', '\u001b', '\u007f', '\u0085'].map((mark): [string, () => string] => [
      `sub with ${JSON.stringify(mark)}`,
      () => signed(hs256, claims({ sub: `an${mark}n` })),
    ]),
    ['sub with half a surrogate pair', () => signed(hs256, `{"sub":"an\\ud800n","exp":${nowSeconds() + 60}}`)],
    ['sub inherited through __proto__', () => signed(hs256, `{"__proto__":{"sub":"ann"},"exp":${nowSeconds() + 60}}`)],
    ['only dots', () => '..'],
    ['a long one', () => 'a'.repeat(6000)],
    ['a long one with dots', () => `${'a'.repeat(2000)}.${'b'.repeat(2000)}.${'c'.repeat(2000)}`],
  ];
  it.each(bad)('%s', async (_, make) => {
    expectProblem(await own(make()), 'unauthenticated');
  });

  it('a key that the token itself brings', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' });
    for (const header of [
      { alg: 'EdDSA', jwk },
      { alg: 'EdDSA', kid: 'x', jku: 'http://127.0.0.1:1/keys' },
    ]) {
      expectProblem(await own(signedBy(privateKey, header, claims())), 'unauthenticated');
    }
  });

  it('a receipt, though the server has signed it', async () => {
    const order = expectOk(await server.order(sale, 'ann'), 201);
    const { receipt } = expectOk(await server.shopper('ann', 'GET', `/v1/orders/${order.orderId}`));
    expectProblem(await own(receipt), 'unauthenticated');
  });

  it('any one bit flipped, in any part', async () => {
    const token = mintToken(server.buyerSecret, 'ann');
    const parts = token.split('.') as [string, string, string];
    for (const index of [0, 1, 2]) {
      const bytes = Buffer.from(parts[index] as string, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 5) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        const forged = parts.with(index, flipped.toString('base64url')).join('.');
        const reply = await own(forged);
        expect(reply.body.code, `part ${index}, bit ${bit}`).toBe('unauthenticated');
      }
    }
    expectOk(await own(token));
  });

  it('parts of two good tokens', async () => {
    const ann = mintToken(server.buyerSecret, 'ann').split('.');
    const ben = mintToken(server.buyerSecret, 'ben').split('.');
    expectOk(await own(ann.join('.')));
    expectOk(await own(ben.join('.')));
    expectProblem(await own([ann[0], ann[1], ben[2]].join('.')), 'unauthenticated');
    expectProblem(await own([ann[0], ben[1], ann[2]].join('.')), 'unauthenticated');
  });

  it('a token that was good until just now, though it has been seen before', async () => {
    const token = signed(hs256, claims({ exp: nowSeconds() + 3 }));
    expectOk(await own(token));
    const endMs = Date.now() + 15_000;
    for (;;) {
      const reply = await own(token);
      if (reply.status === 401) break;
      expect(Date.now()).toBeLessThan(endMs);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});

function signedBy(key: KeyObject, header: Record<string, unknown>, payload: unknown): string {
  const text = `${base64(header)}.${base64(payload)}`;
  const ecdsa = key.asymmetricKeyType === 'ec';
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(hash, Buffer.from(text), ecdsa ? { key, dsaEncoding: 'ieee-p1363' } : key);
  return `${text}.${signature.toString('base64url')}`;
}

describe('tokens of a JWKS', () => {
  const keys = {
    ed: generateKeyPairSync('ed25519'),
    ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    stranger: generateKeyPairSync('ed25519'),
  };
  const jwk = (name: 'ed' | 'ec' | 'rsa', alg: string) => ({
    ...keys[name].publicKey.export({ format: 'jwk' }),
    kid: name,
    alg,
    use: 'sig',
  });
  let shop: Server;
  let bound: TestServer;
  let saleId: string;
  const issuer = 'https://shop.example';
  const audience = 'doorbuster';
  const full = (change: Record<string, unknown> = {}) => claims({ iss: issuer, aud: audience, ...change });
  const see = (token: string) => own(token, bound, saleId);

  beforeAll(async () => {
    shop = createServer((_, answer) => {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ keys: [jwk('ed', 'EdDSA'), jwk('ec', 'ES256'), jwk('rsa', 'RS256')] }));
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    bound = await startServer({
      env: {
        DOORBUSTER_BUYER_JWKS_URL: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/keys`,
        DOORBUSTER_BUYER_ISSUER: issuer,
        DOORBUSTER_BUYER_AUDIENCE: audience,
      },
    });
    saleId = (await bound.openSale()).saleId;
  });
  afterAll(async () => {
    await bound.stop();
    shop.close();
  });

  it.each([
    ['EdDSA', 'ed'],
    ['ES256', 'ec'],
    ['RS256', 'rsa'],
  ] as const)('%s of a published key is accepted', async (alg, name) => {
    expectOk(await see(signedBy(keys[name].privateKey, { alg, kid: name }, full())));
    expectOk(await see(signedBy(keys[name].privateKey, { alg, kid: name }, full({ aud: ['other', audience] }))));
  });

  const bad: [string, () => string][] = [
    ['a key that is not published', () => signedBy(keys.stranger.privateKey, { alg: 'EdDSA', kid: 'ed' }, full())],
    ['an unknown kid', () => signedBy(keys.stranger.privateKey, { alg: 'EdDSA', kid: 'stranger' }, full())],
    ['the kid of another key', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ec' }, full())],
    ['a kid that is a path', () => signedBy(keys.stranger.privateKey, { alg: 'EdDSA', kid: '../../dev/null' }, full())],
    [
      'another issuer',
      () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ iss: 'https://evil.example' })),
    ],
    ['no issuer', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ iss: undefined }))],
    ['another audience', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ aud: 'other' }))],
    ['no audience', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ aud: undefined }))],
    ['no exp', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ exp: undefined }))],
    ['exp past', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ exp: nowSeconds() - 60 }))],
    [
      'nbf to come',
      () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ nbf: nowSeconds() + 3600 })),
    ],
    ['no sub', () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ sub: undefined }))],
    [
      'sub with a control character',
      () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ sub: 'a\nb' })),
    ],
    [
      'sub of 129 characters',
      () => signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full({ sub: 'x'.repeat(129) })),
    ],
    [
      'HS256 with the public key as the secret',
      () => {
        const pem = keys.rsa.publicKey.export({ format: 'pem', type: 'spki' }) as string;
        return signed({ alg: 'HS256', kid: 'rsa' }, full(), { secret: pem });
      },
    ],
    [
      'HS256 with the public JWK as the secret',
      () =>
        signed({ alg: 'HS256', kid: 'ed' }, full(), {
          secret: keys.ed.publicKey.export({ format: 'jwk' }).x as string,
        }),
    ],
    ['alg none', () => `${base64({ alg: 'none', kid: 'ed' })}.${base64(full())}.`],
  ];
  it.each(bad)('%s is refused', async (_, make) => {
    expectProblem(await see(make()), 'unauthenticated');
  });

  it('does not open the merchant plane', async () => {
    const token = signedBy(keys.ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, full());
    const headers = { authorization: `Bearer ${token}` };
    expectProblem(await bound.request('GET', '/v1/merchant/sales', { headers }), 'forbidden');
  });
});
