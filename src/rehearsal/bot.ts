/**
 * The uninvited: bots that ask before the opening with guessed purchase keys, and bots that fire many idempotency
 * keys for one account at the opening. They follow no advice: what is refused is not asked again with that key,
 * unless the answer was lost. What they won, they never pay.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot } from './cast.ts';
import { ask, type Ground, type Opening } from './ground.ts';
import { Random } from './random.ts';

const LOST_ATTEMPTS = 20;
const LOST_RETRY_MS = 200;

/** Spreads the bot's keys over the span around the opening, each with a guessed purchase key. */
export async function askEarly(ground: Ground, bot: Bot, spanMs: number): Promise<void> {
  const random = new Random(bot.seed);
  const sku = ground.skus[0] ?? '';
  for (const idempotencyKey of bot.idempotencyKeys) {
    const guesses = ['', 'open-sesame', ground.saleId, random.hex(16)];
    const purchaseKey = guesses[Math.floor(random.next() * guesses.length)] ?? '';
    await persist(ground, { bot, idempotencyKey, purchaseKey, sku, guessed: true });
    await sleep(random.between(0.5, 1.5) * (spanMs / bot.idempotencyKeys.length));
  }
}

/** All keys at once, with the true purchase key, within the first moments of the sale. */
export async function askGreedily(ground: Ground, bot: Bot, opening: Opening): Promise<void> {
  const random = new Random(bot.seed);
  const sku = ground.skus[0] ?? '';
  await sleep(random.between(0, 400));
  const { purchaseKey } = opening;
  await Promise.all(
    bot.idempotencyKeys.map((idempotencyKey) =>
      persist(ground, { bot, idempotencyKey, purchaseKey, sku, guessed: false }),
    ),
  );
}

interface Shot {
  readonly bot: Bot;
  readonly idempotencyKey: string;
  readonly purchaseKey: string;
  readonly sku: string;
  readonly guessed: boolean;
}

/** Repeats a key only while its effect is unknown, so that the tally ends with an answer. */
async function persist(ground: Ground, { bot, idempotencyKey, purchaseKey, sku, guessed }: Shot): Promise<void> {
  const intent = ground.tally.begin({ buyerId: bot.buyerId, idempotencyKey, by: 'bot', guessed });
  for (let attempt = 1; attempt <= LOST_ATTEMPTS; attempt += 1) {
    await ask(ground, { intent, purchaseKey, sku, intendedAtMs: performance.now() });
    if (intent.outcome !== 'unanswered') return;
    await sleep(LOST_RETRY_MS);
  }
}
