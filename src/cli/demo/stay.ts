/** The end of the demo on a terminal: makes the second sale, says how to try it, and shows its stock until told to stop. */
import type { DoorbusterApi } from '../../rehearsal/api.ts';
import type { Words } from '../../rehearsal/words/words.ts';
import type { Stock } from '../terminal/bars.ts';
import { LiveArea, type Terminal } from '../terminal/live-area.ts';
import type { Look } from '../terminal/look.ts';
import { stockOf } from './stage.ts';
import { type Running, TRY_OPENS_IN_MS, TRY_SALE_ID, tryLine, trySale, tryText } from './try-it.ts';

const LOOK_EVERY_MS = 1000;

export interface StayOptions {
  readonly shop: DoorbusterApi;
  readonly running: Running;
  readonly words: Words;
  readonly look: Look;
  readonly out: Terminal;
  readonly say: (line: string) => void;
  /** Settles when it is to end. */
  readonly until: Promise<unknown>;
}

export async function stay({ shop, running, words, look, out, say, until }: StayOptions): Promise<void> {
  const opensAtMs = Date.now() + TRY_OPENS_IN_MS;
  const { items } = await shop.createSale(trySale(words, new Date(opensAtMs).toISOString()));
  await shop.scheduleSale(TRY_SALE_ID);
  for (const line of ['', ...tryText(words, running), '']) say(line);
  let stock: Stock = { free: items.reduce((sum, item) => sum + item.stock, 0), held: 0, sold: 0 };
  const area = new LiveArea(out, () => [tryLine(words, look, { stock, opensInMs: opensAtMs - Date.now() })]);
  let isLooking = false;
  const lookAgain = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    // A server that does not answer is on its way down: `until` tells.
    stock = await shop.books(TRY_SALE_ID).then(stockOf, () => stock);
    isLooking = false;
  };
  const timer = setInterval(() => void lookAgain(), LOOK_EVERY_MS);
  try {
    await until;
  } finally {
    clearInterval(timer);
    area.stop();
  }
}
