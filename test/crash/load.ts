/**
 * The stampede of the crash tests: lanes that each keep one request in flight against a served
 * process. Mostly new orders of distinct buyers, each under its own key; between them double clicks
 * of one buyer under two keys, payments, cancels and replays. Everything goes into a Tally.
 *
 * `halt()` stops new requests; what is in flight at that instant is answered or fails.
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { TestServer } from './served.ts';
import type { Act, OrderAttempt, Tally } from './tally.ts';

export interface Sale {
  readonly saleId: string;
  readonly purchaseKey: string;
}

export interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the server answered
  readonly body: any;
}

const longLived = { exp: 4_102_444_800 };

/** A client of one server process; undefined stands for "no answer". */
export class Client {
  readonly server: TestServer;
  readonly sale: Sale;
  readonly #pool: Pool;

  constructor(server: TestServer, sale: Sale, connections = 64) {
    this.server = server;
    this.sale = sale;
    this.#pool = new Pool(server.url, { connections, pipelining: 1, bodyTimeout: 60_000, headersTimeout: 60_000 });
  }

  async send(
    method: 'GET' | 'POST',
    path: string,
    bearer: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer | undefined> {
    try {
      const answer = await this.#pool.request({
        method,
        path,
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      return {
        status: answer.statusCode,
        replayed: answer.headers['idempotent-replayed'] === 'true',
        body: text === '' ? undefined : JSON.parse(text),
      };
    } catch {
      return undefined;
    }
  }

  order(attempt: OrderAttempt): Promise<Answer | undefined> {
    return this.send(
      'POST',
      `/v1/sales/${this.sale.saleId}/orders?key=${encodeURIComponent(this.sale.purchaseKey)}`,
      this.server.token(attempt.buyerId, longLived),
      { sku: attempt.sku, quantity: attempt.quantity },
      attempt.key,
    );
  }

  act(act: Act): Promise<Answer | undefined> {
    const { orderId, amountMinor, buyerId } = act.attempt;
    if (act.kind === 'cancel') {
      const token = this.server.token(buyerId, longLived);
      return this.send('POST', `/v1/orders/${orderId}/cancel`, token, undefined, act.id);
    }
    return this.send('POST', '/v1/merchant/payments', this.server.merchantKey, {
      paymentId: act.id,
      orderId,
      result: 'succeeded',
      amountMinor,
      currency: 'EUR',
    });
  }

  merchant(path: string): Promise<Answer | undefined> {
    return this.send('GET', path, this.server.merchantKey);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** Whether an answer leaves open what happened. */
export const isUnknown = (answer: Answer | undefined): boolean =>
  answer === undefined || (answer.status >= 500 && answer.body?.effect !== 'none');

/** Notes an answer to an order in the tally. */
export function noteOrder(tally: Tally, attempt: OrderAttempt, answer: Answer | undefined): void {
  if (answer === undefined || isUnknown(answer)) {
    if (answer !== undefined) tally.refused(`${answer.status} ${answer.body?.code} (effect ${answer.body?.effect})`);
  } else if (answer.status === 201) {
    if (attempt.orderId !== undefined && attempt.orderId !== answer.body.orderId)
      tally.problems.push(`key ${attempt.key} got two orders: ${attempt.orderId} and ${answer.body.orderId}`);
    attempt.fate = 'acknowledged';
    attempt.orderId = answer.body.orderId;
    attempt.amountMinor = answer.body.amountMinor;
  } else {
    attempt.fate = 'refused';
    tally.refused(`${answer.status} ${answer.body?.code}`);
    if (![409, 503].includes(answer.status))
      tally.problems.push(`order ${attempt.key}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

/** Notes an answer to a payment or a cancel in the tally. */
export function noteAct(tally: Tally, act: Act, answer: Answer | undefined): void {
  if (answer === undefined || isUnknown(answer)) return;
  if (answer.status === 200) {
    act.fate = 'acknowledged';
    const expected = act.kind === 'pay' ? 'paid' : 'cancelled';
    if (answer.body.status !== expected)
      tally.problems.push(`${act.kind} ${act.id}: answered ${answer.body.status} instead of ${expected}`);
    return;
  }
  act.fate = 'refused';
  tally.refused(`${act.kind} ${answer.status} ${answer.body?.code}`);
  if (answer.status !== 503)
    tally.problems.push(`${act.kind} ${act.id}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

interface LoadOptions {
  readonly client: Client;
  readonly tally: Tally;
  readonly random: () => number;
  readonly lanes: number;
  /** Called with every answer to a new order, synchronously, before the lane goes on. */
  readonly onAnswer?: (answer: Answer) => void;
}

export class Load {
  /** Requests sent and not answered at this instant. */
  inFlight = 0;
  /** Of these, new orders. */
  ordersInFlight = 0;
  /** Answers so far, of any kind. */
  answers = 0;
  readonly #options: LoadOptions;
  readonly #done: Promise<void>;
  readonly #payable: OrderAttempt[] = [];
  #halted = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    const lane = async (): Promise<void> => {
      while (!this.#halted) await this.#step();
    };
    this.#done = Promise.all(Array.from({ length: options.lanes }, lane)).then(() => undefined);
  }

  /** No new requests from this instant on. */
  halt(): void {
    this.#halted = true;
  }

  /** Until every lane has its last answer, or knows that none will come. */
  async finished(): Promise<void> {
    await this.#done;
  }

  async #step(): Promise<void> {
    const { random } = this.#options;
    const dice = random();
    // Most turns are new orders: with 56 lanes, more than 32 of them are in flight at any time.
    if (dice < 0.84) return this.#order(`buyer-${randomUUID()}`);
    if (dice < 0.88) return this.#doubleClick();
    if (dice < 0.9) return this.#replay();
    return this.#act(dice < 0.97 ? 'pay' : 'cancel');
  }

  async #order(buyerId: string): Promise<void> {
    const { client, tally, random, onAnswer } = this.#options;
    const attempt: OrderAttempt = {
      key: randomUUID(),
      buyerId,
      sku: random() < 0.9 ? 'tee-m' : 'tee-s',
      quantity: 1,
      fate: 'unanswered',
    };
    tally.orders.push(attempt);
    this.ordersInFlight += 1;
    const answer = await this.#counted(client.order(attempt));
    this.ordersInFlight -= 1;
    noteOrder(tally, attempt, answer);
    if (attempt.fate === 'acknowledged') this.#payable.push(attempt);
    if (answer !== undefined) onAnswer?.(answer);
  }

  /** One buyer, two keys, at once: the limit of 1 lets one of them through. */
  async #doubleClick(): Promise<void> {
    const buyerId = `twice-${randomUUID()}`;
    await Promise.all([this.#order(buyerId), this.#order(buyerId)]);
  }

  async #replay(): Promise<void> {
    const { client, tally, random } = this.#options;
    const attempt = this.#payable[Math.floor(random() * this.#payable.length)];
    if (attempt === undefined) return this.#order(`buyer-${randomUUID()}`);
    const answer = await this.#counted(client.order(attempt));
    if (isUnknown(answer) || answer?.body?.code === 'busy' || answer?.body?.code === 'unavailable') return;
    if (answer?.status !== 201 || !answer.replayed || answer.body.orderId !== attempt.orderId)
      tally.problems.push(`replay of ${attempt.key}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
  }

  async #act(kind: 'pay' | 'cancel'): Promise<void> {
    const { client, tally } = this.#options;
    const attempt = this.#payable.shift();
    if (attempt === undefined) return this.#order(`buyer-${randomUUID()}`);
    const act: Act = { kind, attempt, id: `${kind}-${randomUUID()}`, fate: 'unanswered' };
    tally.acts.push(act);
    noteAct(tally, act, await this.#counted(client.act(act)));
  }

  async #counted(request: Promise<Answer | undefined>): Promise<Answer | undefined> {
    this.inFlight += 1;
    const answer = await request;
    this.inFlight -= 1;
    if (answer !== undefined) this.answers += 1;
    // A server that refuses at once must not turn the lane into a busy loop.
    if (answer === undefined || answer.status === 503) await new Promise((resolve) => setTimeout(resolve, 5));
    return answer;
  }
}
