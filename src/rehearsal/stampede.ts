/**
 * A simulated stampede on one sale of a running server, over the HTTP API alone: casts the shoppers, gets their
 * tokens, waits for the opening in the state file, lets everybody loose, waits until the last hold has ended,
 * and judges what came of it. The sale must exist; it may still be a draft when this begins.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DoorbusterApi } from './api.ts';
import { askEarly, askGreedily } from './bot.ts';
import { type Cast, castStampede } from './cast.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import type { Ground, Opening } from './ground.ts';
import { tokenOf } from './ground.ts';
import { Latency } from './latency.ts';
import { type Progress, progressOf, reportOf, type StampedeReport } from './report.ts';
import { visit } from './shopper.ts';
import { StateFile } from './state-file.ts';
import { type Intent, Tally } from './tally.ts';
import type { Books, Order } from './wire.ts';

export interface StampedePlan {
  readonly url: string;
  readonly merchantKey: string;
  readonly saleId: string;
  readonly seed: number;
  readonly shoppers: number;
  /** From the opening to the last arrival. */
  readonly rushMs: number;
  /** From the opening until nobody watches for returned units any more. */
  readonly watchMs: number;
  /** Sockets of all shoppers together; the shop's backend has a few of its own. */
  readonly connections: number;
  /** How long the opening may be away once everybody is ready. */
  readonly openWithinMs: number;
}

export interface StampedeEvents {
  /** Everybody has a token and waits: the sale may be scheduled now. */
  readonly ready: (cast: { shoppers: number; bots: number }) => void;
  readonly opened: () => void;
  readonly progress: (progress: Progress) => void;
  /** Everybody has gone home; what they were told is held against the books now. */
  readonly judging: () => void;
}

/** Pages load until so long before the opening, and not more of them than warm the client well. */
const PAGES_UNTIL_MS = 300;
const MOST_PAGES = 5000;
const SHOP_CONNECTIONS = 8;
const PROGRESS_EVERY_MS = 250;
/** Early bots begin so long before the opening and go on a little past it. */
const BOTS_BEFORE_MS = 2000;
const BOTS_AFTER_MS = 600;
/** After the last visit, holds of bots may still be running; an expiry takes up to 10 s after losing a worker. */
const HOLDS_END_WITHIN_MS = 20_000;

/** Runs the whole stampede; the report for people and the evidence behind it. Throws when the sale never opens. */
export async function runStampede(
  plan: StampedePlan,
  events: StampedeEvents,
): Promise<{ report: StampedeReport; evidence: Evidence }> {
  const shop = new DoorbusterApi({ ...plan, connections: SHOP_CONNECTIONS });
  const api = new DoorbusterApi(plan);
  const stateFile = new StateFile(shop, plan.saleId);
  try {
    const cast = castStampede(plan);
    const tokens = await shop.buyerTokens([...cast.shoppers, ...cast.bots].map(({ buyerId }) => buyerId));
    const skus = (await shop.sale(plan.saleId)).items.map(({ sku }) => sku);
    const [tally, answerTimes, visitTimes] = [new Tally(), new Latency(), new Latency()];
    const ground: Ground = { api, shop, tally, stateFile, saleId: plan.saleId, skus, tokens, answerTimes, visitTimes };
    stateFile.start();
    events.ready({ shoppers: cast.shoppers.length, bots: cast.bots.length });
    const startedAtMs = await letLoose(ground, cast, plan, events);
    events.judging();
    const books = await settledBooks(ground);
    await lookOnceMore(ground);
    const rushedMs = performance.now() - startedAtMs;
    const [sale, booked] = [await shop.sale(plan.saleId), await shop.orders(plan.saleId)];
    const evidence = gatherEvidence({ sale, tally, keyShownEarly: stateFile.keyShownEarly, books, booked });
    return { report: reportOf({ plan, cast, ground, evidence, rushedMs }), evidence };
  } finally {
    await stateFile.stop();
    await Promise.all([api.close(), shop.close()]);
  }
}

