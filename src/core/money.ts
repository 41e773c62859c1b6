/**
 * Money: integers in minor units beside an ISO 4217 code, and the one multiplication that we do.
 * Bounds are API.md's (price to 10^12, quantity to 1,000), so a product stays below 2^53 and is exact.
 */
import type { Minor } from './scalars.ts';

export const PRICE_MINOR_MAX = 1_000_000_000_000;
export const QUANTITY_MAX = 1_000;

/** Unit price times quantity, exact. */
export const amountOf = (unitPriceMinor: Minor, quantity: number): Minor => (unitPriceMinor * quantity) as Minor;

export const isCurrency = (code: string): boolean => /^[A-Z]{3}$/.test(code);
