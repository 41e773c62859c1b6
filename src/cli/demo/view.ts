/** The demo's live view, pure: how far it is, a width, words and signs in; lines out, none wider than the width. */
import type { Words } from '../../rehearsal/words/words.ts';
import { progressBar, sparkline, stockBar } from '../terminal/bars.ts';
import type { Look } from '../terminal/look.ts';
import { cut, padEnd, widthOf } from '../terminal/text-width.ts';
import type { Stage } from './stage.ts';

export interface ViewOptions {
  readonly width: number;
  readonly nowMs: number;
  readonly words: Words;
  readonly look: Pick<Look, 'paint' | 'signs'>;
}

const BAR_MAX = 40;
const BAR_MIN = 8;
const SPARKLINE_MAX = 24;
/** Of the last rates, so many are one second. */
const RATES_A_SECOND = 4;

export function demoView(stage: Stage, options: ViewOptions): string[] {
  const { width, words, look } = options;
  const { labels } = words;
  const labelWidth = Math.max(...Object.values(labels).map(widthOf));
  const row = (label: string, text: string): string => `  ${look.paint('dim', padEnd(label, labelWidth))}  ${text}`;
  const room = width - labelWidth - 5;
  const { sold, held, free } = stage.stock;
  const all = sold + held + free;
  // Made for the longest text that may come, so that the bars do not jump.
  const longest = Math.max(widthOf(words.arrived(stage.shoppers, stage.shoppers)), widthOf(words.stock(all, all, all)));
  const barWidth = Math.max(BAR_MIN, Math.min(BAR_MAX, room - longest - 2));
  const come = stage.progress?.come ?? 0;
  return [
    `  ${look.paint('bold', headline(stage, options))}`,
    '',
    row(
      labels.shoppers,
      `${progressBar(come, stage.shoppers, barWidth, look)}  ${words.arrived(come, stage.shoppers)}`,
    ),
    row(labels.stock, `${stockBar(stage.stock, barWidth, look)}  ${words.stock(sold, held, free)}`),
    '',
    row(labels.ordered, ordered(stage, words)),
    row(labels.refused, refused(stage, words, room)),
    row(labels.speed, speed(stage, options, room)),
  ].map((line) => cut(line, width));
}

function headline({ kind, opensAtMs, progress, shoppers }: Stage, { nowMs, words }: ViewOptions): string {
  const seconds = ((progress?.afterOpeningMs ?? 0) / 1000).toFixed(1);
  switch (kind) {
    case 'preparing':
      return words.preparing;
    case 'waiting':
      return words.opensIn(Math.max(0, Math.ceil(((opensAtMs ?? nowMs) - nowMs) / 1000)));
    case 'rush':
      return (progress?.come ?? 0) < shoppers ? words.openFor(seconds) : words.settling(seconds);
    case 'judging':
      return words.judging;
    case 'over':
      return words.over(seconds);
  }
}

function ordered({ progress }: Stage, words: Words): string {
  const orders = Object.values(progress?.orders ?? {}).reduce((sum, count) => sum + count, 0);
  return orders === 0 ? words.nobody : words.ordered(orders, progress?.orders.paid ?? 0);
}

/** The reasons, the most frequent first, as many as fit whole. */
function refused({ progress }: Stage, words: Words, room: number): string {
  const reasons = Object.entries(progress?.answers ?? {}).filter(([code]) => code !== 'order' && code !== 'lost');
  reasons.sort(([, a], [, b]) => b - a);
  let text = '';
  for (const [code, count] of reasons) {
    const longer = `${text}${text === '' ? '' : ', '}${words.number(count)} ${words.reason(code)}`;
    if (widthOf(longer) > room) break;
    text = longer;
  }
  return text === '' ? words.nobody : text;
}

function speed({ kind, progress, rates }: Stage, { words, look }: ViewOptions, room: number): string {
  if (progress === null) return '';
  const last = rates.slice(-RATES_A_SECOND);
  const perSecond = Math.round(last.reduce((sum, rate) => sum + rate, 0) / Math.max(1, last.length));
  const p99 = words.milliseconds(progress.answerP99Ms);
  const text = kind === 'over' ? words.fastest(Math.max(...rates), p99) : words.speed(perSecond, p99);
  const left = Math.min(SPARKLINE_MAX, room - widthOf(text) - 2);
  return left < BAR_MIN ? text : `${text}  ${look.paint('cyan', sparkline(rates, left, look.signs))}`;
}
