/**
 * The figures of a rehearsal, for people and machines: how many came, what they were told, what the books say, how
 * long it took, which promises were kept. Travels as JSON from the stampede's process to the command that shows it.
 */
import type { Cast, ClickHabit } from './cast.ts';
import type { Evidence } from './evidence.ts';
import type { Ground } from './ground.ts';
import type { LatencySummary } from './latency.ts';
import type { Outcome } from './tally.ts';
import { allKept, type Check, verify } from './verify.ts';
import type { Books, OrderStatus } from './wire.ts';

export interface Progress {
  readonly afterOpeningMs: number;
  readonly come: number;
  readonly answered: number;
  readonly requests: number;
  /** Orders by the status in which their owners last saw them. */
  readonly orders: Readonly<Partial<Record<OrderStatus, number>>>;
  readonly answers: Readonly<Record<string, number>>;
  /** Of the answers so far, 99 of 100 came within this. */
  readonly answerP99Ms: number;
}

export interface StampedeReport {
  readonly kept: boolean;
  readonly seed: number;
  readonly shoppers: number;
  readonly bots: number;
  readonly clicks: Readonly<Record<ClickHabit, number>>;
  readonly requests: number;
  readonly cutConnections: number;
  /** From the opening to the end of the last hold. */
  readonly seconds: number;
  /** How the visits ended: `order` or the code of the refusal. A bot counts once for each of its keys. */
  readonly outcomes: {
    readonly shoppers: Readonly<Record<Outcome, number>>;
    readonly bots: Readonly<Record<Outcome, number>>;
  };
  /** Answers to order requests by `order` or code, retries included. */
  readonly answers: Readonly<Record<string, number>>;
  readonly told: Readonly<Partial<Record<OrderStatus, number>>>;
  readonly books: Books;
  readonly answerTimes: LatencySummary;
  readonly visitTimes: LatencySummary;
  readonly checks: readonly Check[];
}

export function progressOf(ground: Ground, openedAtMs: number): Progress {
  const { tally } = ground;
  return {
    afterOpeningMs: Math.round(performance.now() - openedAtMs),
    come: tally.shoppersCome,
    answered: tally.shoppersDone,
    requests: tally.requests,
    orders: tally.ordersByStatus(),
    answers: Object.fromEntries(tally.answers),
    answerP99Ms: ground.answerTimes.summary().p99Ms,
  };
}

export function reportOf(parts: {
  plan: { readonly seed: number };
  cast: Cast;
  ground: Ground;
  evidence: Evidence;
  rushedMs: number;
}): StampedeReport {
  const { cast, evidence, ground } = parts;
  const { tally } = ground;
  const checks = verify(evidence);
  const clicks: Record<ClickHabit, number> = { once: 0, double_click: 0, double_parallel: 0, lost_answer: 0 };
  for (const { click } of cast.shoppers) clicks[click] += 1;
  return {
    kept: allKept(checks),
    seed: parts.plan.seed,
    shoppers: cast.shoppers.length,
    bots: cast.bots.length,
    clicks,
    requests: tally.requests,
    cutConnections: tally.cutConnections,
    seconds: Math.round(parts.rushedMs / 100) / 10,
    outcomes: { shoppers: tally.outcomes('shopper'), bots: tally.outcomes('bot') },
    answers: Object.fromEntries(tally.answers),
    told: tally.ordersByStatus(),
    books: evidence.books,
    answerTimes: ground.answerTimes.summary(),
    visitTimes: ground.visitTimes.summary(),
    checks,
  };
}
