/**
 * How long a shopper waits at half the saturation rate: open-loop Poisson arrivals, latency from the intended send
 * time, so that a server that stands still for a moment shows it in everybody who would have come.
 */
import { type Row, rounded, type Settings } from '../figures.ts';
import { type LoadGenerator, startLoadGenerator, startProduct } from '../processes.ts';
import type { Saturation } from './http.ts';
import { type BenchSale, demandStatus, type Kind, openBenchSale, prepare, targetOf } from './purchase.ts';

const BUSY = 503;
const SECONDS = { full: 10, quick: 2 };
const SATURATION_COUNT = { full: 20_000, quick: 3_000 };
/** Rounds of warming up before a saturation that no section before has measured. */
const WARM_ROUNDS = 2;

export async function latencySection(settings: Settings, saturation: Saturation): Promise<Row[]> {
  const [product, load] = [await startProduct(), await startLoadGenerator()];
  try {
    const rows: Row[] = [];
    for (const kind of ['sold_out', 'selling'] as const) {
      rows.push(await atHalfRate(settings, await openBenchSale(product, kind), load, saturation[kind]));
    }
    return rows;
  } finally {
    await Promise.all([product.stop(), load.stop()]);
  }
}

async function atHalfRate(
  settings: Settings,
  sale: BenchSale,
  load: LoadGenerator,
  known: number | undefined,
): Promise<Row> {
  const warmed = await saturate(settings, sale, load);
  const ratePerSecond = (known ?? warmed) / 2;
  const seconds = settings.quick ? SECONDS.quick : SECONDS.full;
  await prepare(load, sale, Math.round(ratePerSecond * seconds));
  const result = await load.open(targetOf(sale.product), { ratePerSecond, seed: settings.seed });
  const { [BUSY]: busy = 0, ...statuses } = result.statuses;
  demandStatus({ statuses }, sale);
  const { p50Ms, p90Ms, p99Ms, maxMs, sendLagP50Ms, queued } = result;
  return {
    section: 'latency',
    name: nameOf(sale.kind),
    text:
      `at ${rounded(ratePerSecond)} requests/s for ${seconds} s: p50 ${rounded(p50Ms)} ms, p90 ${rounded(p90Ms)} ms, p99 ${rounded(p99Ms)} ms, max ${rounded(maxMs)} ms ` +
      `(of which the generator's own timer ${rounded(sendLagP50Ms)} ms at the median; ${queued} waited for a connection, ${busy} were told busy)`,
    figures: { ratePerSecond, seconds, p50Ms, p90Ms, p99Ms, maxMs, sendLagP50Ms, queued, busy },
    floors: [],
  };
}

/** Warms the server and finds the most that it can do; requests per second. */
async function saturate(settings: Settings, sale: BenchSale, load: LoadGenerator): Promise<number> {
  let perSecond = 0;
  for (let round = 0; round <= WARM_ROUNDS; round += 1) {
    await prepare(load, sale, settings.quick ? SATURATION_COUNT.quick : SATURATION_COUNT.full);
    const result = await load.closed(targetOf(sale.product));
    const { [BUSY]: busy = 0, ...statuses } = result.statuses;
    demandStatus({ statuses }, sale);
    perSecond = (result.answers - busy) / result.seconds;
  }
  return perSecond;
}

const nameOf = (kind: Kind): string => `${kind} at half the saturation`;
