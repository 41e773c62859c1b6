/**
 * A ledger with as many orders as asked, made by the product's own engine, so that it holds exactly the rows that a
 * sold-out sale of that size leaves: orders with their keys, buyers, the audit chain.
 */
import { hold, makeClaims, openEmbedded } from './embedded.ts';

const PER_ROUND = 50_000;

/** Fills the folder's ledger with one open sale whose stock is taken by `orders` holds. Cost: about 20 µs an order. */
export async function fillLedger(folder: string, orders: number): Promise<void> {
  const embedded = await openEmbedded({ folder, saleId: 'filled', stock: orders });
  try {
    for (let first = 0; first < orders; first += PER_ROUND) {
      const count = Math.min(PER_ROUND, orders - first);
      await hold(embedded, makeClaims(embedded.saleNo, { first, count }));
    }
  } finally {
    await embedded.ledger.close();
  }
}
