/**
 * What all shoppers of one rehearsal share, and the one way in which any of them asks for an order: every request
 * is counted, timed from the instant at which it was meant to leave, and its answer kept in the tally.
 */
import type { DoorbusterApi } from './api.ts';
import type { Latency } from './latency.ts';
import type { StateFile } from './state-file.ts';
import type { Intent, Tally } from './tally.ts';
import type { OrderAnswer } from './wire.ts';

export interface Ground {
  /** The shoppers' connections. */
  readonly api: DoorbusterApi;
  /** The shop's backend, with connections of its own. */
  readonly shop: DoorbusterApi;
  readonly tally: Tally;
  readonly stateFile: StateFile;
  readonly saleId: string;
  readonly skus: readonly string[];
  readonly tokens: ReadonlyMap<string, string>;
  /** One order request, from the intended instant to its answer. */
  readonly answerTimes: Latency;
  /** From a shopper's click to the answer that stood, retries included. */
  readonly visitTimes: Latency;
}

/** The opening as the clients learned of it; instants on `performance.now()`'s clock. */
export interface Opening {
  readonly purchaseKey: string;
  readonly openedAtMs: number;
  /** Nobody watches for returned units after this. */
  readonly watchUntilMs: number;
}

export interface Ask {
  readonly intent: Intent;
  readonly purchaseKey: string;
  readonly sku: string;
  readonly intendedAtMs: number;
}

/** Sends one order request of an intent and hears its answer. */
export async function ask(ground: Ground, { intent, purchaseKey, sku, intendedAtMs }: Ask): Promise<OrderAnswer> {
  ground.tally.sent(intent);
  const answer = await ground.api.order(orderOf(ground, { intent, purchaseKey, sku }));
  ground.answerTimes.since(intendedAtMs);
  ground.tally.heard(intent, answer);
  return answer;
}

/** Sends one order request and cuts the line before the answer: nobody hears it. */
export async function askAndCut(ground: Ground, asked: Omit<Ask, 'intendedAtMs'>, cutAfterMs: number): Promise<void> {
  ground.tally.sent(asked.intent);
  ground.tally.cut(asked.intent);
  await ground.api.orderAndCut(orderOf(ground, asked), cutAfterMs);
}

/** The buyer's token; every buyer of the cast got one before the opening. */
export function tokenOf(ground: Ground, buyerId: string): string {
  const token = ground.tokens.get(buyerId);
  if (token === undefined) throw new Error(`no token for ${buyerId}`);
  return token;
}

function orderOf(ground: Ground, { intent, purchaseKey, sku }: Omit<Ask, 'intendedAtMs'>) {
  const { buyerId, idempotencyKey } = intent;
  return { saleId: ground.saleId, purchaseKey, token: tokenOf(ground, buyerId), idempotencyKey, sku, quantity: 1 };
}
