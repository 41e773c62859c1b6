/**
 * A rehearsal's report in words for a reader who knows nothing of it: who came, what they were told, what was paid,
 * what the books say, which promises were kept. Pure: report in, lines out. Colours, if any, are the caller's.
 */
import type { Progress, StampedeReport } from './report.ts';
import type { Check } from './verify.ts';

const grouped = new Intl.NumberFormat('en');

/** 12345 as "12,345". */
const number = (value: number): string => grouped.format(value);

/** "1 unit", "2 units". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

const CODES: Readonly<Record<string, string>> = {
  sold_out: 'sold out',
  limit_reached: 'you already have one (the limit is reached)',
  not_open: 'the sale is not open yet',
  wrong_purchase_key: 'the purchase key is wrong',
  busy: 'too busy, try again later',
  unavailable: 'not available just now',
  sale_ended: 'the sale has ended',
  rate_limited: 'too many requests',
  no_order: 'no answer, but their own list of orders is empty',
  unanswered: 'nothing, no answer came',
};

/** A refusal code as the sentence that a shopper reads. */
const told = (code: string): string => CODES[code] ?? code;

export function progressLine(progress: Progress): string {
  const { held = 0, paid = 0 } = progress.orders;
  const seconds = (progress.afterOpeningMs / 1000).toFixed(1).padStart(5);
  const soldOut = progress.answers.sold_out ?? 0;
  return `+${seconds} s  ${number(progress.come)} came, ${number(progress.requests)} requests, ${number(held)} held, ${number(paid)} paid, ${number(soldOut)} times "sold out"`;
}

export function story(report: StampedeReport): string[] {
  const got = report.outcomes.shoppers.order ?? 0;
  const { double_click, double_parallel, lost_answer } = report.clicks;
  return [
    'What happened',
    `  ${counted(report.shoppers, 'shopper')} and ${counted(report.bots, 'bot')} came and sent ${counted(report.requests, 'order request')}.`,
    `  ${number(double_click + double_parallel)} shoppers clicked twice; ${number(lost_answer)} lost the connection before the answer and asked again.`,
    `  ${number(got)} shoppers got a unit. The other ${number(report.shoppers - got)} did not:`,
    ...refusals(report.outcomes.shoppers),
    `  The bots tried ${number(total(report.outcomes.bots))} times. They were told:`,
    ...refusals(report.outcomes.bots),
    ...bots(report),
    `  ${waits(report)}`,
    '',
    'What became of the units',
    ...fates(report),
    '',
    'The books',
    ...report.books.items.map(({ sku, available, held, sold, inFlight, total: stock }) => {
      const moving = inFlight > 0 ? ` + ${number(inFlight)} in flight` : '';
      return `  ${sku}: ${number(available)} free + ${number(held)} held + ${number(sold)} sold${moving} = ${number(stock)}`;
    }),
  ];
}

export function verdict(report: StampedeReport): string[] {
  const broken = report.checks.filter(({ kept }) => !kept).length;
  return [
    'Was every promise kept?',
    ...report.checks.flatMap(checkLines),
    '',
    broken === 0
      ? `Verdict: yes, all ${report.checks.length}. (${report.seconds} s, seed ${report.seed})`
      : `Verdict: NO, ${counted(broken, 'promise was', 'promises were')} broken. (${report.seconds} s, seed ${report.seed})`,
  ];
}

function checkLines({ kept, promise, findings }: Check): string[] {
  return [`  ${kept ? '✓' : '✗'} ${promise}`, ...findings.map((finding) => `      ${finding}`)];
}

function refusals(outcomes: Readonly<Record<string, number>>): string[] {
  const codes = Object.entries(outcomes).filter(([code]) => code !== 'order');
  codes.sort(([, a], [, b]) => b - a);
  return codes.map(([code, count]) => `    ${number(count).padStart(9)}  ${told(code)}`);
}

function bots(report: StampedeReport): string[] {
  const won = report.outcomes.bots.order ?? 0;
  return won === 0
    ? []
    : [`    ${number(won).padStart(9)}  a unit is held for you (never more than the limit for one account)`];
}

function fates(report: StampedeReport): string[] {
  const { paid = 0, cancelled = 0, expired = 0, refunded = 0, refund_due = 0 } = report.told;
  const orders = Object.values(report.told).reduce((sum, count) => sum + count, 0);
  const back = cancelled + expired + refunded + refund_due;
  return [
    `  ${counted(orders, 'order was', 'orders were')} made. ${number(paid)} were paid for.`,
    `  ${counted(back, 'unit', 'units')} came back and could be bought again: ${number(cancelled)} cancelled, ${number(expired)} not paid in time,`,
    `  ${number(refunded + refund_due)} paid after the time was up (that money was given back).`,
  ];
}

function waits({ visitTimes }: StampedeReport): string {
  const { p50Ms, p99Ms, maxMs } = visitTimes;
  return `Half of the shoppers had their final answer within ${wait(p50Ms)}, 99 of 100 within ${wait(p99Ms)}, the last one within ${wait(maxMs)}.`;
}

const wait = (ms: number): string => (ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

const total = (outcomes: Readonly<Record<string, number>>): number =>
  Object.values(outcomes).reduce((sum, count) => sum + count, 0);
