/**
 * What becomes of a held unit: the shopper's side (cancel, let it run out) and the shop's side (its backend reports
 * the provider's results, sometimes twice, as providers do, and gives a late payment back). Every view of the
 * order goes into the tally.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shopper } from './cast.ts';
import { type Ground, tokenOf } from './ground.ts';
import type { Random } from './random.ts';
import type { Order, OrderAnswer } from './wire.ts';

/** A hold that ran out is released within 2 s (10 s after losing a worker); looked for this long after its end. */
const RELEASE_MS = 2200;
const LOOK_UNTIL_MS = 12_000;
const LOOK_EVERY_MS = 400;
/** So many of the provider's notices come twice. */
const DOUBLE_NOTICE_SHARE = 0.15;
const CANCEL_ATTEMPTS = 40;

/** Carries the order to its end, as the shopper's habit has it. */
export async function settle(ground: Ground, shopper: Shopper, order: Order, random: Random): Promise<void> {
  if (!isOpen(order)) return;
  const holdMs = Date.parse(order.expiresAt ?? order.placedAt) - Date.parse(order.placedAt);
  switch (shopper.payment) {
    case 'pays':
      await sleep(random.between(150, Math.min(1800, holdMs * 0.4)));
      return paid(ground, order, random);
    case 'pays_late':
      await sleep(holdMs * random.between(0.55, 0.75));
      return paid(ground, order, random);
    case 'fails_then_pays':
      await sleep(random.between(200, holdMs * 0.2));
      ground.tally.saw(
        shopper.buyerId,
        await ground.shop.pay(order, { paymentId: `pay-${order.orderId}`, result: 'failed' }),
      );
      await sleep(random.between(200, holdMs * 0.2));
      return paid(ground, order, random);
    case 'cancels':
      await sleep(random.between(200, holdMs * 0.4));
      return cancelled(ground, shopper, order);
    case 'never_pays':
      return ranOut(ground, shopper, order, holdMs);
    case 'pays_too_late':
      await ranOut(ground, shopper, order, holdMs);
      return paid(ground, order, random);
    default: {
      const never: never = shopper.payment;
      throw new Error(`an unknown habit: ${never as string}`);
    }
  }
}

/** The payment succeeded; what came too late is given back. */
async function paid(ground: Ground, order: Order, random: Random): Promise<void> {
  const buyerId = ownerOf(ground, order);
  const notice = { paymentId: `pay-${order.orderId}`, result: 'succeeded' } as const;
  const notices = random.chance(DOUBLE_NOTICE_SHARE) ? 2 : 1;
  const views = await Promise.all(Array.from({ length: notices }, () => ground.shop.pay(order, notice)));
  for (const view of views) ground.tally.saw(buyerId, view);
  const late = views.find(({ status }) => status === 'refund_due');
  for (const { paymentId } of late?.refundsDue ?? []) {
    ground.tally.saw(buyerId, await ground.shop.refunded(order.orderId, paymentId));
  }
}

/** Gives the unit back; a shopper who comes too late for that finds the order ended already. */
async function cancelled(ground: Ground, shopper: Shopper, order: Order): Promise<void> {
  const token = tokenOf(ground, shopper.buyerId);
  for (let attempt = 1; attempt <= CANCEL_ATTEMPTS; attempt += 1) {
    const answer = await ground.api.cancel(token, order.orderId);
    if (heard(ground, shopper, answer)) return;
    if (answer.kind === 'refused' && !answer.problem.retryable) break;
    await sleep(answer.kind === 'refused' ? (answer.problem.retryAfterMs ?? LOOK_EVERY_MS) : LOOK_EVERY_MS);
  }
  const answer = await ground.api.ownOrder(token, order.orderId);
  heard(ground, shopper, answer);
  if (answer.kind !== 'order' || isOpen(answer.order))
    ground.tally.fault(`order ${order.orderId} could not be cancelled`);
}

/** The shopper does nothing, and looks at the order after its time: it must have ended by itself. */
async function ranOut(ground: Ground, shopper: Shopper, order: Order, holdMs: number): Promise<void> {
  await sleep(holdMs + RELEASE_MS);
  const token = tokenOf(ground, shopper.buyerId);
  for (let waitedMs = 0; waitedMs < LOOK_UNTIL_MS; waitedMs += LOOK_EVERY_MS) {
    const answer = await ground.api.ownOrder(token, order.orderId);
    if (heard(ground, shopper, answer) && answer.kind === 'order' && !isOpen(answer.order)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

function heard(ground: Ground, shopper: Shopper, answer: OrderAnswer): boolean {
  if (answer.kind === 'order') ground.tally.saw(shopper.buyerId, answer.order);
  return answer.kind === 'order';
}

const isOpen = ({ status }: Order): boolean => status === 'held' || status === 'placed';

const ownerOf = (ground: Ground, order: Order): string => ground.tally.orders.get(order.orderId)?.buyerId ?? '';
