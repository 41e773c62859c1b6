/**
 * A rehearsal's report in words for a reader who knows nothing of it: who came, what they were told, what was paid,
 * what the books say, which promises were kept. Pure: report and words in, lines out. Colours, if any, are the caller's.
 */
import type { Progress, StampedeReport } from './report.ts';
import type { Check } from './verify.ts';
import type { Words } from './words/words.ts';

export function progressLine({ afterOpeningMs, come, requests, orders, answers }: Progress, words: Words): string {
  const seconds = (afterOpeningMs / 1000).toFixed(1).padStart(5);
  const { held = 0, paid = 0 } = orders;
  return words.progress(seconds, come, requests, held, paid, answers.sold_out ?? 0);
}

export function story(report: StampedeReport, words: Words): string[] {
  const { shoppers, outcomes, clicks, books } = report;
  const got = outcomes.shoppers.order ?? 0;
  return [
    words.whatHappened,
    `  ${words.came(shoppers, report.bots, report.requests)}`,
    `  ${words.clicked(clicks.double_click + clicks.double_parallel, clicks.lost_answer)}`,
    `  ${words.gotOne(got, shoppers - got)}`,
    ...refusals(outcomes.shoppers, words),
    `  ${words.botsTried(total(outcomes.bots))}`,
    ...refusals(outcomes.bots, words),
    ...botsThatWon(report, words),
    `  ${waits(report, words)}`,
    '',
    words.fatesTitle,
    ...fates(report, words),
    '',
    words.booksTitle,
    ...books.items.map(({ sku, available, ...item }) => `  ${words.books(sku, { ...item, free: available })}`),
  ];
}

/** `signs`: how a kept and a broken promise are marked. */
export function verdict(report: StampedeReport, words: Words, signs: { good: string; bad: string }): string[] {
  const { checks, seconds, seed, books } = report;
  const broken = checks.filter(({ kept }) => !kept).length;
  const [first, ...others] = books.items;
  const goods = others.length === 0 ? words.units(first?.total ?? 0) : words.stockOfEach;
  const lines = ({ id, kept, findings }: Check): string[] => [
    `  ${kept ? signs.good : signs.bad} ${words.promise(id, goods)}`,
    ...findings.map((finding) => `      ${finding}`),
  ];
  return [
    words.promisesTitle,
    ...checks.flatMap(lines),
    '',
    broken === 0 ? words.kept(checks.length, seconds, seed) : words.broken(broken, seconds, seed),
    ...(broken === 0 ? [inShort(report, words)] : []),
  ];
}

function inShort({ books, shoppers, outcomes }: StampedeReport, words: Words): string {
  const sold = books.items.reduce((sum, item) => sum + item.sold, 0);
  const stock = books.items.reduce((sum, item) => sum + item.total, 0);
  return words.meaning(sold, stock, shoppers - (outcomes.shoppers.order ?? 0));
}

function refusals(outcomes: Readonly<Record<string, number>>, words: Words): string[] {
  const codes = Object.entries(outcomes).filter(([code]) => code !== 'order');
  codes.sort(([, a], [, b]) => b - a);
  return codes.map(([code, count]) => `    ${words.number(count).padStart(9)}  ${words.told(code)}`);
}

function botsThatWon({ outcomes }: StampedeReport, words: Words): string[] {
  const won = outcomes.bots.order ?? 0;
  return won === 0 ? [] : [`    ${words.number(won).padStart(9)}  ${words.botsWon}`];
}

function fates({ told }: StampedeReport, words: Words): string[] {
  const { paid = 0, cancelled = 0, expired = 0, refunded = 0, refund_due = 0 } = told;
  const late = refunded + refund_due;
  return [
    `  ${words.made(total(told), paid)}`,
    `  ${words.cameBack(cancelled + expired + late, cancelled, expired, late)}`,
  ];
}

function waits({ visitTimes }: StampedeReport, words: Words): string {
  const { milliseconds } = words;
  return words.waits(milliseconds(visitTimes.p50Ms), milliseconds(visitTimes.p99Ms), milliseconds(visitTimes.maxMs));
}

const total = (outcomes: Readonly<Record<string, number>>): number =>
  Object.values(outcomes).reduce((sum, count) => sum + count, 0);
