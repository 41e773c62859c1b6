/**
 * Memory after a million distinct buyers have been told that it is sold out, each with a token and a key of their
 * own: whatever the server remembers of strangers must be bounded.
 */
import { type Row, rounded, type Settings } from '../figures.ts';
import { residentMib, startLoadGenerator, startProduct } from '../processes.ts';
import { demandStatus, openBenchSale, prepare, targetOf } from './purchase.ts';

const BUYERS = { full: 1_000_000, quick: 20_000 };
const PER_BATCH = 20_000;

export async function memorySection(settings: Settings): Promise<Row[]> {
  const buyers = settings.quick ? BUYERS.quick : BUYERS.full;
  const [product, load] = [await startProduct(), await startLoadGenerator()];
  try {
    const sale = await openBenchSale(product, 'sold_out');
    const startMib = residentMib(product.pid);
    let [half, most] = [0, startMib];
    for (let served = 0; served < buyers; served += PER_BATCH) {
      await prepare(load, sale, Math.min(PER_BATCH, buyers - served));
      demandStatus(await load.closed(targetOf(product)), sale);
      const now = residentMib(product.pid);
      most = Math.max(most, now);
      if (served < buyers / 2) half = now;
      if (served % 200_000 === 0) settings.note(`memory: ${rounded(served + PER_BATCH)} buyers, ${rounded(now)} MiB`);
    }
    const endMib = residentMib(product.pid);
    return [
      {
        section: 'memory',
        name: `${rounded(buyers)} distinct buyers refused`,
        text: `${rounded(startMib)} MiB before, ${rounded(half)} MiB half way, ${rounded(endMib)} MiB after (most ${rounded(most)} MiB)`,
        figures: { buyers, startMib, halfMib: half, endMib, mostMib: most },
        floors: [],
      },
    ];
  } finally {
    await Promise.all([product.stop(), load.stop()]);
  }
}
