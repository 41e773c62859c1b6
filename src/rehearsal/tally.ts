/**
 * What the clients were told: kept request by request, by the clients alone, to be held against the books at the
 * end. Decides nothing about right or wrong (`verify.ts` does). One intent is one idempotency key of one buyer,
 * however often it was sent; its outcome is the last thing that its owner heard.
 */
import type { Order, OrderAnswer, OrderStatus, Problem } from './wire.ts';

/** `order`, a code of refusal, or `unanswered` while what became of the key is unknown. */
export type Outcome = string;

export interface Intent {
  readonly buyerId: string;
  readonly idempotencyKey: string;
  readonly by: 'shopper' | 'bot';
  /** Sent with a purchase key that the public state file never showed: must never get an order. */
  readonly guessed: boolean;
  requests: number;
  /** Requests whose answer never came: what they did is unknown until an answer looked the key up. */
  unheard: number;
  /** When the last of them was sent, by the wall clock: an order made long before must have been named in its answer. */
  askedAtMs: number;
  outcome: Outcome;
  /** Every order that an answer to this key named: more than one is a broken promise. */
  readonly orderIds: string[];
}

/** An order as its owner last saw it. */
export interface ToldOrder {
  readonly buyerId: string;
  readonly sku: string;
  readonly quantity: number;
  status: OrderStatus;
  updatedAt: string;
}

/**
 * Refusals that come before the server looks the key up (the contract's order of precedence): they say that this
 * request took nothing, and nothing about an earlier one with the same key.
 */
const BEFORE_THE_KEY = new Set([
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'busy',
  'too_large',
  'invalid',
  'not_found',
]);

/** Answers that should not exist are kept word for word, but only so many: a broken server must not fill the memory. */
const FAULTS_KEPT = 50;

export class Tally {
  readonly intents: Intent[] = [];
  readonly orders = new Map<string, ToldOrder>();
  /** Answers to order requests, by `order` or code. */
  readonly answers = new Map<string, number>();
  readonly faults: string[] = [];
  requests = 0;
  cutConnections = 0;
  shoppersCome = 0;
  shoppersDone = 0;

  begin(intent: Pick<Intent, 'buyerId' | 'idempotencyKey' | 'by' | 'guessed'>): Intent {
    const begun: Intent = { ...intent, requests: 0, unheard: 0, askedAtMs: 0, outcome: 'unanswered', orderIds: [] };
    this.intents.push(begun);
    return begun;
  }

  sent(intent: Intent): void {
    intent.requests += 1;
    intent.askedAtMs = Date.now();
    this.requests += 1;
  }

  /** A request whose connection was cut by its sender: nobody will hear its answer. */
  cut(intent: Intent): void {
    intent.unheard += 1;
    this.cutConnections += 1;
  }

  /** One answer to a request of the intent. An order, once heard of, stays the outcome. */
  heard(intent: Intent, answer: OrderAnswer): void {
    const name = answer.kind === 'refused' ? answer.problem.code : answer.kind;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    if (answer.kind === 'order') {
      this.saw(intent.buyerId, answer.order);
      if (!intent.orderIds.includes(answer.order.orderId)) intent.orderIds.push(answer.order.orderId);
      intent.outcome = 'order';
      return;
    }
    if (answer.kind === 'lost' && answer.why.startsWith('an answer outside')) this.fault(answer.why);
    if (answer.kind === 'refused' && answer.problem.code === 'internal') this.fault('the server answered "internal"');
    if (intent.outcome === 'order') return;
    if (answer.kind === 'lost' || answer.problem.effect === 'unknown') intent.unheard += 1;
    const settles = intent.unheard === 0 || (answer.kind === 'refused' && resolves(answer.problem));
    intent.outcome = settles ? name : 'unanswered';
  }

  /** The buyer was shown this order; of two views of one order the later one counts. */
  saw(buyerId: string, order: Order & { readonly updatedAt?: string }): void {
    const updatedAt = order.updatedAt ?? '';
    const known = this.orders.get(order.orderId);
    if (known === undefined) {
      const { sku, quantity, status } = order;
      this.orders.set(order.orderId, { buyerId, sku, quantity, status, updatedAt });
    } else if (updatedAt >= known.updatedAt) {
      known.status = order.status;
      known.updatedAt = updatedAt;
    }
  }

  fault(what: string): void {
    if (this.faults.length < FAULTS_KEPT) this.faults.push(what);
  }

  /** How many orders the clients know in each status. */
  ordersByStatus(): Partial<Record<OrderStatus, number>> {
    const counts: Partial<Record<OrderStatus, number>> = {};
    for (const { status } of this.orders.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  /** How the shoppers' (not the bots') visits ended: `order` or the code, with how many were told so. */
  outcomes(by: Intent['by']): Record<Outcome, number> {
    const counts: Record<Outcome, number> = {};
    for (const intent of this.intents) {
      if (intent.by === by) counts[intent.outcome] = (counts[intent.outcome] ?? 0) + 1;
    }
    return counts;
  }
}

/** Whether a refusal tells what became of every request of its key, heard or not. */
const resolves = ({ code, effect }: Problem): boolean => effect === 'none' && !BEFORE_THE_KEY.has(code);
