/**
 * What the claims of a buyer token must be, whoever signed it: a buyer id in `sub`, a time after which it is void,
 * and perhaps a sale that it is bound to (guests). One rule for both kinds of signature.
 */
import { type BuyerId, type BuyerKey, buyerKeyOf, isBuyerId } from '../../core/scalars.ts';

/** A buyer whose token is right. */
export interface Verified {
  readonly buyerId: BuyerId;
  readonly buyerKey: BuyerKey;
  /** The only sale that this token is for (guests), or null. */
  readonly saleId: string | null;
  readonly notBeforeMs: number;
  readonly expiresAtMs: number;
}

/** Servers and shops need not agree on the second for a token that was just made (RFC 7519, 4.1.5). */
const NOT_BEFORE_LEEWAY_MS = 5_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The buyer that these claims name, whatever the time is; null where they name none. */
export function buyerOf(claims: unknown): Verified | null {
  if (!isObject(claims)) return null;
  const { sub, exp, nbf, sale } = claims;
  if (!isBuyerId(sub) || typeof exp !== 'number' || !Number.isFinite(exp)) return null;
  if (nbf !== undefined && (typeof nbf !== 'number' || !Number.isFinite(nbf))) return null;
  if (sale !== undefined && typeof sale !== 'string') return null;
  return {
    buyerId: sub,
    buyerKey: buyerKeyOf(sub),
    saleId: sale ?? null,
    notBeforeMs: nbf === undefined ? Number.NEGATIVE_INFINITY : nbf * 1000 - NOT_BEFORE_LEEWAY_MS,
    expiresAtMs: exp * 1000,
  };
}

/** `exp` has no leeway: the shop said when. */
export const isCurrent = (buyer: Verified, nowMs: number): boolean =>
  nowMs < buyer.expiresAtMs && nowMs >= buyer.notBeforeMs;

/** Claims with a meaning of their own; an attribute of this name would change what the token says. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set(['sub', 'exp', 'nbf', 'iat', 'iss', 'aud', 'jti', 'sale']);
