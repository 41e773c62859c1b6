/**
 * The merchant key: opens the merchant plane and nothing else. Compared through digests of equal length in constant
 * time; several keys stand side by side while one is being rotated.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export class MerchantKeys {
  readonly #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digestOf);
  }

  /** Looks at every key, whichever matches. Cost: one SHA-256. */
  matches(presented: string): boolean {
    const digest = digestOf(presented);
    let found = false;
    for (const known of this.#digests) found = timingSafeEqual(known, digest) || found;
    return found;
  }
}
