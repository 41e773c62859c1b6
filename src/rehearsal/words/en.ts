/** The words of a rehearsal in English. The other languages have the same keys, by type. */
import type { PromiseId } from '../verify.ts';
import { counted, number } from './figures.ts';

const units = (value: number): string => counted(value, 'unit');
const shoppers = (value: number): string => counted(value, 'shopper');
const bots = (value: number): string => counted(value, 'bot');

/** What a shopper reads instead of a code of refusal. */
const told: Readonly<Record<string, string>> = {
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

/** The same in a word or two, for the live view. */
const reason: Readonly<Record<string, string>> = {
  sold_out: 'sold out',
  limit_reached: 'limit reached',
  not_open: 'too early',
  wrong_purchase_key: 'guessed key',
  busy: 'too busy',
  unavailable: 'not available',
  sale_ended: 'ended',
  rate_limited: 'too many',
};

const promises: Readonly<Record<PromiseId, (goods: string) => string>> = {
  never_oversold: (goods) => `Never more than ${goods} held or sold, at any moment`,
  books_balance: () => 'The books balance: free + held + sold = the stock',
  acknowledged_exist: () => 'Every order that a shopper was told of is in the books',
  one_order_per_key: () => 'However often somebody clicked: one try, one order',
  limits_kept: () => 'Nobody got more than the limit, bots included',
  refused_took_nothing: () => 'Everybody who was refused took nothing',
  tally_equals_books: () => 'What the shoppers were told adds up to what the books say',
  not_early: () => 'Nobody could buy before the opening, or with a guessed key',
  nothing_lost: () => 'Nobody was told "sold out" before every unit was taken',
  holds_ended: () => 'Every unpaid hold has ended and its units are back',
  everybody_answered: () => 'Everybody got an answer in the end',
  no_faults: () => 'No answer was a server error',
};

export const en = {
  number,
  units,
  told: (code: string): string => told[code] ?? code,
  reason: (code: string): string => reason[code] ?? code,
  promise: (id: PromiseId, goods: string): string => promises[id](goods),
  stockOfEach: 'the stock of each item',

  title: (stock: number, visitors: number): string =>
    `Doorbuster demo: ${units(stock)}, ${shoppers(visitors)}, one opening.`,
  about:
    'A sale opens and everybody wants to buy in the same second. Some click twice, some lose their connection, some never pay, and bots cheat. Afterwards what the shoppers were told is held against the books of the server.',
  serverRuns: (url: string): string => `A server runs at ${url}, in a fresh folder.`,
  saleMade: (saleId: string, stock: number, price: string, holdSeconds: number): string =>
    `The sale "${saleId}": ${units(stock)} at ${price}, one for each person, ${holdSeconds} s to pay.`,
  ready: (visitors: number, cheats: number, seed: number): string =>
    `${shoppers(visitors)} and ${bots(cheats)} wait, each with an own token and key (seed ${seed}).`,
  opensIn: (seconds: number): string => `The sale opens in ${seconds} s ...`,
  opened: 'Open!',
  progress: (at: string, come: number, requests: number, held: number, paid: number, soldOut: number): string =>
    `+${at} s  ${number(come)} came, ${number(requests)} requests, ${number(held)} held, ${number(paid)} paid, ${number(soldOut)} times "sold out"`,

  preparing: 'The shoppers get ready ...',
  openFor: (seconds: string): string => `Open for ${seconds} s`,
  settling: (seconds: string): string => `Open for ${seconds} s; all have come, unpaid units go back on sale ...`,
  judging: 'All went home. Their answers are held against the books ...',
  over: (seconds: string): string => `The sale is over: everybody went home after ${seconds} s.`,
  labels: { shoppers: 'Shoppers', stock: 'Stock', ordered: 'Ordered', refused: 'Refused', speed: 'Speed' },
  arrived: (come: number, all: number): string => `${number(come)} of ${number(all)} came`,
  stock: (sold: number, held: number, free: number): string =>
    `${number(sold)} sold, ${number(held)} held, ${number(free)} free`,
  ordered: (orders: number, paid: number): string => `${counted(orders, 'order')}, ${number(paid)} paid`,
  nobody: 'nobody yet',
  speed: (perSecond: number, p99: string): string => `${number(perSecond)} requests/s, 99 of 100 answered in ${p99}`,
  fastest: (perSecond: number, p99: string): string =>
    `up to ${number(perSecond)} requests/s, 99 of 100 answered in ${p99}`,
  milliseconds: (ms: number): string => (ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`),

  whatHappened: 'What happened',
  came: (visitors: number, cheats: number, requests: number): string =>
    `${shoppers(visitors)} and ${bots(cheats)} came and sent ${counted(requests, 'order request')}.`,
  clicked: (twice: number, lost: number): string =>
    `${number(twice)} shoppers clicked twice; ${number(lost)} lost the connection before the answer and asked again.`,
  gotOne: (got: number, others: number): string =>
    `${number(got)} shoppers got a unit. The other ${number(others)} did not:`,
  botsTried: (times: number): string => `The bots tried ${number(times)} times. They were told:`,
  botsWon: 'a unit is held for you (never more than the limit for one account)',
  waits: (half: string, most: string, last: string): string =>
    `Half of the shoppers had their final answer within ${half}, 99 of 100 within ${most}, the last one within ${last}.`,
  fatesTitle: 'What became of the units',
  made: (orders: number, paid: number): string =>
    `${counted(orders, 'order was', 'orders were')} made. ${number(paid)} were paid for.`,
  cameBack: (back: number, cancelled: number, expired: number, late: number): string =>
    `${counted(back, 'unit')} came back and could be bought again: ${number(cancelled)} cancelled, ${number(expired)} not paid in time, ${number(late)} paid after the time was up (that money was given back).`,
  booksTitle: 'The books',
  books: (sku: string, stock: { free: number; held: number; sold: number; inFlight: number; total: number }): string =>
    `${sku}: ${number(stock.free)} free + ${number(stock.held)} held + ${number(stock.sold)} sold${stock.inFlight > 0 ? ` + ${number(stock.inFlight)} in flight` : ''} = ${number(stock.total)}`,
  promisesTitle: 'Was every promise kept?',
  kept: (all: number, seconds: number, seed: number): string =>
    `Verdict: yes, all ${all}. (${seconds} s, seed ${seed})`,
  broken: (broke: number, seconds: number, seed: number): string =>
    `Verdict: NO, ${counted(broke, 'promise was', 'promises were')} broken. (${seconds} s, seed ${seed})`,
  meaning: (sold: number, stock: number, others: number): string =>
    `In short: ${number(sold)} of ${units(stock)} sold, each to one shopper who paid in time${stock > sold ? ` (${number(stock - sold)} left, or given back when nobody asked any more)` : ''}; ${number(others)} shoppers were told a clear no, and nobody was sold what was not there.`,

  tryTitle: 'Now you',
  tryName: 'Try it yourself',
  tryItem: 'Canvas bag',
  tryDescription: 'A sale to try out by hand: nothing is sent, nothing costs anything.',
  tryOpens: (seconds: number): string =>
    `The server goes on. A second sale opens in ${seconds} s, with 5 canvas bags, one for each visitor:`,
  tryPage: 'Its page. Open it, wait, buy, pay with the button (no real money):',
  tryCurl: 'Or by hand, in another terminal, once it is open:',
  tryBooks: 'Its books, live, and those of the sale before:',
  tryStop: 'Ctrl-C stops the server and removes its folder.',
  tryWaiting: (seconds: number): string => `opens in ${seconds} s`,
  tryOpen: 'open',
  stopped: 'Stopped. Nothing was left behind.',
  failed: (why: string): string => `the demo could not be run: ${why}`,
};
