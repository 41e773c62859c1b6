/**
 * `POST /v1/sales/{saleId}/orders` without the framework: the request that comes a million times. Judged in the
 * order of precedence of API.md: credential, size, media type, body and key, sale, then the order step.
 *
 *   waits for the body   → refused, or
 *   judged from memory   → refused (sold out, no such sale), answered in the same turn, or
 *   with the engine      → answered when the verdict is durable
 *
 * One object per request and no closure until the engine is asked: a refusal costs about what a bare server would.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal, Verdict } from '../../core/outcomes.ts';
import { refuse } from '../../core/outcomes.ts';
import { isIdempotencyKey, isSaleId, type Sku } from '../../core/scalars.ts';
import type { Log } from '../../kit/log.ts';
import type { Metrics } from '../../kit/metrics.ts';
import type { Verified } from '../../purchase/gate/claims.ts';
import { placeOrder } from '../../purchase/order/place-order.ts';
import { orderForBuyer } from '../../purchase/order/representation.ts';
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import type { Shop } from '../../purchase/shop.ts';
import { writeJson, writeProblem } from '../answers.ts';
import { type BodyTaker, hasBody, readBody, SHOPPER_BODY_BYTES_MAX } from '../body.ts';
import { type Cors, corsHeaders } from '../cors.ts';
import { bearerOf, notABuyer } from '../credentials.ts';
import { factsOfError } from '../faults.ts';
import { JsonFault, parseJsonBytes } from '../json.ts';
import { isJsonType } from '../media-type.ts';
import type { ProblemFacts } from '../problem.ts';
import { nextRequestId } from '../request-ids.ts';
import { PlaceOrder } from '../schemas/order.ts';
import { type Fault, validatorOf } from '../validation.ts';
import { queryValue } from './query-value.ts';

export interface OrderParts {
  readonly shop: Shop;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'countOrder'>;
  readonly cors: Cors;
}

const order = validatorOf(PlaceOrder);
const NO_BODY = Buffer.alloc(0);
const KEY_FAULT: Fault = { path: '/headers/idempotency-key', message: 'must be 1 to 255 visible ASCII characters' };
const REPLAYED = ['Idempotent-Replayed', 'true'];

export class OrderRequest implements BodyTaker {
  readonly #parts: OrderParts;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #saleId: string;
  readonly #id = nextRequestId();
  #buyer: Verified | null = null;

  constructor(parts: OrderParts, request: IncomingMessage, response: ServerResponse, saleId: string) {
    this.#parts = parts;
    this.#request = request;
    this.#response = response;
    this.#saleId = saleId;
  }

  start(): void {
    const token = bearerOf(this.#request);
    const found = token === null ? null : this.#parts.shop.buyerTokens.verify(token);
    if (found instanceof Promise)
      found.then(
        (buyer) => this.#identified(buyer, token),
        (error: unknown) => this.#failed(error),
      );
    else this.#identified(found, token);
  }

  #identified(buyer: Verified | null, token: string | null): void {
    if (buyer === null) return this.#refuse(notABuyer(this.#parts.shop, token));
    this.#buyer = buyer;
    if (!hasBody(this.#request)) return this.takeBody(NO_BODY);
    if (!isJsonType(this.#request.headers['content-type']))
      return this.#refuse(refuse('unsupported_media_type', 'The body must be application/json.'));
    readBody(this.#request, SHOPPER_BODY_BYTES_MAX, this);
  }

  bodyTooLarge(): void {
    this.#refuse(refuse('too_large', `A body may have at most ${SHOPPER_BODY_BYTES_MAX} bytes.`));
  }

  takeBody(bytes: Buffer): void {
    try {
      this.#judge(parseJsonBytes(bytes));
    } catch (error) {
      if (error instanceof JsonFault) this.#invalid([{ path: '', message: error.message }]);
      else this.#failed(error);
    }
  }

  #judge(body: unknown): void {
    const key = this.#request.headers['idempotency-key'];
    const isKey = typeof key === 'string' && isIdempotencyKey(key);
    if (!order.check(body)) return this.#invalid([...order.faults(body), ...(isKey ? [] : [KEY_FAULT])]);
    if (!isKey) return this.#invalid([KEY_FAULT]);
    const live = this.#parts.shop.sales.known(this.#saleId);
    if (live === undefined) void this.#load(body, key);
    else this.#place(live, body, key);
  }

  async #load(body: { sku: string; quantity: number }, key: string): Promise<void> {
    try {
      this.#place(isSaleId(this.#saleId) ? await this.#parts.shop.sales.byId(this.#saleId) : null, body, key);
    } catch (error) {
      this.#failed(error);
    }
  }

  #place(live: LiveSale | null, body: { sku: string; quantity: number }, idempotencyKey: string): void {
    const { shop } = this.#parts;
    const verdict = placeOrder(
      live,
      {
        buyer: this.#buyer as Verified,
        sku: body.sku as Sku,
        quantity: body.quantity,
        idempotencyKey,
        purchaseKey: queryValue(this.#request.url ?? '', 'key'),
      },
      { now: shop.now(), orderIds: shop.orderIds },
    );
    if (!(verdict instanceof Promise)) return this.#refuse(verdict, live);
    verdict.then(
      (made) => this.#answer(made, live as LiveSale),
      (error: unknown) => this.#failed(error, live),
    );
  }

  #answer(verdict: Verdict, live: LiveSale): void {
    if (verdict.outcome === 'refused') return this.#refuse(verdict, live);
    if (verdict.outcome !== 'order')
      return this.#failed(new Error(`an order request ended as ${verdict.outcome}`), live);
    const { saleId, currency } = live.sale;
    const body = JSON.stringify(orderForBuyer({ ...verdict, saleId, currency }));
    const { status, orderId } = verdict.order;
    this.#parts.metrics.countOrder(verdict.replayed ? 'replayed' : status);
    this.#allowOrigin(live);
    const isAccepted = status === 'accepted';
    const headers = verdict.replayed ? REPLAYED : isAccepted ? ['Location', `/v1/orders/${orderId}`] : [];
    writeJson(this.#response, { status: isAccepted ? 202 : 201, body, requestId: this.#id, headers });
  }

  #invalid(errors: readonly Fault[]): void {
    this.#refuse(refuse('invalid', 'The order request is not valid.', { errors }));
  }

  #failed(error: unknown, live?: LiveSale | null): void {
    this.#send(factsOfError(error, this.#parts.log, this.#id), live);
  }

  #refuse(refusal: Refusal, live?: LiveSale | null): void {
    this.#send(refusal, live);
  }

  #send(facts: ProblemFacts, live?: LiveSale | null): void {
    this.#parts.metrics.countOrder(facts.code);
    this.#allowOrigin(live === undefined ? this.#parts.shop.sales.known(this.#saleId) : live);
    writeProblem(this.#response, facts, this.#id);
  }

  #allowOrigin(live: LiveSale | null | undefined): void {
    const { origin } = this.#request.headers;
    if (origin === undefined) return;
    this.#response.setHeader('Vary', 'Origin');
    if (!this.#parts.cors.allowsIn(origin, live)) return;
    for (const [name, value] of Object.entries(corsHeaders(origin))) this.#response.setHeader(name, value);
  }
}
