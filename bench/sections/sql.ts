/**
 * One hot item on a database server, distinct buyers, every order durable: batches through the product's engine beside
 * the classic ways, one order a transaction: conditional UPDATE, SELECT FOR UPDATE, optimistic version; each at 1, 8
 * and 32 connections, in the same run on the same server and tables. Also the share of what plain multi-row inserts of
 * the same orders in the same batches reach, and the same sale through HTTP.
 */
import { TestDatabase } from '../../test/support/database.ts';
import { type Contender, classics, holdOnServer, insertRaw, openOnServer } from '../classics.ts';
import { median, type Row, rounded, type Settings, spread } from '../figures.ts';
import { startLoadGenerator, startProduct } from '../processes.ts';
import { demandStatus, openBenchSale, prepare, targetOf } from './purchase.ts';

const KINDS = ['postgres', 'mariadb'] as const;
const CONNECTIONS = [1, 8, 32] as const;
const BEST_FLOOR = 4;
const SLOWEST_FLOOR = 20;
const ROUNDS = { full: 7, quick: 1 };
const HOLDS = { full: 20_000, quick: 2_000 };
/** Seconds that each classic way is given in each round. */
const CLASSIC_SECONDS = { full: 1, quick: 0.3 };
const HTTP_ORDERS = { full: 10_000, quick: 1_000 };

export async function sqlSection(settings: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of KINDS) {
    const server = await TestDatabase.start(kind);
    try {
      rows.push(await hotItem(settings, server), await throughHttp(settings, server));
    } finally {
      await server.close();
    }
  }
  return rows;
}

interface Rates {
  readonly ours: number[];
  readonly raw: number[];
  /** By name and connections, such as `for update, 32`. */
  readonly theirs: Map<string, number[]>;
}

async function hotItem(settings: Settings, server: TestDatabase): Promise<Row> {
  const size = settings.quick ? 'quick' : 'full';
  const rates: Rates = { ours: [], raw: [], theirs: new Map() };
  await measure(server, rates, { holds: HOLDS.quick, seconds: CLASSIC_SECONDS.quick });
  for (const list of [rates.ours, rates.raw, ...rates.theirs.values()]) list.length = 0;
  for (let round = 0; round < ROUNDS[size]; round += 1) {
    await measure(server, rates, { holds: HOLDS[size], seconds: CLASSIC_SECONDS[size] });
    settings.note(`${server.kind} round ${round + 1}/${ROUNDS[size]}: ${rounded(rates.ours.at(-1) ?? 0)} orders/s`);
  }
  return rowOf(server.kind, rates);
}

/** One round: everything once, in turn, each on a database of its own. */
async function measure(server: TestDatabase, rates: Rates, how: { holds: number; seconds: number }): Promise<void> {
  const ours = await openOnServer(server.kind, server.create(), how.holds);
  try {
    rates.ours.push(await holdOnServer(ours, how.holds));
    rates.raw.push(await insertRaw(ours, how.holds));
  } finally {
    await ours.close();
  }
  for (const connections of CONNECTIONS)
    for (const contender of classics(server.kind)) {
      const name = `${contender.name}, ${connections}`;
      const rate = await classicRate(server, contender, { connections, seconds: how.seconds });
      rates.theirs.set(name, [...(rates.theirs.get(name) ?? []), rate]);
    }
}

async function classicRate(
  server: TestDatabase,
  contender: Contender,
  how: { connections: number; seconds: number },
): Promise<number> {
  const run = await contender.open(server.create(), how.connections);
  try {
    return await run.ordersPerSecond(how.seconds);
  } finally {
    await run.close();
  }
}

function rowOf(kind: string, { ours, raw, theirs }: Rates): Row {
  const medians = [...theirs].map(([name, values]): [string, number] => [name, median(values)]);
  const best = medians.reduce((one, other) => (other[1] > one[1] ? other : one));
  const atMost = medians.filter(([name]) => name.endsWith(', 32'));
  const slowest = atMost.reduce((one, other) => (other[1] < one[1] ? other : one));
  const overBest = ours.map((rate, round) => rate / (theirs.get(best[0])?.[round] ?? Number.NaN));
  const overSlowest = ours.map((rate, round) => rate / (theirs.get(slowest[0])?.[round] ?? Number.NaN));
  const figures = {
    ordersPerSecond: median(ours),
    rawPerSecond: median(raw),
    best: best[0],
    bestPerSecond: best[1],
    slowest: slowest[0],
    slowestPerSecond: slowest[1],
    overBest: median(overBest),
    overSlowest: median(overSlowest),
    ofRaw: median(ours.map((rate, round) => rate / (raw[round] ?? Number.NaN))),
  };
  const table = medians.map(([name, rate]) => `${name}: ${rounded(rate)}`).join('; ');
  return {
    section: 'sql',
    name: `${kind}, one hot item`,
    text:
      `${rounded(figures.ordersPerSecond)} orders/s; best classic (${best[0]}) ${rounded(best[1])}: ratio ${rounded(figures.overBest)} (${spread(overBest)}, aim 8); ` +
      `slowest at 32 (${slowest[0]}) ${rounded(slowest[1])}: ratio ${rounded(figures.overSlowest)}; ` +
      `raw inserts ${rounded(figures.rawPerSecond)}/s: share ${rounded(figures.ofRaw)} [${table}]`,
    figures,
    floors: [
      {
        name: `${kind} orders/s over the best classic way`,
        value: figures.overBest,
        bound: BEST_FLOOR,
        kind: 'at_least',
      },
      {
        name: `${kind} orders/s over the slowest classic way at 32 connections`,
        value: figures.overSlowest,
        bound: SLOWEST_FLOOR,
        kind: 'at_least',
      },
    ],
  };
}

async function throughHttp(settings: Settings, server: TestDatabase): Promise<Row> {
  const count = settings.quick ? HTTP_ORDERS.quick : HTTP_ORDERS.full;
  const env = { DOORBUSTER_QUEUE_WAIT_MS: '30000', DOORBUSTER_DATABASE_URL: server.create() };
  const product = await startProduct({ env });
  const load = await startLoadGenerator();
  try {
    const sale = await openBenchSale(product, 'selling');
    const perSecond: number[] = [];
    for (let run = 0; run < (settings.quick ? 1 : 4); run += 1) {
      await prepare(load, sale, count);
      const result = await load.closed(targetOf(product));
      demandStatus(result, sale);
      // The first is to warm up.
      if (run > 0 || settings.quick) perSecond.push(result.answers / result.seconds);
    }
    const rate = median(perSecond);
    return {
      section: 'sql',
      name: `${server.kind}, through HTTP`,
      text: `${rounded(rate)} durable orders/s over 64 connections, one server process`,
      figures: { ordersPerSecond: rate },
      floors: [],
    };
  } finally {
    await Promise.all([product.stop(), load.stop()]);
  }
}
