/**
 * Buyer tokens: who is asking. Called for every request of the shopper plane, so the common case (HS256 with the
 * shop's shared secret) is verified by hand, synchronously, and remembered; tokens of an identity provider go
 * through jose and its key set.
 *
 * Takes exactly the algorithms that were configured: `none`, an HMAC over a public key, an unknown `crit` or a second
 * spelling of a signature are all refused. A token says who, never what: eligibility is asked elsewhere.
 */
import { randomBytes } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { BuyerId } from '../../core/scalars.ts';
import { OperatingError } from '../../kit/errors.ts';
import { HmacSha256 } from '../../kit/hmac-sha256.ts';
import { buyerOf, isCurrent, type Verified } from './claims.ts';
import { markOf, SeenBefore } from './seen-before.ts';
import { TwoGenerations } from './two-generations.ts';

export interface JwksSettings {
  readonly url: string;
  readonly issuer: string;
  readonly audience: string;
}

export interface BuyerTokensOptions {
  /** The first signs, all verify: a rotation names the new one first. */
  readonly secrets: readonly string[];
  readonly jwks: JwksSettings | null;
  /** Wall time, milliseconds. */
  readonly now: () => number;
  /** In place of fetching `jwks.url`; for tests. */
  readonly keySet?: JWTVerifyGetKey;
}

/** What a key of a published set may sign with: never a shared secret, which a public key could be taken for. */
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Longer ones are no tokens; Node's header limit is 16 KiB for all headers together. */
const TOKEN_LENGTH_MAX = 8_192;
/** About 10 MB when full: a token and its buyer take some 300 bytes. */
const REMEMBERED_MAX = 16_384;
/** Shops use one or two headers; more are somebody's game. */
const HEADERS_MAX = 64;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export const GUEST_TOKEN_SECONDS = 7 * 24 * 3600;

export class BuyerTokens {
  readonly #secrets: readonly HmacSha256[];
  readonly #now: () => number;
  readonly #jwks: JwksSettings | null;
  readonly #keySet: JWTVerifyGetKey | null;
  readonly #known = new TwoGenerations<string, Verified>(REMEMBERED_MAX);
  readonly #seen = new SeenBefore();
  readonly #algorithms = new TwoGenerations<string, string>(HEADERS_MAX);
  readonly #header = encoded({ alg: 'HS256', typ: 'JWT' });

  constructor(options: BuyerTokensOptions) {
    this.#secrets = options.secrets.map((secret) => new HmacSha256(secret, TOKEN_LENGTH_MAX));
    this.#now = options.now;
    this.#jwks = options.jwks;
    this.#keySet = options.keySet ?? (options.jwks === null ? null : createRemoteJWKSet(new URL(options.jwks.url)));
  }

  /**
   * The buyer, or null for a token that is not right or not current. A promise only for tokens of the key set; that
   * one rejects with `unavailable` when the key set cannot be read. Cost: 4 µs, 0.3 µs from its third time on.
   */
  verify(token: string): Verified | null | Promise<Verified | null> {
    if (token.length > TOKEN_LENGTH_MAX) return null;
    const isSeen = this.#seen.note(markOf(token));
    const known = isSeen ? this.#known.get(token) : undefined;
    if (known !== undefined) return isCurrent(known, this.#now()) ? known : null;
    const headerEnd = token.indexOf('.');
    const claimsEnd = token.indexOf('.', headerEnd + 1);
    if (headerEnd < 1 || claimsEnd < 0) return null;
    const algorithm = this.#algorithmOf(token.slice(0, headerEnd));
    if (ASYMMETRIC.includes(algorithm)) return this.#verifyPublished(token);
    if (algorithm !== 'HS256') return null;
    const buyer = this.#verifyShared(token, headerEnd, claimsEnd);
    if (buyer !== null && isSeen) this.#known.set(token, buyer);
    return buyer;
  }

  /** A token signed with the first secret. `attributes` become claims; reserved names are the caller's to refuse. */
  mint(buyer: {
    buyerId: BuyerId;
    attributes?: Readonly<Record<string, unknown>>;
    expiresInSeconds: number;
    saleId?: string;
  }): string {
    const secret = this.#secrets[0];
    if (secret === undefined)
      throw new OperatingError('internal', 'there is no secret to sign with', { effect: 'none' });
    const issuedAt = Math.floor(this.#now() / 1000);
    const claims = {
      ...buyer.attributes,
      sub: buyer.buyerId,
      iat: issuedAt,
      exp: issuedAt + buyer.expiresInSeconds,
      ...(buyer.saleId === undefined ? {} : { sale: buyer.saleId }),
    };
    const signed = `${this.#header}.${encoded(claims)}`;
    return `${signed}.${secret.sign(signed)}`;
  }

  #verifyShared(token: string, headerEnd: number, claimsEnd: number): Verified | null {
    const signed = token.slice(0, claimsEnd);
    const signature = token.slice(claimsEnd + 1);
    if (!this.#secrets.some((secret) => secret.matches(signed, signature))) return null;
    const buyer = buyerOf(decoded(token.slice(headerEnd + 1, claimsEnd)));
    return buyer !== null && isCurrent(buyer, this.#now()) ? buyer : null;
  }

  async #verifyPublished(token: string): Promise<Verified | null> {
    if (this.#keySet === null || this.#jwks === null) return null;
    const { issuer, audience } = this.#jwks;
    const currentDate = new Date(this.#now());
    try {
      const how = { algorithms: ASYMMETRIC, issuer, audience, currentDate, clockTolerance: 0 };
      const { payload } = await jwtVerify(token, this.#keySet, how);
      const buyer = buyerOf(payload);
      if (buyer !== null) this.#known.set(token, buyer);
      return buyer;
    } catch (error) {
      if (isVerdict(error)) return null;
      throw new OperatingError('unavailable', 'The keys of the buyer tokens cannot be read.', {
        effect: 'none',
        retryAfterMs: 1000,
        cause: error,
      });
    }
  }

  /** The algorithm that a header names, or '' for a header that we do not take. */
  #algorithmOf(header: string): string {
    const known = this.#algorithms.get(header);
    if (known !== undefined) return known;
    const fields = decoded(header) as { alg?: unknown; crit?: unknown; b64?: unknown } | null;
    const isPlain =
      typeof fields === 'object' && fields !== null && fields.crit === undefined && fields.b64 === undefined;
    const algorithm = isPlain && typeof fields.alg === 'string' ? fields.alg : '';
    this.#algorithms.set(header, algorithm);
    return algorithm;
  }
}

/** A new guest: an id that nobody can guess or choose. */
export const newGuestId = (): BuyerId => `guest:${randomBytes(16).toString('base64url')}` as BuyerId;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(part: string): unknown {
  if (!BASE64URL.test(part)) return null;
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/** Whether jose looked at the token and said no, as against having been unable to look. */
function isVerdict(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false;
  return !(
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC'
  );
}
