/**
 * Who comes to the sale: decides, from a seed, every shopper's and bot's habits. Pure, so that a run can be
 * named by its seed. Called by the stampede before the opening.
 *
 * Habits and their shares are guesses at life, not measurements: most people click once and pay; some click
 * twice, some lose the answer on a bad line, some never pay. What matters is that each habit occurs.
 */
import { Random } from './random.ts';

/**
 * How a shopper presses the button. All of one shopper's requests carry the same idempotency key.
 * - `once`: one request.
 * - `double_click`: the same request again 80 ms later, whatever the first did (field case H025).
 * - `double_parallel`: the same request twice in the same instant.
 * - `lost_answer`: the connection is cut after sending, before the answer; then asked again.
 */
export type ClickHabit = 'once' | 'double_click' | 'double_parallel' | 'lost_answer';

/**
 * What a shopper does with a held unit.
 * - `pays`: soon. `pays_late`: near the end of the hold. `fails_then_pays`: the first card is declined.
 * - `cancels`: gives the unit back. `never_pays`: the hold runs out.
 * - `pays_too_late`: the payment succeeds after the hold ran out, so it is owed back.
 */
export type PaymentHabit = 'pays' | 'pays_late' | 'fails_then_pays' | 'cancels' | 'never_pays' | 'pays_too_late';

/**
 * - `early`: asks before the opening, with guessed purchase keys.
 * - `greedy`: one account, many idempotency keys, all at once.
 */
export type BotHabit = 'early' | 'greedy';

export interface Shopper {
  readonly buyerId: string;
  readonly idempotencyKey: string;
  /** When the shopper presses the button, after the opening. */
  readonly arrivesAfterMs: number;
  readonly click: ClickHabit;
  readonly payment: PaymentHabit;
  /** Keeps watching when everything is held, and tries again when a unit comes back. */
  readonly patient: boolean;
  /** Seeds this shopper's own pauses. */
  readonly seed: number;
}

export interface Bot {
  readonly buyerId: string;
  readonly habit: BotHabit;
  readonly idempotencyKeys: readonly string[];
  readonly seed: number;
}

export interface Cast {
  readonly shoppers: readonly Shopper[];
  readonly bots: readonly Bot[];
}

const CLICKS: Readonly<Record<ClickHabit, number>> = { once: 88, double_click: 5, double_parallel: 3, lost_answer: 4 };
const PAYMENTS: Readonly<Record<PaymentHabit, number>> = {
  pays: 66,
  pays_late: 8,
  fails_then_pays: 8,
  cancels: 6,
  never_pays: 8,
  pays_too_late: 4,
};
const PATIENT_SHARE = 0.1;
/** Of those who come, so many are waiting at the opening and click in its first second; the rest come in a falling tail. */
const WAITING_SHARE = 0.35;
/** One bot for so many shoppers, and never fewer than the least number. */
const SHOPPERS_PER_BOT = 250;
const LEAST_BOTS = 6;
const KEYS_PER_BOT = 24;

/** The shoppers (sorted by arrival) and the bots of one run. Every buyer id and every key occurs once. */
export function castStampede(options: { seed: number; shoppers: number; rushMs: number }): Cast {
  const random = new Random(options.seed);
  const run = random.hex(3);
  const shoppers = Array.from({ length: options.shoppers }, (_, n): Shopper => {
    return {
      buyerId: `shopper-${n + 1}`,
      idempotencyKey: `${run}-${n + 1}-${random.hex(8)}`,
      arrivesAfterMs: Math.round(arrival(random, options.rushMs)),
      click: random.weighted(CLICKS),
      payment: random.weighted(PAYMENTS),
      patient: random.chance(PATIENT_SHARE),
      seed: random.word(),
    };
  });
  shoppers.sort((a, b) => a.arrivesAfterMs - b.arrivesAfterMs);
  const botCount = Math.max(LEAST_BOTS, Math.round(options.shoppers / SHOPPERS_PER_BOT));
  const bots = Array.from({ length: botCount }, (_, n): Bot => {
    return {
      buyerId: `bot-${n + 1}`,
      habit: n % 2 === 0 ? 'early' : 'greedy',
      idempotencyKeys: Array.from(
        { length: KEYS_PER_BOT },
        (_key, k) => `${run}-bot-${n + 1}-${k + 1}-${random.hex(8)}`,
      ),
      seed: random.word(),
    };
  });
  return { shoppers, bots };
}

/** A spike in the first second, then a tail that thins out towards the end of the rush. */
function arrival(random: Random, rushMs: number): number {
  if (random.chance(WAITING_SHARE)) return random.between(0, Math.min(1000, rushMs));
  return rushMs * random.next() ** 1.6;
}
