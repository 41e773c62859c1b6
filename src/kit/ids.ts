/**
 * Order ids: opaque to the outside, but ours carry what a server must know before it asks any store: the sale,
 * the segment and epoch that took the unit, and a MAC, so that an id nobody made is told from one that was lost
 * (DESIGN.md, Epochs). 30 bytes as base64url, 40 characters:
 *
 *   version 1 · saleNo 4 · segment 1 · epoch 2 · milliseconds 6 · random 10 · mac 6
 *
 * The time in front of the random part keeps new ids together in the ledger's index. 80 random bits from a pool
 * and a 48-bit keyed MAC make an id unguessable.
 */
import { randomFillSync, timingSafeEqual } from 'node:crypto';
import { HmacSha256 } from './hmac-sha256.ts';

const VERSION = 1;
const BODY_BYTES = 24;
const BODY_LENGTH = 32;
const MAC_LENGTH = 8;
const RANDOM_AT = 14;
const POOL_BYTES = 8192;

export interface OrderIdParts {
  readonly saleNo: number;
  readonly segment: number;
  readonly epoch: number;
}

export class OrderIds {
  readonly #hmac: HmacSha256;
  readonly #pool = Buffer.alloc(POOL_BYTES);
  readonly #body = Buffer.alloc(BODY_BYTES);
  #used = POOL_BYTES;

  /** `key`: 32 secret bytes that all servers share. */
  constructor(key: Buffer) {
    this.#hmac = new HmacSha256(key.toString('base64'), BODY_LENGTH);
  }

  /** A new id. Cost: one HMAC over 32 characters. */
  make(parts: OrderIdParts, nowMs: number): string {
    const body = this.#body;
    body.writeUInt8(VERSION, 0);
    body.writeUInt32BE(parts.saleNo, 1);
    body.writeUInt8(parts.segment, 5);
    body.writeUInt16BE(parts.epoch, 6);
    body.writeUIntBE(nowMs, 8, 6);
    this.#random(body);
    const text = body.toString('base64url');
    return text + this.#mac(text);
  }

  /** What an id of ours says, or null for any other text. */
  parse(text: string): OrderIdParts | null {
    if (text.length !== BODY_LENGTH + MAC_LENGTH) return null;
    const bodyText = text.slice(0, BODY_LENGTH);
    const body = Buffer.from(bodyText, 'base64url');
    if (body.length !== BODY_BYTES || body.toString('base64url') !== bodyText || body.readUInt8(0) !== VERSION)
      return null;
    const presented = Buffer.from(text.slice(BODY_LENGTH), 'utf8');
    const ours = Buffer.from(this.#mac(bodyText));
    if (presented.length !== ours.length || !timingSafeEqual(presented, ours)) return null;
    return { saleNo: body.readUInt32BE(1), segment: body.readUInt8(5), epoch: body.readUInt16BE(6) };
  }

  #mac(bodyText: string): string {
    return this.#hmac.sign(bodyText).slice(0, MAC_LENGTH);
  }

  #random(body: Buffer): void {
    const bytes = BODY_BYTES - RANDOM_AT;
    if (this.#used + bytes > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    this.#pool.copy(body, RANDOM_AT, this.#used, this.#used + bytes);
    this.#pool.fill(0, this.#used, this.#used + bytes);
    this.#used += bytes;
  }
}
