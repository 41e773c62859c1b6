/** The questions of `sale create`, in order, and the body for the API that the answers make. Sends nothing. */
import { amountText } from '../sale-view.ts';
import { table } from '../terminal/bars.ts';
import {
  nameFrom,
  type Reading,
  readHoldSeconds,
  readLimit,
  readName,
  readPrice,
  readStock,
  readTitle,
  readYesNo,
} from './answers.ts';
import type { Dialogue } from './dialogue.ts';
import { whenOf } from './when.ts';
import { zonedText, zoneOf } from './zone-time.ts';

export interface SaleBody {
  readonly saleId: string;
  readonly title: string;
  readonly timeZone: string;
  readonly opensAt: string | null;
  readonly endsAt: string | null;
  readonly currency: string;
  readonly items: readonly {
    readonly sku: string;
    readonly title: string;
    readonly priceMinor: number;
    readonly stock: number;
  }[];
  readonly limitPerBuyer: number | null;
  readonly holdSeconds: number;
  readonly guests: boolean;
  readonly demoPayment: boolean;
}

/** The sale that the answers describe; null where the last answer, to the summary, was no. */
export async function askForSale(dialogue: Dialogue): Promise<SaleBody | null> {
  dialogue.say('A new sale. Enter takes what is in brackets; Ctrl-C makes nothing.\n');
  const title = await dialogue.ask({ label: 'Title of the sale', read: readTitle });
  const saleId = await dialogue.ask({ label: 'Its id', otherwise: nameFrom(title) ?? 'sale-1', read: readName });
  const itemTitle = await dialogue.ask({ label: 'What is sold', otherwise: title, read: readTitle });
  const sku = await dialogue.ask({
    label: 'Its article code',
    otherwise: nameFrom(itemTitle) ?? 'item-1',
    read: readName,
  });
  const { priceMinor, currency } = await dialogue.ask({
    label: 'Price',
    hint: 'with its currency, like 25.00 EUR',
    read: readPrice,
  });
  const stock = await dialogue.ask({ label: 'Units for sale', otherwise: '100', read: readStock });
  const timeZone = await dialogue.ask({
    label: 'Time zone',
    otherwise: Intl.DateTimeFormat().resolvedOptions().timeZone,
    read: readZone,
  });
  const openHint = 'like 2026-12-24 10:00 on the clocks of that zone, or "in 10 minutes"; empty: when you open it';
  const opensAtMs = await askWhen(dialogue, { label: 'Opens', hint: openHint, zone: timeZone, afterMs: null });
  const endsAtMs = await askWhen(dialogue, {
    label: 'Ends',
    hint: 'empty: when you end it',
    zone: timeZone,
    afterMs: opensAtMs,
  });
  const limitPerBuyer = await dialogue.ask({ label: 'Limit per buyer', otherwise: '1', read: readLimit });
  const holdSeconds = await dialogue.ask({ label: 'Seconds to pay', otherwise: '300', read: readHoldSeconds });
  const guests = await dialogue.ask({
    label: 'Guests',
    hint: 'may anybody buy, without a sign-in at your shop?',
    otherwise: 'no',
    read: readYesNo,
  });
  const demoPayment = await dialogue.ask({
    label: 'Demo payment',
    hint: 'a pay button that takes no money, for trying out',
    otherwise: 'no',
    read: readYesNo,
  });
  const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  const items = [{ sku, title: itemTitle, priceMinor, stock }];
  const times = { timeZone, opensAt: iso(opensAtMs), endsAt: iso(endsAtMs) };
  const body = { saleId, title, ...times, currency, items, limitPerBuyer, holdSeconds, guests, demoPayment };
  for (const line of summary(body)) dialogue.say(line);
  return (await dialogue.ask({ label: 'Make it?', otherwise: 'yes', read: readYesNo })) ? body : null;
}

interface When {
  readonly label: string;
  readonly hint: string;
  readonly zone: string;
  readonly afterMs: number | null;
}

/** Null: not at a time. Where clocks fall back over the answer, asks which of its two instants is meant (H039). */
async function askWhen(dialogue: Dialogue, { label, hint, zone, afterMs }: When): Promise<number | null> {
  const instants = await dialogue.ask<readonly number[]>({
    label,
    hint,
    otherwise: '',
    read: (text) => (text === '' ? { value: [] } : whenOf(text, { zone, nowMs: Date.now(), afterMs })),
  });
  const [first = null, second] = instants;
  if (second === undefined || first === null) return first;
  dialogue.say('  Clocks go back then: that time comes twice.');
  for (const [at, ms] of instants.entries())
    dialogue.say(`    ${at + 1}  ${zonedText(ms, zone)}  (${new Date(ms).toISOString()})`);
  const read = (text: string): Reading<number> =>
    text === '1'
      ? { value: first }
      : text === '2'
        ? { value: second }
        : { allowed: '1 for the earlier one, 2 for the later one.' };
  return dialogue.ask({ label: 'Which one, 1 or 2', read });
}

function readZone(text: string): Reading<string> {
  const zone = zoneOf(text);
  return zone === null ? { allowed: 'The name of a zone, like Europe/Berlin, Asia/Shanghai or UTC.' } : { value: zone };
}

function summary(body: SaleBody): string[] {
  const time = (iso: string | null, otherwise: string): string =>
    iso === null ? otherwise : `${zonedText(Date.parse(iso), body.timeZone)}, ${body.timeZone}`;
  const yes = (value: boolean): string => (value ? 'yes' : 'no');
  const rows = [
    ['Sale', `${body.title} (${body.saleId})`],
    ...body.items.map((item) => [
      'Item',
      `${item.stock} of ${item.title} (${item.sku}) at ${amountText(item.priceMinor, body.currency)}`,
    ]),
    ['Opens', time(body.opensAt, 'when you open it')],
    ['Ends', time(body.endsAt, 'when you end it')],
    ['Limit per buyer', String(body.limitPerBuyer ?? 'none')],
    ['Time to pay', `${body.holdSeconds} s`],
    ['Guests', yes(body.guests)],
    ['Demo payment', yes(body.demoPayment)],
  ];
  return ['', ...table(rows, { left: [0, 1] }).map((line) => `  ${line}`), ''];
}
