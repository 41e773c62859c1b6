/**
 * Doorbuster's HTTP API as a rehearsal calls it: the merchant's acts before and after a sale, and the shopper's
 * requests. Thin: one method a route, no retries but for `merchant`, no opinion about the answers.
 * An unexpected answer to a merchant's act throws with status and text; a shopper's answers are always returned.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpAnswer, HttpClient, type HttpRequest, LostAnswer } from './http-client.ts';
import type { BookedOrder, Books, Order, OrderAnswer, Problem, Sale, SaleState } from './wire.ts';

/** At most so many buyers in one call for tokens, and orders in one page of a list (both from the contract). */
const TOKENS_PER_CALL = 1000;
const ORDERS_PER_PAGE = 500;
const TOKEN_LIFETIME_SECONDS = 3600;
/** A merchant's act is tried again so often when the server is busy or the line breaks. */
const MERCHANT_ATTEMPTS = 40;

export class DoorbusterApi {
  readonly #client: HttpClient;
  readonly #merchantKey: string;

  constructor(options: { url: string; merchantKey: string; connections: number }) {
    this.#client = new HttpClient(options);
    this.#merchantKey = options.merchantKey;
  }

  // --- the shop's backend ---

  async createSale(sale: Record<string, unknown>): Promise<Sale> {
    return (await this.merchant({ method: 'POST', path: '/v1/merchant/sales', body: sale }, [201])).body as Sale;
  }

  async patchSale(saleId: string, change: Record<string, unknown>): Promise<Sale> {
    const path = `/v1/merchant/sales/${saleId}`;
    return (await this.merchant({ method: 'PATCH', path, body: change }, [200])).body as Sale;
  }

  async scheduleSale(saleId: string): Promise<Sale> {
    return (await this.merchant({ method: 'POST', path: `/v1/merchant/sales/${saleId}/schedule` }, [200])).body as Sale;
  }

  async sale(saleId: string): Promise<Sale> {
    return (await this.merchant({ method: 'GET', path: `/v1/merchant/sales/${saleId}` }, [200])).body as Sale;
  }

  async books(saleId: string): Promise<Books> {
    return (await this.merchant({ method: 'GET', path: `/v1/merchant/sales/${saleId}/books` }, [200])).body as Books;
  }

  /** Every order of the sale, page by page. */
  async orders(saleId: string): Promise<BookedOrder[]> {
    const all: BookedOrder[] = [];
    let cursor = '';
    do {
      const path = `/v1/merchant/sales/${saleId}/orders?limit=${ORDERS_PER_PAGE}${cursor}`;
      const page = (await this.merchant({ method: 'GET', path }, [200])).body as {
        items: BookedOrder[];
        nextCursor?: string | null;
      };
      all.push(...page.items);
      cursor = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : '';
    } while (cursor !== '');
    return all;
  }

  /** A token for each buyer id, as the shop would mint them for its signed-in customers. */
  async buyerTokens(buyerIds: readonly string[]): Promise<Map<string, string>> {
    const tokens = new Map<string, string>();
    for (let start = 0; start < buyerIds.length; start += TOKENS_PER_CALL) {
      const buyers = buyerIds.slice(start, start + TOKENS_PER_CALL).map((id) => ({ id }));
      const body = { buyers, expiresInSeconds: TOKEN_LIFETIME_SECONDS };
      const answer = await this.merchant({ method: 'POST', path: '/v1/merchant/buyer-tokens', body }, [200]);
      for (const { buyerId, token } of (answer.body as { tokens: { buyerId: string; token: string }[] }).tokens) {
        tokens.set(buyerId, token);
      }
    }
    return tokens;
  }

  /** Reports a payment's result, as a provider's callback to the shop would; the order as it then stands. */
  async pay(order: Order, payment: { paymentId: string; result: 'succeeded' | 'failed' }): Promise<Order> {
    const body = { ...payment, orderId: order.orderId, amountMinor: order.amountMinor, currency: order.currency };
    return (await this.merchant({ method: 'POST', path: '/v1/merchant/payments', body }, [200])).body as Order;
  }

