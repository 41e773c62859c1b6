/**
 * From the start of the process to its first answer: on an empty folder, and on a ledger with a million orders, where
 * a start that reads the whole table would show.
 */
import { median, type Row, rounded, type Settings, spread } from '../figures.ts';
import { fillLedger } from '../ledger-fill.ts';
import { freshFolder, removeFolder, startProduct } from '../processes.ts';

const FLOOR_SECONDS = 2;
const ROUNDS = { full: 7, quick: 2 };
const ORDERS = { full: 1_000_000, quick: 20_000 };

export async function startSection(settings: Settings): Promise<Row[]> {
  const rounds = settings.quick ? ROUNDS.quick : ROUNDS.full;
  const orders = settings.quick ? ORDERS.quick : ORDERS.full;
  const empty: number[] = [];
  const full: number[] = [];
  const folder = freshFolder();
  try {
    settings.note(`start: filling a ledger with ${rounded(orders)} orders`);
    await fillLedger(folder, orders);
    for (let round = 0; round < rounds; round += 1) {
      empty.push(await startOnEmpty());
      full.push(await secondsToFirstAnswer(folder));
    }
  } finally {
    removeFolder(folder);
  }
  return [rowOf('on an empty folder', empty), rowOf(`on a ledger with ${rounded(orders)} orders`, full)];
}

async function startOnEmpty(): Promise<number> {
  const folder = freshFolder();
  try {
    return await secondsToFirstAnswer(folder);
  } finally {
    removeFolder(folder);
  }
}

async function secondsToFirstAnswer(folder: string): Promise<number> {
  const product = await startProduct({ folder });
  const listeningAtMs = performance.now();
  try {
    const answer = await fetch(`${product.url}/readyz`);
    if (answer.status !== 200) throw new Error(`a started server is not ready: ${answer.status}`);
    return (product.listeningAfterMs + performance.now() - listeningAtMs) / 1000;
  } finally {
    await product.stop();
  }
}

function rowOf(name: string, seconds: readonly number[]): Row {
  return {
    section: 'start',
    name,
    text: `first answer after ${rounded(median(seconds))} s (${spread(seconds)})`,
    figures: { seconds: median(seconds), rounds: seconds.length },
    floors: [{ name: `start ${name}, seconds`, value: median(seconds), bound: FLOOR_SECONDS, kind: 'at_most' }],
  };
}
