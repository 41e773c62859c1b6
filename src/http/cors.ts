/**
 * Which web pages of other origins may read our answers: those that the settings name, everywhere on the public and
 * shopper planes, and those that a sale names, for what belongs to it. The merchant plane is for backends: none.
 */
import type { IncomingMessage } from 'node:http';
import type { LiveSale } from '../purchase/sale/live-sale.ts';
import type { Shop } from '../purchase/shop.ts';

const EXPOSED = 'Idempotent-Replayed, Retry-After, Location, Doorbuster-Request-Id';
const ALLOWED = 'Authorization, Content-Type, Idempotency-Key, Doorbuster-Admission, Doorbuster-Challenge';
/** Browsers keep a preflight's answer this long; some cap it at ten minutes anyway. */
const PREFLIGHT_SECONDS = 600;
/** How long the union of all sales' origins is kept, for what belongs to no sale. */
const UNION_MS = 1000;

const OF_SALE = /^\/v1\/sales\/([^/?]+)\//;
const OF_ORDER = /^\/v1\/orders\/([^/?]+)(?:\/|\?|$)/;
const OF_NOBODY = /^\/v1\/time(?:\?|$)/;

const DOORS = /^\/(?:livez|readyz|openapi\.json|\.well-known\/jwks\.json)(?:\?|$)/;

export class Cors {
  readonly #shop: Shop;
  #union: ReadonlySet<string> = new Set();
  #unionUntilMs = Number.NEGATIVE_INFINITY;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  allowsIn(origin: string, live: LiveSale | null | undefined): boolean {
    if (this.#shop.origins.includes(origin)) return true;
    return live !== null && live !== undefined && live.sale.phase !== 'draft' && live.sale.origins.includes(origin);
  }

  /** For what belongs to no sale: whoever may read any sale. */
  allowsSomewhere(origin: string): boolean {
    if (this.#shop.origins.includes(origin)) return true;
    const now = this.#shop.clock.monotonicMs();
    if (now >= this.#unionUntilMs) {
      const live = this.#shop.sales.all().filter(({ sale }) => sale.phase !== 'draft');
      this.#union = new Set(live.flatMap(({ sale }) => sale.origins));
      this.#unionUntilMs = now + UNION_MS;
    }
    return this.#union.has(origin);
  }

  /** The origin that may read the answer to this request, or null. Loads the sale where it must. */
  async allowedOrigin(request: IncomingMessage): Promise<string | null> {
    const { origin } = request.headers;
    const url = request.url ?? '';
    if (origin === undefined || url.startsWith('/v1/merchant')) return null;
    return (await this.#allows(origin, url)) ? origin : null;
  }

  async #allows(origin: string, url: string): Promise<boolean> {
    if (this.#shop.origins.includes(origin)) return true;
    if (OF_NOBODY.test(url) || DOORS.test(url)) return this.allowsSomewhere(origin);
    const saleId = OF_SALE.exec(url)?.[1];
    if (saleId !== undefined) return this.allowsIn(origin, await this.#shop.sales.byId(saleId));
    const order = this.#shop.orderIds.parse(OF_ORDER.exec(url)?.[1] ?? '');
    return order !== null && this.allowsIn(origin, await this.#shop.sales.byNo(order.saleNo));
  }
}

export const corsHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': EXPOSED,
});

export const preflightHeaders = (methods: readonly string[]): Record<string, string> => ({
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': String(PREFLIGHT_SECONDS),
});