  /** Says that the shop gave this payment back. */
  async refunded(orderId: string, paymentId: string): Promise<Order> {
    const body = { paymentId, reason: 'paid after the hold had run out' };
    const path = `/v1/merchant/orders/${orderId}/refunded`;
    return (await this.merchant({ method: 'POST', path, body }, [200])).body as Order;
  }

  /** A merchant's act: repeated while the server is busy or the line breaks; throws on any other answer than expected. */
  async merchant(request: HttpRequest, expected: readonly number[]): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${this.#merchantKey}`, ...request.headers };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#client.send({ ...request, headers }).catch((error: unknown) => {
        if (error instanceof LostAnswer && attempt < MERCHANT_ATTEMPTS) return null;
        throw error;
      });
      if (answer !== null && expected.includes(answer.status)) return answer;
      if (answer !== null && (answer.status !== 503 || attempt >= MERCHANT_ATTEMPTS)) {
        throw new Error(`${request.method} ${request.path}: ${answer.status} ${JSON.stringify(answer.body ?? null)}`);
      }
      await sleep((answer?.body as Problem | undefined)?.retryAfterMs ?? 250);
    }
  }

  // --- the public file and the shoppers ---

  /** The state file, or null while the sale is not to be seen (a draft) or no answer came. */
  async state(saleId: string): Promise<SaleState | null> {
    const answer = await this.#client.send({ method: 'GET', path: `/v1/sales/${saleId}/state` }).catch(() => null);
    return answer?.status === 200 ? (answer.body as SaleState) : null;
  }

  /** One order request; every outcome is returned. */
  async order(request: OrderRequest): Promise<OrderAnswer> {
    return this.#asAnswer(await this.#client.send(orderRequest(request)).catch(lost));
  }

  /** One order request whose connection is cut before the answer. */
  async orderAndCut(request: OrderRequest, cutAfterMs: number): Promise<void> {
    await this.#client.sendAndCut(orderRequest(request), cutAfterMs);
  }

  /** The shopper's own view of an order. */
  async ownOrder(token: string, orderId: string): Promise<OrderAnswer> {
    const path = `/v1/orders/${orderId}`;
    return this.#asAnswer(await this.#client.send({ method: 'GET', path, headers: bearer(token) }).catch(lost));
  }

  /** The shopper's own orders in the sale; null when no answer came. */
  async ownOrders(token: string, saleId: string): Promise<Order[] | null> {
    const path = `/v1/sales/${saleId}/orders`;
    const answer = await this.#client.send({ method: 'GET', path, headers: bearer(token) }).catch(() => null);
    return answer?.status === 200 ? (answer.body as { items: Order[] }).items : null;
  }

  async cancel(token: string, orderId: string): Promise<OrderAnswer> {
    const path = `/v1/orders/${orderId}/cancel`;
    return this.#asAnswer(await this.#client.send({ method: 'POST', path, headers: bearer(token) }).catch(lost));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #asAnswer(answer: HttpAnswer | LostAnswer): OrderAnswer {
    if (answer instanceof LostAnswer) return { kind: 'lost', why: answer.message };
    const body = answer.body as Partial<Order & Problem> | undefined;
    if (answer.status >= 200 && answer.status < 300 && typeof body?.orderId === 'string') {
      return { kind: 'order', order: body as Order };
    }
    if (answer.status >= 400 && typeof body?.code === 'string') {
      return { kind: 'refused', status: answer.status, problem: body as Problem };
    }
    return { kind: 'lost', why: `an answer outside the contract: ${answer.status}` };
  }
}

export interface OrderRequest {
  readonly saleId: string;
  readonly purchaseKey: string;
  readonly token: string;
  readonly idempotencyKey: string;
  readonly sku: string;
  readonly quantity: number;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

function orderRequest(request: OrderRequest): HttpRequest {
  return {
    method: 'POST',
    path: `/v1/sales/${request.saleId}/orders?key=${encodeURIComponent(request.purchaseKey)}`,
    headers: { ...bearer(request.token), 'idempotency-key': request.idempotencyKey },
    body: { sku: request.sku, quantity: request.quantity },
  };
}

function lost(error: unknown): LostAnswer {
  if (error instanceof LostAnswer) return error;
  throw error;
}
