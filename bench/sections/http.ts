/**
 * The purchase path over real HTTP against a bare server, in interleaved pairs (first one, then the other, the order
 * turned each time), each run with the same number of requests from the same generator over 64 connections.
 */
import { median, type Row, rounded, type Settings, spread } from '../figures.ts';
import {
  type BareServer,
  cpuSeconds,
  type LoadGenerator,
  type Served,
  startBareServer,
  startLoadGenerator,
  startProduct,
} from '../processes.ts';
import { type BenchSale, demandStatus, type Kind, openBenchSale, prepare, sampleAnswer, targetOf } from './purchase.ts';

/** Requests per second, ratio to the bare server: the floors of the product, and what it aims for. */
const FLOORS: Readonly<Record<Kind, { floor: number; aim: number }>> = {
  sold_out: { floor: 0.7, aim: 0.85 },
  selling: { floor: 0.3, aim: 0.45 },
};
const COUNTS: Readonly<Record<Kind, { full: number; quick: number }>> = {
  sold_out: { full: 30_000, quick: 2_000 },
  selling: { full: 20_000, quick: 2_000 },
};
const PAIRS = { full: 9, quick: 2 };

/** At most 64 orders wait at a time; none of them is to be told `busy` because the machine did something else for a moment. */
const PATIENT = { DOORBUSTER_QUEUE_WAIT_MS: '30000' };

/** Median requests per second of the product, by kind: the latency section loads it with half of that. */
export type Saturation = Partial<Record<Kind, number>>;

interface Run {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

export async function httpSection(settings: Settings, saturation: Saturation): Promise<Row[]> {
  const product = await startProduct({ env: PATIENT });
  const [bare, load] = [await startBareServer(), await startLoadGenerator()];
  try {
    const rows: Row[] = [];
    for (const kind of ['sold_out', 'selling'] as const) {
      const row = await comparePairs(settings, { sale: await openBenchSale(product, kind), bare, load });
      saturation[kind] = Number(row.figures.productPerSecond);
      rows.push(row);
    }
    return rows;
  } finally {
    await Promise.all([product.stop(), bare.stop(), load.stop()]);
  }
}

async function comparePairs(
  settings: Settings,
  parts: { sale: BenchSale; bare: BareServer; load: LoadGenerator },
): Promise<Row> {
  const { sale, bare, load } = parts;
  const count = settings.quick ? COUNTS[sale.kind].quick : COUNTS[sale.kind].full;
  const pairs = settings.quick ? PAIRS.quick : PAIRS.full;
  await bare.show(await sampleAnswer(sale));
  const measure = (server: Served): Promise<Run> => oneRun({ server, sale, load, count });
  // Two runs each that do not count: code is compiled, the database's cache is warm.
  for (let round = 0; round < (settings.quick ? 1 : 2); round += 1) {
    await measure(sale.product);
    await measure(bare);
  }
  const [ours, theirs]: [Run[], Run[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    if (pair % 2 === 0) theirs.push(await measure(bare));
    ours.push(await measure(sale.product));
    if (pair % 2 === 1) theirs.push(await measure(bare));
    settings.note(`${sale.kind} pair ${pair + 1}/${pairs}: ${pairText(ours[pair], theirs[pair])}`);
  }
  return rowOf(sale.kind, ours, theirs);
}

async function oneRun(parts: { server: Served; sale: BenchSale; load: LoadGenerator; count: number }): Promise<Run> {
  const { server, sale, load, count } = parts;
  await prepare(load, sale, count);
  const before = cpuSeconds(server.pid);
  const result = await load.closed(targetOf(server));
  const cpu = cpuSeconds(server.pid) - before;
  demandStatus(result, sale);
  return { perSecond: result.answers / result.seconds, cpuMicroseconds: (cpu / result.answers) * 1e6 };
}

function rowOf(kind: Kind, ours: readonly Run[], theirs: readonly Run[]): Row {
  const ratios = ours.map((run, pair) => run.perSecond / (theirs[pair]?.perSecond ?? Number.NaN));
  const cpuRatios = ours.map((run, pair) => (theirs[pair]?.cpuMicroseconds ?? Number.NaN) / run.cpuMicroseconds);
  const figures = {
    pairs: ours.length,
    ratio: median(ratios),
    cpuRatio: median(cpuRatios),
    productPerSecond: median(ours.map(({ perSecond }) => perSecond)),
    barePerSecond: median(theirs.map(({ perSecond }) => perSecond)),
    productCpuMicroseconds: median(ours.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    bareCpuMicroseconds: median(theirs.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  };
  const { floor, aim } = FLOORS[kind];
  return {
    section: 'http',
    name: kind,
    text:
      `${rounded(figures.productPerSecond)} requests/s, bare server ${rounded(figures.barePerSecond)}: ratio ${rounded(figures.ratio)} ` +
      `(${spread(ratios)}, aim ${aim}); CPU ${rounded(figures.productCpuMicroseconds)} us a request, bare ${rounded(figures.bareCpuMicroseconds)}: ratio ${rounded(figures.cpuRatio)}`,
    figures,
    floors: [{ name: `${kind} requests/s against bare`, value: figures.ratio, bound: floor, kind: 'at_least' }],
  };
}

const pairText = (ours: Run | undefined, theirs: Run | undefined): string =>
  ours === undefined || theirs === undefined
    ? ''
    : `${rounded(ours.perSecond)}/s (${rounded(ours.cpuMicroseconds)} us CPU) against ${rounded(theirs.perSecond)}/s (${rounded(theirs.cpuMicroseconds)} us CPU)`;
