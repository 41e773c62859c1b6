/** Tokens that the merchant's backend asks for on behalf of its signed-in customers. */
import type { FastifyInstance } from 'fastify';
import { isBuyerId } from '../../core/scalars.ts';
import { RESERVED_CLAIMS } from '../../purchase/gate/claims.ts';
import type { Shop } from '../../purchase/shop.ts';
import { hasInfinity } from '../details.ts';
import { answer, invalid, type Outcome } from '../outcome.ts';
import { MintTokens, TokensView } from '../schemas/buyers.ts';
import type { Fault } from '../validation.ts';
import { addRoute } from './route.ts';

const EXPIRES_SECONDS_DEFAULT = 3600;
/** A token travels in a header of every request, and Node takes 16 KiB of headers. */
const ATTRIBUTES_BYTES_MAX = 2048;

export function addTokenRoutes(app: FastifyInstance, shop: Shop): void {
  addRoute(app, {
    method: 'POST',
    url: '/v1/merchant/buyer-tokens',
    plane: 'merchant',
    summary: 'Tokens for buyers',
    body: MintTokens,
    answers: { 200: TokensView },
    // Nothing stands afterwards but the tokens themselves: a repeated key makes new ones for the same buyers.
    handle: ({ body }): Outcome => {
      const { buyers, expiresInSeconds = EXPIRES_SECONDS_DEFAULT } = body;
      const faults: Fault[] = [];
      const tokens = buyers.flatMap(({ id, attributes = {} }, at) => {
        const fault = attributesFault(attributes);
        if (!isBuyerId(id)) faults.push({ path: `/buyers/${at}/id`, message: 'is no buyer id' });
        else if (fault !== null) faults.push({ path: `/buyers/${at}/attributes`, message: fault });
        else return [{ buyerId: id, token: shop.buyerTokens.mint({ buyerId: id, attributes, expiresInSeconds }) }];
        return [];
      });
      return faults.length > 0 ? invalid(faults.slice(0, 20)) : answer(200, { tokens });
    },
  });
}

function attributesFault(attributes: object): string | null {
  if (Object.keys(attributes).some((name) => RESERVED_CLAIMS.has(name)))
    return `must not be named ${[...RESERVED_CLAIMS].join(', ')}`;
  if (hasInfinity(attributes)) return 'has a number that is too large';
  const bytes = Buffer.byteLength(JSON.stringify(attributes));
  return bytes > ATTRIBUTES_BYTES_MAX ? `may have at most ${ATTRIBUTES_BYTES_MAX} bytes` : null;
}
