/**
 * One shopper's visit: the click with its habit (twice, or with the answer lost), asking again with the same key
 * while the server says "later", watching while everything is held, and then the payment. Never uses a second
 * key: an honest page keeps its key until it knows the outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shopper } from './cast.ts';
import { ask, askAndCut, type Ground, type Opening, tokenOf } from './ground.ts';
import { settle } from './payment.ts';
import { Random } from './random.ts';
import type { Intent } from './tally.ts';
import type { Order, OrderAnswer } from './wire.ts';

const DOUBLE_CLICK_MS = 80;
/** A shopper asks so often and so long, then believes the last answer. */
const MOST_ATTEMPTS = 60;
const PATIENCE_MS = 20_000;
const LOST_RETRY_MS = 250;
/** Watchers click again within this span after a unit came back, so that they do not all ask in one millisecond. */
const WATCH_SPREAD_MS = 1200;
const ACCEPTED_POLL_MS = 200;

/** From the click to the final answer and, with a unit in hand, to its end. Settles when the shopper goes home. */
export async function visit(ground: Ground, opening: Opening, shopper: Shopper): Promise<void> {
  const { buyerId, idempotencyKey } = shopper;
  const clickedAtMs = opening.openedAtMs + shopper.arrivesAfterMs;
  const intent = ground.tally.begin({ buyerId, idempotencyKey, by: 'shopper', guessed: false });
  const sku = ground.skus[shopper.seed % ground.skus.length] ?? '';
  const errand: Errand = { ground, opening, shopper, intent, sku, random: new Random(shopper.seed) };
  ground.tally.shoppersCome += 1;
  const order = await obtain(errand, await click(errand, clickedAtMs), clickedAtMs);
  ground.tally.shoppersDone += 1;
  ground.visitTimes.since(clickedAtMs);
  if (order !== null) await settle(ground, shopper, order, errand.random);
}

interface Errand {
  readonly ground: Ground;
  readonly opening: Opening;
  readonly shopper: Shopper;
  readonly intent: Intent;
  readonly sku: string;
  readonly random: Random;
}

const again = ({ ground, opening, intent, sku }: Errand, intendedAtMs: number): Promise<OrderAnswer> =>
  ask(ground, { intent, purchaseKey: opening.purchaseKey, sku, intendedAtMs });

/** The first press of the button, as the shopper's habit has it; the best of its answers. */
async function click(errand: Errand, clickedAtMs: number): Promise<OrderAnswer> {
  const { ground, opening, intent, sku, shopper, random } = errand;
  switch (shopper.click) {
    case 'once':
      return again(errand, clickedAtMs);
    case 'double_click': {
      const first = again(errand, clickedAtMs);
      await sleep(DOUBLE_CLICK_MS);
      return better(await Promise.all([first, again(errand, clickedAtMs + DOUBLE_CLICK_MS)]));
    }
    case 'double_parallel':
      return better(await Promise.all([again(errand, clickedAtMs), again(errand, clickedAtMs)]));
    case 'lost_answer': {
      await askAndCut(ground, { intent, purchaseKey: opening.purchaseKey, sku }, random.between(0, 4));
      await sleep(LOST_RETRY_MS * random.between(0.2, 1.5));
      return again(errand, performance.now());
    }
    default: {
      const never: never = shopper.click;
      throw new Error(`an unknown habit: ${never as string}`);
    }
  }
}

/** An order if either answer is one; else the later refusal. */
const better = ([first, second]: readonly [OrderAnswer, OrderAnswer]): OrderAnswer =>
  first.kind === 'order' ? first : second;

/** Asks again, with the same key, until the answer is final; the order, or null for somebody who goes without. */
async function obtain(errand: Errand, first: OrderAnswer, clickedAtMs: number): Promise<Order | null> {
  let answer = first;
  for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt += 1) {
    if (answer.kind === 'order') return decided(errand, answer.order);
    if (mayComeBack(answer) && errand.shopper.patient) {
      if (!(await unitCameBack(errand))) return null;
    } else {
      const waitMs = waitBefore(answer, errand.random);
      if (waitMs === null || performance.now() - clickedAtMs > PATIENCE_MS) return null;
      await sleep(waitMs);
    }
    answer = await again(errand, performance.now());
  }
  return answer.kind === 'order' ? decided(errand, answer.order) : null;
}

/** How long to wait before the same request may be sent again; null when the answer is final. */
function waitBefore(answer: OrderAnswer, random: Random): number | null {
  if (answer.kind === 'order') return null;
  if (answer.kind === 'lost') return LOST_RETRY_MS * random.between(0.5, 2);
  if (!answer.problem.retryable && answer.problem.effect === 'none') return null;
  return (answer.problem.retryAfterMs ?? LOST_RETRY_MS) * random.between(1, 1.5);
}

const mayComeBack = (answer: OrderAnswer): boolean =>
  answer.kind === 'refused' && answer.problem.code === 'sold_out' && answer.problem.availability !== 'sold_out';

/** Watches the state file until it shows a free unit; false when the shopper stops watching. */
async function unitCameBack({ ground, opening, sku, random }: Errand): Promise<boolean> {
  await sleep(random.between(300, 700));
  while (performance.now() < opening.watchUntilMs) {
    if (ground.stateFile.available(sku)) {
      await sleep(random.between(0, WATCH_SPREAD_MS));
      return true;
    }
    await sleep(200);
  }
  return false;
}

/** An order that is still `accepted` is looked at until the ledger has decided; null when it became `refused`. */
async function decided({ ground, shopper, intent }: Errand, made: Order): Promise<Order | null> {
  let order = made;
  while (order.status === 'accepted') {
    await sleep(ACCEPTED_POLL_MS);
    const answer = await ground.api.ownOrder(tokenOf(ground, shopper.buyerId), order.orderId);
    if (answer.kind !== 'order') continue;
    ground.tally.saw(intent.buyerId, answer.order);
    order = answer.order;
  }
  return order.status === 'refused' ? null : order;
}
