/**
 * Which credential a request carries, and whether it opens the plane that it knocks at. One bearer, sent once: two
 * Authorization headers could be read differently by a proxy and by us, so they count as none.
 */
import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../core/outcomes.ts';
import type { Verified } from '../purchase/gate/claims.ts';
import type { Shop } from '../purchase/shop.ts';

const BEARER = /^bearer +([^\s]+)$/i;
const NAME = 'authorization';

/** The bearer token, or null. Cost: one look at each header's length. */
export function bearerOf(request: IncomingMessage): string | null {
  const value = request.headers.authorization;
  if (value === undefined || isRepeated(request.rawHeaders)) return null;
  return BEARER.exec(value)?.[1] ?? null;
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  let seen = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (seen) return true;
    seen = true;
  }
  return false;
}

const unauthenticated = (): Refusal =>
  refuse('unauthenticated', 'This needs a credential that is right and has not expired.');

/** A buyer's token was asked for and none was right: perhaps it was the merchant's key. */
export const notABuyer = (shop: Shop, token: string | null): Refusal =>
  token !== null && shop.merchantKeys.matches(token)
    ? refuse('forbidden', 'The merchant key does not open the shopper plane.')
    : unauthenticated();

/** Null where the request carries the merchant key. Rejects where a token cannot be judged. */
export async function refusalOfMerchant(shop: Shop, request: IncomingMessage): Promise<Refusal | null> {
  const token = bearerOf(request);
  if (token === null) return unauthenticated();
  if (shop.merchantKeys.matches(token)) return null;
  const buyer: Verified | null = await shop.buyerTokens.verify(token);
  return buyer === null ? unauthenticated() : refuse('forbidden', 'A buyer token does not open the merchant plane.');
}
