/**
 * The embedded engine in process, every hold durable, distinct buyers, against raw multi-row inserts of the same rows
 * in the same batches: in interleaved pairs, each on fresh ledgers on the same disk.
 */
import { hold, makeClaims, openEmbedded } from '../embedded.ts';
import { median, type Row, rounded, type Settings, spread } from '../figures.ts';
import { freshFolder, removeFolder } from '../processes.ts';
import { type EngineRows, rowsOfRun, writeRaw } from '../raw-inserts.ts';

const RATIO_FLOOR = 0.6;
const RATE_FLOOR = 10_000;
const PAIRS = { full: 9, quick: 2 };
const HOLDS = { full: 60_000, quick: 4_000 };
/** Holds before the clock runs, on a ledger of their own: code is compiled, the allocator is warm. */
const WARM_HOLDS = 20_000;

export async function engineSection(settings: Settings): Promise<Row[]> {
  const [pairs, count] = settings.quick ? [PAIRS.quick, HOLDS.quick] : [PAIRS.full, HOLDS.full];
  const warm = await runEngine(Math.min(count, WARM_HOLDS));
  await runRaw(warm.rows, Math.min(count, WARM_HOLDS));
  const [engine, raw, sizes]: [number[], number[], number[]] = [[], [], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    const run = await runEngine(count);
    engine.push(count / run.seconds);
    raw.push(count / (await runRaw(run.rows, count)));
    sizes.push(median(run.batches));
    settings.note(
      `engine pair ${pair + 1}/${pairs}: ${rounded(engine[pair] ?? 0)} holds/s against ${rounded(raw[pair] ?? 0)}/s`,
    );
  }
  const ratios = engine.map((rate, pair) => rate / (raw[pair] ?? Number.NaN));
  const figures = {
    pairs,
    holds: count,
    ratio: median(ratios),
    holdsPerSecond: median(engine),
    rawPerSecond: median(raw),
    batch: median(sizes),
  };
  return [
    {
      section: 'engine',
      name: 'durable holds, distinct buyers',
      text: `${rounded(figures.holdsPerSecond)} holds/s, raw inserts ${rounded(figures.rawPerSecond)}/s: ratio ${rounded(figures.ratio)} (${spread(ratios)}), ${figures.batch} holds a batch`,
      figures,
      floors: [
        { name: 'engine against raw inserts', value: figures.ratio, bound: RATIO_FLOOR, kind: 'at_least' },
        { name: 'durable holds/s', value: figures.holdsPerSecond, bound: RATE_FLOOR, kind: 'at_least' },
      ],
    },
  ];
}

async function runEngine(count: number): Promise<{ seconds: number; batches: readonly number[]; rows: EngineRows }> {
  const folder = freshFolder();
  try {
    const embedded = await openEmbedded({ folder, saleId: 'bench', stock: count });
    const { seconds, batches } = await hold(embedded, makeClaims(embedded.saleNo, { first: 0, count }));
    await embedded.ledger.close();
    return { seconds, batches, rows: rowsOfRun(folder, batches) };
  } finally {
    removeFolder(folder);
  }
}

async function runRaw(rows: EngineRows, stock: number): Promise<number> {
  const folder = freshFolder();
  try {
    return await writeRaw(folder, rows, stock);
  } finally {
    removeFolder(folder);
  }
}
