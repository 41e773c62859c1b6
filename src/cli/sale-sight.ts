/**
 * A sale with its books as an operator looks at it, pure: once as a table, live with a countdown and a stock bar, or as
 * one line for a pipe.
 */
import type { Books } from './books.ts';
import { zonedText } from './questions/zone-time.ts';
import { amountText, type SaleView } from './sale-view.ts';
import { stockBar, table } from './terminal/bars.ts';
import type { Look, Style } from './terminal/look.ts';
import { cut } from './terminal/text-width.ts';

export interface Sight {
  readonly sale: SaleView;
  readonly books: Books;
}

const PHASE_STYLES: Readonly<Record<string, Style>> = { open: 'green', paused: 'yellow', scheduled: 'cyan' };
const BAR_MAX = 40;

/** All there is to know, once. */
export function sightTable({ sale, books }: Sight, { paint }: Pick<Look, 'paint'>): string[] {
  const facts: [string, string][] = [
    ['opens', timeText(sale.opensAt, sale.timeZone) ?? 'when told to'],
    ['ends', timeText(sale.endsAt, sale.timeZone) ?? 'when told to'],
    ['limit', sale.limitPerBuyer === null ? 'none' : `${sale.limitPerBuyer} per buyer`],
    ['to pay', `${sale.holdSeconds} s`],
    ['guests', sale.guests ? 'yes' : 'no'],
    ['orders', ordersText(books)],
  ];
  const items = sale.items.map(({ sku, title, priceMinor }) => {
    const item = books.items.find((one) => one.sku === sku);
    const figures = [item?.total, item?.available, item?.held, item?.sold].map((figure) => String(figure ?? '?'));
    return [sku, ...figures, amountText(priceMinor, sale.currency), title];
  });
  return [
    headline(sale, paint),
    ...table(facts, { left: [0, 1] }).map((line) => `  ${line}`),
    '',
    ...table([['item', 'total', 'free', 'held', 'sold', 'price', 'title'], ...items], { left: [0, 6] }).map(
      (line) => `  ${line}`,
    ),
    ...(books.balanced ? [] : ['', paint('red', BROKEN)]),
  ];
}

/** Drawn anew as time goes on: the phase with its countdown, a bar for each item, the orders. */
export function liveSight(
  sight: Sight,
  options: { width: number; nowMs: number; look: Look; note: string | null },
): string[] {
  const { sale, books } = sight;
  const { width, nowMs, look, note } = options;
  const { paint } = look;
  const rows = sale.items.map(({ sku }) => {
    const item = books.items.find((one) => one.sku === sku);
    const stock = { free: item?.available ?? 0, held: item?.held ?? 0, sold: item?.sold ?? 0 };
    return { sku, stock, text: `${stock.sold} sold, ${stock.held} held, ${stock.free} free` };
  });
  const longest = Math.max(...rows.map(({ sku, text }) => sku.length + text.length));
  const barWidth = Math.max(8, Math.min(BAR_MAX, width - longest - 8));
  const skuWidth = Math.max(...rows.map(({ sku }) => sku.length));
  return [
    `${headline(sale, paint)}${countdown(sale, nowMs)}`,
    '',
    ...rows.map(({ sku, stock, text }) => `  ${sku.padEnd(skuWidth)}  ${stockBar(stock, barWidth, look)}  ${text}`),
    '',
    `  orders: ${ordersText(books)}`,
    ...(books.balanced ? [] : [`  ${paint('red', BROKEN)}`]),
    note === null ? paint('dim', '  Ctrl-C ends the view, not the sale.') : paint('yellow', `  ${note}`),
  ].map((line) => cut(line, width));
}

/** What a pipe gets when something has changed. */
export function sightLine({ sale, books }: Sight): string {
  const items = books.items.map(
    ({ sku, available, held, sold }) => `${sku} ${sold} sold, ${held} held, ${available} free`,
  );
  return `${sale.saleId} is ${sale.phase}; ${items.join('; ')}; orders: ${ordersText(books)}`;
}

const BROKEN = 'THE BOOKS DO NOT BALANCE: see the log of the server, and doorbuster doctor';

const headline = ({ saleId, phase, version, title }: SaleView, paint: Look['paint']): string => {
  const style = PHASE_STYLES[phase];
  const shown = style === undefined ? phase : paint(style, phase);
  return `${paint('bold', saleId)} is ${shown} (version ${version}): ${title}`;
};

function countdown({ phase, opensAt, endsAt }: SaleView, nowMs: number): string {
  if (phase === 'scheduled' && opensAt !== null) return `, opens in ${spanText(Date.parse(opensAt) - nowMs)}`;
  return (phase === 'open' || phase === 'paused') && endsAt !== null
    ? `, ends in ${spanText(Date.parse(endsAt) - nowMs)}`
    : '';
}

/** `42 s`, `2:05`, `3:00:00`, `2 d 03:00:00`. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const pad = (value: number): string => String(value).padStart(2, '0');
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const rest = `${pad(minutes)}:${pad(seconds % 60)}`;
  if (days > 0) return `${days} d ${pad(hours)}:${rest}`;
  return hours > 0 ? `${hours}:${rest}` : `${minutes}:${pad(seconds % 60)}`;
}

const timeText = (iso: string | null, zone: string): string | null =>
  iso === null ? null : `${zonedText(Date.parse(iso), zone)}, ${zone}`;

export function ordersText({ orders }: Books): string {
  const counts = Object.entries(orders).map(([status, count]) => `${count} ${status}`);
  return counts.length === 0 ? 'none' : counts.join(', ');
}
