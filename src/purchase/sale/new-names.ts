/** The random names that a sale is given: an id where the merchant chose none, and the purchase key of its opening. */
import { randomBytes } from 'node:crypto';
import type { SaleId } from '../../core/scalars.ts';

export const newSaleId = (): SaleId => `sale-${randomBytes(9).toString('hex')}` as SaleId;

/** 144 random bits: nobody guesses it before the sale shows it (I6). */
export const newPurchaseKey = (): string => randomBytes(18).toString('base64url');
