/**
 * What the demo leaves running on a terminal: a second sale that a person can try by hand, and how. Words and a sale;
 * demo.ts makes it and ends it.
 */
import path from 'node:path';
import type { Words } from '../../rehearsal/words/words.ts';
import type { Stock } from '../terminal/bars.ts';
import { stockBar } from '../terminal/bars.ts';
import type { Look } from '../terminal/look.ts';

export const TRY_SALE_ID = 'try-it';
const SKU = 'bag';
const UNITS = 5;
export const TRY_OPENS_IN_MS = 60_000;
/** Long enough to find one's card. */
const HOLD_SECONDS = 300;

/** For guests, with the built-in payment: nobody needs an account or money. */
export const trySale = (words: Words, opensAt: string): Record<string, unknown> => ({
  saleId: TRY_SALE_ID,
  title: words.tryName,
  description: words.tryDescription,
  currency: 'EUR',
  opensAt,
  items: [{ sku: SKU, title: words.tryItem, priceMinor: 1500, stock: UNITS }],
  limitPerBuyer: 1,
  holdSeconds: HOLD_SECONDS,
  guests: true,
  demoPayment: true,
  showStock: true,
  look: { name: 'Doorbuster', color: '#0b6e4f' },
});

export interface Running {
  readonly url: string;
  readonly dataFolder: string;
  /** How this program was called, to be called again. */
  readonly program: string;
  readonly firstSaleId: string;
}

/** Lines that begin with `$` are commands: never wrapped, so that they can be copied. */
export function tryText(words: Words, { url, dataFolder, program, firstSaleId }: Running): string[] {
  const sale = `${url}/v1/sales/${TRY_SALE_ID}`;
  const field = (name: string): string => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;
  return [
    words.tryTitle,
    `  ${words.tryOpens(TRY_OPENS_IN_MS / 1000)}`,
    '',
    `  ${words.tryPage}`,
    `    ${url}/sales/${TRY_SALE_ID}`,
    '',
    `  ${words.tryCurl}`,
    `    SALE=${sale}`,
    `    TOKEN=$(curl -s -X POST $SALE/guests | ${field('token')})`,
    `    KEY=$(curl -s $SALE/state | ${field('purchaseKey')})`,
    '    curl -s "$SALE/orders?key=$KEY" -H "Authorization: Bearer $TOKEN" \\',
    `      -H "Idempotency-Key: try-1" -H "Content-Type: application/json" -d '{"sku":"${SKU}","quantity":1}'`,
    '',
    `  ${words.tryBooks}`,
    `    export DOORBUSTER_URL=${url} DOORBUSTER_DATA=${dataFolder}`,
    `    ${program} sale show ${TRY_SALE_ID} --watch`,
    `    ${program} books ${firstSaleId}`,
    '',
    `  ${words.tryStop}`,
  ];
}

/** The one line that moves: how long until it opens, then what is left. */
export function tryLine(words: Words, look: Look, { stock, opensInMs }: { stock: Stock; opensInMs: number }): string {
  const seconds = Math.ceil(opensInMs / 1000);
  const phase = seconds > 0 ? words.tryWaiting(seconds) : words.tryOpen;
  const { sold, held, free } = stock;
  return `  ${words.tryName}: ${phase}  ${stockBar(stock, UNITS * 2, look)}  ${words.stock(sold, held, free)}`;
}

/** `npx doorbuster` where it was started so, else `node` with the file's path from here. */
export function programName(file: string, folder: string): string {
  return path.extname(file) === '' ? 'npx doorbuster' : `node ${path.relative(folder, file)}`;
}
