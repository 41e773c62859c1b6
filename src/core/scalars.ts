/**
 * The branded scalars that everything else is made of, and the one rule by which two buyer ids are the
 * same buyer. Called from every layer. Pure: no I/O, clock or randomness.
 *
 * Ids are compared byte for byte (ownership, keys); only limits compare the normalised `BuyerKey` (I4).
 */
declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type SaleId = Brand<string, 'SaleId'>;
export type Sku = Brand<string, 'Sku'>;
export type OrderId = Brand<string, 'OrderId'>;
/** A buyer id exactly as the token carries it: owns orders and idempotency keys. */
export type BuyerId = Brand<string, 'BuyerId'>;
/** A buyer id normalised for limits: NFC, trimmed, case folded. */
export type BuyerKey = Brand<string, 'BuyerKey'>;
/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** An amount in the currency's minor unit, a safe integer. */
export type Minor = Brand<number, 'Minor'>;

/** `saleId` and `sku`: 1 to 64 of `A-Z a-z 0-9 . _ -`, beginning with a letter or digit (API.md, Conventions). */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';
const NAME = new RegExp(NAME_PATTERN);

export const isSaleId = (text: string): text is SaleId => NAME.test(text);
export const isSku = (text: string): text is Sku => NAME.test(text);

const BUYER_ID_LENGTH_MAX = 128;

const hasControl = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
};

/** 1 to 128 characters (code points), no control characters, well-formed Unicode. */
export function isBuyerId(text: unknown): text is BuyerId {
  if (typeof text !== 'string' || text === '' || text.length > 2 * BUYER_ID_LENGTH_MAX) return false;
  if (text.length > BUYER_ID_LENGTH_MAX && [...text].length > BUYER_ID_LENGTH_MAX) return false;
  return !hasControl(text) && text.isWellFormed();
}

const ALREADY_FOLDED = /^[a-z0-9._:@-]+$/;

/**
 * The key that limits and lists compare: NFC, trimmed, case folded. Folding goes down, up and down again, so that
 * `ẞ`, `ß` and `SS` meet. Cost: one regular expression for ids that are folded already, which most are.
 */
export function buyerKeyOf(buyerId: BuyerId): BuyerKey {
  if (ALREADY_FOLDED.test(buyerId)) return buyerId as string as BuyerKey;
  return buyerId.normalize('NFC').trim().toLowerCase().toUpperCase().toLowerCase().normalize('NFC') as BuyerKey;
}

/** 1 to 255 visible ASCII characters (API.md, Idempotency-Key). */
export const isIdempotencyKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text);
