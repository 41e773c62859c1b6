/**
 * A crowd of shoppers over real HTTP: one connection for each request that is under way, so that what a case calls
 * parallel is parallel at the server. Tokens are minted before the starting shot. A lost connection is an answer too
 * (`status: 0`): the cases about crashes count them.
 */
import { randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import type { TestServer } from '../../support/server.ts';
import type { Sale } from './field-server.ts';

export interface Answer {
  /** 0 where the connection ended before an answer. */
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the server answered
  readonly body: any;
  readonly text: string;
  readonly tookMs: number;
}

export interface Shot {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly rawBody?: string;
}

export interface OrderWish {
  readonly buyerId: string;
  readonly token?: string;
  readonly key?: string;
  readonly sku?: string;
  readonly quantity?: number;
  readonly rawBody?: string;
  readonly headers?: Record<string, string>;
}

export class Crowd {
  readonly #agent: Agent;
  readonly #server: TestServer;

  constructor(server: TestServer, connections = 1_000) {
    this.#server = server;
    this.#agent = new Agent({ connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  }

  async send(shot: Shot): Promise<Answer> {
    const startedAtMs = performance.now();
    const body = shot.rawBody ?? (shot.body === undefined ? undefined : JSON.stringify(shot.body));
    const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...shot.headers };
    try {
      const answer = await this.#agent.request({
        origin: this.#server.url,
        path: shot.path,
        method: shot.method ?? 'GET',
        headers,
        body: body ?? null,
      });
      const text = await answer.body.text();
      const isJson = String(answer.headers['content-type'] ?? '').includes('json');
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text,
        body: isJson && text !== '' ? JSON.parse(text) : text,
        tookMs: performance.now() - startedAtMs,
      };
    } catch (error) {
      return { status: 0, headers: {}, text: String(error), body: null, tookMs: performance.now() - startedAtMs };
    }
  }

  /** The request of one wish, its token minted now and its key chosen now: sending it again is a replay. */
  orderShot(sale: Sale, wish: OrderWish): Shot {
    return {
      method: 'POST',
      path: `/v1/sales/${sale.saleId}/orders?key=${encodeURIComponent(sale.purchaseKey)}`,
      headers: {
        authorization: `Bearer ${wish.token ?? this.#server.token(wish.buyerId)}`,
        'idempotency-key': wish.key ?? randomUUID(),
        ...wish.headers,
      },
      ...(wish.rawBody === undefined
        ? { body: { sku: wish.sku ?? 'tee-m', quantity: wish.quantity ?? 1 } }
        : { rawBody: wish.rawBody }),
    };
  }

  /** All wishes at once; the answers in the order of the wishes. */
  orders(sale: Sale, wishes: readonly OrderWish[]): Promise<Answer[]> {
    return this.sendAll(wishes.map((wish) => this.orderShot(sale, wish)));
  }

  sendAll(shots: readonly Shot[]): Promise<Answer[]> {
    return Promise.all(shots.map((shot) => this.send(shot)));
  }

  /** Opens this many connections beforehand, so that the shot finds them all standing. */
  async warm(connections: number): Promise<void> {
    await this.sendAll(Array.from({ length: connections }, () => ({ path: '/v1/time' })));
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

export const buyers = (prefix: string, count: number): OrderWish[] =>
  Array.from({ length: count }, (_, at) => ({ buyerId: `${prefix}-${at}` }));

export const won = (answers: readonly Answer[]): Answer[] => answers.filter((answer) => answer.status === 201);
