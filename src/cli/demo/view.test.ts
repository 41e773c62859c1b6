import { describe, expect, test } from 'vitest';
import type { StampedeEvent } from '../../rehearsal/main.ts';
import { languageOf, languages, wordsOf } from '../../rehearsal/words/words.ts';
import { lookOf, noPaint } from '../terminal/look.ts';
import { plain, widthOf } from '../terminal/text-width.ts';
import { firstStage, type Stage, stageAfter, stockOf } from './stage.ts';
import { demoView } from './view.ts';

const progress = (change: Partial<Extract<StampedeEvent, { event: 'progress' }>> = {}): StampedeEvent => ({
  event: 'progress',
  afterOpeningMs: 500,
  come: 650,
  answered: 600,
  requests: 800,
  orders: { held: 30, paid: 62, expired: 3 },
  answers: { order: 95, sold_out: 480, limit_reached: 40, not_open: 6, lost: 2 },
  answerP99Ms: 34.2,
  ...change,
});

const stageOf = (...events: StampedeEvent[]): Stage =>
  events.reduce(stageAfter, firstStage({ shoppers: 1000, stock: 100 }));

const ready: StampedeEvent = { event: 'ready', shoppers: 1000, bots: 6 };
const opened: StampedeEvent = { event: 'opened' };
const rush: Stage = { ...stageOf(ready, opened, progress()), stock: { free: 8, held: 30, sold: 62 } };

const { signs } = lookOf({}, {});
const view = (stage: Stage, language: 'en' | 'zh' = 'en', width = 80): string[] =>
  demoView(stage, { width, nowMs: 10_000, words: wordsOf(language), look: { paint: noPaint, signs } });

test('in the rush it shows who came, what was refused and why, the stock and the speed', () => {
  expect(view(rush)).toEqual([
    '  Open for 0.5 s',
    '',
    '  Shoppers  █████████████████████████░░░░░░░░░░░░  650 of 1,000 came',
    '  Stock     ████████████████████████▒▒▒▒▒▒▒▒▒▒▒░░  62 sold, 30 held, 8 free',
    '',
    '  Ordered   95 orders, 62 paid',
    '  Refused   480 sold out, 40 limit reached, 6 too early',
    '  Speed     1,600 requests/s, 99 of 100 answered in 35 ms  █',
  ]);
});

test('before it and after it, it says what is going on', () => {
  expect(view(stageOf())[0]).toMatch(/get ready/);
  expect(view({ ...stageOf(ready), opensAtMs: 12_500 })[0]).toMatch(/opens in 3 s/);
  expect(view({ ...stageOf(ready), opensAtMs: 9000 })[0]).toMatch(/opens in 0 s/);
  expect(view(stageOf(ready, opened, progress({ event: 'progress', come: 1000 })))[0]).toMatch(/all have come/);
  expect(view(stageOf(ready, opened, progress(), { event: 'judging' }))[0]).toMatch(/books/);
});

describe.each(languages)('in %s', (language) => {
  const stages = [stageOf(), stageOf(ready), rush, stageOf(ready, opened, progress(), { event: 'judging' })];
  test.each([40, 60, 80, 120])('no line is wider than %i columns, and there are always as many', (width) => {
    for (const stage of stages) {
      const lines = view(stage, language, width);
      expect(lines).toHaveLength(8);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  test('the bars end in one column', () => {
    const ends = view(rush, language, 100)
      .slice(2, 4)
      .map((line) => widthOf(/^.*[█▒░]/.exec(line)?.[0] ?? ''));
    expect(ends[0]).toBe(ends[1]);
  });

  test('with colours it is the same text', () => {
    const look = lookOf({ isTTY: true }, {});
    const coloured = demoView(rush, { width: 80, nowMs: 10_000, words: wordsOf(language), look });
    expect(coloured.map(plain)).toEqual(view(rush, language));
    expect(coloured.join('')).not.toBe(coloured.map(plain).join(''));
  });
});

test('rates are those between two looks', () => {
  const stage = stageOf(opened, progress(), progress({ event: 'progress', afterOpeningMs: 750, requests: 900 }));
  expect(stage.rates).toEqual([1600, 400]);
});

test('the stock is the sum of the items', () => {
  const item = { sku: 'a', total: 10, available: 5, held: 3, sold: 2, inFlight: 0 };
  expect(stockOf({ items: [item, item], orders: {}, balanced: true })).toEqual({ free: 10, held: 6, sold: 4 });
});

test.each([
  ['zh_CN.UTF-8', 'zh'],
  ['zh', 'zh'],
  ['zh-Hant', 'zh'],
  ['de_DE.UTF-8', 'en'],
  ['', 'en'],
  ['zhx', 'en'],
])('the language of %j is %s', (locale, language) => expect(languageOf(locale)).toBe(language));