/** From the wait for the opening until the last shopper and bot went home; the instant of the opening. */
async function letLoose(ground: Ground, cast: Cast, plan: StampedePlan, events: StampedeEvents): Promise<number> {
  const early = earlyBots(ground, cast, plan.openWithinMs);
  const waiting = loadPages(ground, plan);
  const { purchaseKey } = await ground.stateFile.opened(plan.openWithinMs);
  await waiting;
  const openedAtMs = performance.now();
  const opening: Opening = { purchaseKey, openedAtMs, watchUntilMs: openedAtMs + plan.watchMs };
  events.opened();
  const ticker = setInterval(() => events.progress(progressOf(ground, openedAtMs)), PROGRESS_EVERY_MS);
  try {
    const going = [
      early,
      ...cast.bots.filter(({ habit }) => habit === 'greedy').map((bot) => askGreedily(ground, bot, opening)),
    ];
    for (const shopper of cast.shoppers) {
      const dueInMs = openedAtMs + shopper.arrivesAfterMs - performance.now();
      if (dueInMs > 0) await sleep(dueInMs);
      going.push(visit(ground, opening, shopper).catch((error: unknown) => ground.tally.fault(messageOf(error))));
    }
    await Promise.all(going);
    events.progress(progressOf(ground, openedAtMs));
  } finally {
    clearInterval(ticker);
  }
  return openedAtMs;
}

/**
 * The waiting shoppers' pages load: reads of the state file over the shoppers' own connections until shortly before
 * the opening. Warms this process, so that the first second measures the server and not a cold client.
 */
async function loadPages(ground: Ground, plan: StampedePlan): Promise<void> {
  const deadline = performance.now() + plan.openWithinMs;
  const waits = (): boolean => {
    const { phase, opensAt } = ground.stateFile.latest ?? { phase: null, opensAt: null };
    if (phase === null || opensAt === null) return phase !== 'open' && performance.now() < deadline;
    return phase === 'scheduled' && Date.parse(opensAt) - Date.now() > PAGES_UNTIL_MS;
  };
  let left = Math.min(plan.shoppers, MOST_PAGES);
  while (waits()) {
    await sleep(20);
    if (ground.stateFile.latest === null || left <= 0) continue;
    const pages = Math.min(plan.connections, left);
    left -= pages;
    await Promise.all(Array.from({ length: pages }, () => ground.api.state(ground.saleId)));
  }
}

/** The early bots begin shortly before the time that the state file announces. */
async function earlyBots(ground: Ground, cast: Cast, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (ground.stateFile.latest === null && performance.now() < deadline) await sleep(50);
  const { phase, opensAt } = ground.stateFile.latest ?? {};
  if (phase === 'scheduled' && opensAt) await sleep(Math.max(0, Date.parse(opensAt) - Date.now() - BOTS_BEFORE_MS));
  const early = cast.bots.filter(({ habit }) => habit === 'early');
  await Promise.all(early.map((bot) => askEarly(ground, bot, BOTS_BEFORE_MS + BOTS_AFTER_MS)));
}

/** The books once no unit is held any more, or as they stand when that takes too long (a check will say so). */
async function settledBooks(ground: Ground): Promise<Books> {
  const deadline = performance.now() + HOLDS_END_WITHIN_MS;
  for (;;) {
    const books = await ground.shop.books(ground.saleId);
    const open = (books.orders.held ?? 0) + (books.orders.placed ?? 0) + (books.orders.accepted ?? 0);
    if (open === 0 || performance.now() > deadline) return books;
    await sleep(300);
  }
}

/**
 * Before anybody's word is taken, those who left an order open look at it once more, and those whose last request
 * got no answer look at their own orders, as a page does after a reload. So do those who lost an answer and were then
 * refused: on a slow line the lost request may have been served after the one that was refused.
 */
async function lookOnceMore(ground: Ground): Promise<void> {
  const { api, tally } = ground;
  for (const [orderId, order] of tally.orders) {
    if (!['accepted', 'placed', 'held'].includes(order.status)) continue;
    const answer = await api.ownOrder(tokenOf(ground, order.buyerId), orderId);
    if (answer.kind === 'order') tally.saw(order.buyerId, answer.order);
  }
  for (const intent of tally.intents) {
    const isOpen = intent.outcome === 'unanswered';
    if (!isOpen && (intent.unheard === 0 || intent.outcome === 'order')) continue;
    const own = await api.ownOrders(tokenOf(ground, intent.buyerId), ground.saleId);
    if (own === null) continue;
    const learned = isOpen ? own : own.filter((order) => mayHaveCrossed(order, intent));
    for (const order of learned) tally.saw(intent.buyerId, order);
    if (learned.length > 0) intent.outcome = 'order';
    else if (isOpen) intent.outcome = 'no_order';
  }
}

/** A server that refuses a key whose order it has made answers wrongly; it may only lag behind itself this long. */
const LATCH_LAG_MS = 1000;

/** Whether the order was made when the refused request was already on its way. */
const mayHaveCrossed = ({ placedAt }: Order, { askedAtMs }: Intent): boolean =>
  Date.parse(placedAt) > askedAtMs - LATCH_LAG_MS;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
