/** Tokens for buyers: those that the merchant asks for, and guests. */
import { Type } from 'typebox';
import { AnyObject, BuyerIdText, strict } from './common.ts';

const TOKENS_PER_CALL_MAX = 1000;

export const MintTokens = strict({
  buyers: Type.Array(strict({ id: BuyerIdText, attributes: Type.Optional(AnyObject()) }), {
    minItems: 1,
    maxItems: TOKENS_PER_CALL_MAX,
  }),
  expiresInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800, default: 3600 })),
});

const token = { buyerId: BuyerIdText, token: Type.String() };

export const TokensView = Type.Object({ tokens: Type.Array(Type.Object(token)) });
export const GuestView = Type.Object(token);
